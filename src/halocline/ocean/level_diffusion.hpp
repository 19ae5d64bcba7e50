#pragma once
#include "contract.hpp"
#include "numerics/row_loops.hpp"
#include "ocean/bottom_cells.hpp"
#include "schedules.hpp"
#include "view.hpp"

/// Diffusion of tracers along levels, of the old level; thin cells are compared at one depth.
namespace halocline {

/// Diffusivity times width of faces over the distance of centres, and the levels.
template <class T>
struct LevelDiffusion {
  BottomCells<T> bottom;
  View2<const T> x_conductance, y_conductance;
  View1<const T> thickness, spacing;
};

/// What diffusion brings into the cells of one row of one level.
template <class T, bool Whole>
class DiffusionRow {
 public:
  /// @param[in] f           its numbers
  /// @param[in] old_tracer  values, shape (tracer, k, j, i)
  DiffusionRow(const LevelDiffusion<T>& f, const View4<const T>& old_tracer, int t, int k, int j)
      : dz_(f.thickness(k)), spacing_(f.spacing(above(k, f))), level_(static_cast<T>(k)) {
    for (int m = 0; m < 3; ++m) {
      const int row = j + m - 1;
      values_[m] = {old_tracer.row(t, k, row), old_tracer.row(t, above(k, f), row)};
      cells_[m] = f.bottom.template row<Whole>(k, row);
      floor_[m] = f.bottom.floor_level.row(row);
    }
    if (!f.x_conductance.data) return;  // nobody asks
    x_ = f.x_conductance.row(j), south_ = f.y_conductance.row(j);
    north_ = f.y_conductance.row(j + 1);
  }

  /// Into cells from i on [m3 s-1 times units].
  template <class V>
  INLINE V converging(std::ptrdiff_t i) const {
    const V none{};
    const auto open = [&](int row, std::ptrdiff_t at) {
      return load<V>(floor_[row] + at) <= splat<V>(level_);
    };
    const auto from = [&](int row, std::ptrdiff_t at, const T* conductance) {
      const auto pair = pair_of<V>(cells_[1], i, cells_[row], at, dz_, spacing_);
      const V more = pair.common * pair.apart(values_[1], values_[row]);
      return open(row, at) ? V(load<V>(conductance) * more) : none;
    };
    V mixed = from(1, i - 1, x_ + i) + from(1, i + 1, x_ + i + 1);
    mixed += from(0, i, south_ + i) + from(2, i, north_ + i);
    return dz_ * (open(1, i) ? mixed : none);
  }

 private:
  static int above(int k, const LevelDiffusion<T>& f) {
    return k + 1 < f.thickness.extent[0] ? k + 1 : k;
  }

  T dz_, spacing_, level_;
  RowAndAbove<T> values_[3];  ///< of the row to the south, this one, and that to the north
  RowShares<T, Whole> cells_[3];
  const T *floor_[3], *x_ = nullptr, *south_ = nullptr, *north_ = nullptr;
};

inline constexpr Contract<9> ocean_level_diffusion_contract{
    "ocean_level_diffusion",
    {{{"old_tracer",
       Access::read,
       Place::center,
       "any",
       "tracer depth",
       {-1, 1, -1, 1},
       Column::whole},
      {"floor_level", Access::read, Place::center, "1", {-1, 1, -1, 1}},
      if_wanted({"bottom_share", Access::read, Place::center, "1", {-1, 1, -1, 1}}),
      {"area", Access::read, Place::center, "m2"},
      {"x_conductance", Access::read, Place::x_face, "m2 s-1", {0, 1, 0, 0}},
      {"y_conductance", Access::read, Place::y_face, "m2 s-1", {0, 0, 0, 1}},
      {"thickness", Access::read, Place::none, "m", "depth"},
      {"spacing", Access::read, Place::none, "m", "depth"},
      {"mixing_convergence", Access::update, Place::center, "any", "tracer depth"}}}};

/// Add what diffusion along levels brings into cells, for schemes that move tracers without it.
///
/// @param[in]     old_tracer          shape (tracer, k, j, i)
/// @param[in]     floor_level         the lowest wet level; as many as levels on land
/// @param[in]     bottom_share        of its level that the cell there has [1]
/// @param[in]     area                of cells [m2]
/// @param[in]     x_conductance       diffusivity times length of a face over distance [m2 s-1]
/// @param[in]     thickness, spacing  of levels, and between their centres [m]
/// @param[in,out] mixing_convergence  [m s-1 times units of the tracer]
template <class T>
void ocean_level_diffusion(Box box, View4<const T> old_tracer, View2<const T> floor_level,
                           View2<const T> bottom_share, View2<const T> area,
                           View2<const T> x_conductance, View2<const T> y_conductance,
                           View1<const T> thickness, View1<const T> spacing,
                           View4<T> mixing_convergence) {
  const LevelDiffusion<T> numbers{
      {floor_level, bottom_share}, x_conductance, y_conductance, thickness, spacing};
  for_pairs(static_cast<int>(thickness.extent[0]), box.j0, box.j1, 1, [&](int k, int j) {
    for (int t = 0; t < old_tracer.extent[0]; ++t) {
      const DiffusionRow<T, false> row(numbers, old_tracer, t, k, j);
      T* to = mixing_convergence.row(t, k, j);
      over_row<T>(box.i0, box.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
        const V gained = row.template converging<V>(i) / load<V>(area.row(j) + i);
        store<V>(to + i, load<V>(to + i) + gained);
      });
    }
  });
}

}  // namespace halocline
