#pragma once
#include <algorithm>
#include <vector>

#include "contract.hpp"
#include "numerics/row_loops.hpp"
#include "ocean/bottom_cells.hpp"
#include "schedules.hpp"
#include "view.hpp"

/// Tracers in their columns: fluxes at the surface and implicit vertical diffusion.
namespace halocline {

/// What tracers are mixed by in a column, and what enters it.
template <class T>
struct ColumnFields {
  View3<const T> vertical_diffusivity;
  BottomCells<T> bottom;
  View3<const T> surface_flux;
  View1<const T> thickness, spacing;
  View3<const T> nonlocal_share;
  View4<const T> mixing_convergence;
  View3<const T> salinity_excess;
};

/// One row of columns: what their cells hold before diffusion, and after it.
template <class T, bool Whole>
class TracerColumns {
 public:
  TracerColumns(const ColumnFields<T>& fields, std::ptrdiff_t width)
      : f_(fields),
        levels_(static_cast<int>(fields.thickness.extent[0])),
        pitch_(width + 32),
        first_(static_cast<std::size_t>(width)),
        scratch_(static_cast<std::size_t>(pitch_) * (4 * levels_ + 2)) {
    T* next = scratch_.data() + 16;
    for (T** plane : {&content_, &exchange_, &factor_, &pivot_}) {
      *plane = next;
      next += pitch_ * levels_;
    }
  }

  /// Look where columns [i0, i1) of row j begin: before all else.
  void begin(int j, std::ptrdiff_t i0, std::ptrdiff_t i1) {
    const T* floor = f_.bottom.floor_level.row(j);
    lowest_ = levels_;
    over_row<T>(i0, i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      first_[i - i0] = static_cast<int>(*std::min_element(floor + i, floor + i + width_of<V>));
      lowest_ = std::min(lowest_, first_[i - i0]);
    });
  }
  /// The lowest wet level of all columns, and of the lanes from i on.
  int lowest() const { return lowest_; }
  int first(std::ptrdiff_t i, std::ptrdiff_t i0) const { return first_[i - i0]; }

  /// What cells of level k hold [m times the units of the tracer], so that index i0 is the first.
  T* content(int k, std::ptrdiff_t i0) const { return at(content_, k, i0); }

  /// What comes from the surface and by `mixing_convergence` into level k of row j.
  struct Entering {
    const T *surface, *from_above, *passed, *converging;  ///< the last three null where nothing is
    bool highest;

    /// `held` and that of `tau` seconds.
    template <class V>
    INLINE V into(V held, std::ptrdiff_t i, T tau) const {
      if (highest) held += tau * load<V>(surface + i);
      if (passed) {
        const V above = highest ? V{} : load<V>(from_above + i);
        held += tau * ((above - load<V>(passed + i)) * load<V>(surface + i));
      }
      if (converging) held += tau * load<V>(converging + i);
      return held;
    }
  };
  Entering entering(int t, int k, int j) const {
    const bool highest = k == levels_ - 1, nonlocal = f_.nonlocal_share.data != nullptr;
    const auto share = [&](int level) { return f_.nonlocal_share.row(level, j); };
    return {f_.surface_flux.row(t, j), nonlocal && !highest ? share(k + 1) : nullptr,
            nonlocal ? share(k) : nullptr,
            f_.mixing_convergence.data ? f_.mixing_convergence.row(t, k, j) : nullptr, highest};
  }

  /// Get ready for tracer t, and for those after it that diffuse alike.
  void eliminate(int t, int j, std::ptrdiff_t i0, std::ptrdiff_t i1, T tau,
                 View2<const T> new_layer) {
    if (t == 0) eliminate<false>(j, i0, i1, tau, new_layer);
    if (t == 1 && f_.salinity_excess.data) eliminate<true>(j, i0, i1, tau, new_layer);
  }

  /// The new values of tracer t in row j, from what its cells hold; 0 on land.
  void solve(int t, int j, std::ptrdiff_t i0, std::ptrdiff_t i1, View4<T> new_tracer) {
    for (int k = levels_ - 1; k >= lowest_; --k) {
      const bool highest = k == levels_ - 1;
      T *held = content(k, i0), *above = content(highest ? k : k + 1, i0);
      const T *exchange = at(exchange_, highest ? k : k + 1, i0), *pivot = at(pivot_, k, i0);
      over_row<T>(i0, i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
        if (k < first(i, i0)) return;
        const V from_above = highest ? V{} : V(load<V>(exchange + i) * load<V>(above + i));
        store<V>(held + i, (load<V>(held + i) + from_above) * load<V>(pivot + i));
      });
    }
    const T* floor = f_.bottom.floor_level.row(j);
    for (int k = 0; k < levels_; ++k) {
      if (k < lowest_) {
        std::fill(new_tracer.row(t, k, j) + i0, new_tracer.row(t, k, j) + i1, T(0));
        continue;
      }
      const T *held = content(k, i0), *factor = at(factor_, k, i0);
      const T* below = k > 0 ? new_tracer.row(t, k - 1, j) : held;
      T* to = new_tracer.row(t, k, j);
      const Ahead ahead({next_row(new_tracer, t, k, j + 1)});
      over_row<T>(i0, i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
        ahead.fetch(i);
        if (k < first(i, i0)) return store<V>(to + i, V{});
        const V from_below = k > 0 ? V(load<V>(factor + i) * load<V>(below + i)) : V{};
        const auto wet = load<V>(floor + i) <= splat<V>(static_cast<T>(k));
        store<V>(to + i, wet ? V(load<V>(held + i) + from_below) : V{});
      });
    }
  }

 private:
  T* at(T* plane, int k, std::ptrdiff_t i0) const {
    return plane + static_cast<std::ptrdiff_t>(k) * pitch_ - i0;
  }

  /// What implicit vertical diffusion exchanges, eliminated downward from the surface: of heat, or
  /// of salt and all other tracers.
  template <bool Salt>
  void eliminate(int j, std::ptrdiff_t i0, std::ptrdiff_t i1, T tau, View2<const T> new_layer) {
    for (int k = levels_ - 1; k >= lowest_; --k) {
      const bool lowest = k == 0, highest = k == levels_ - 1;
      const T spacing = f_.spacing(k), share = lowest ? T(0) : tau / spacing;
      const T dz = f_.thickness(k), under = f_.thickness(lowest ? k : k - 1);
      const RowShares<T, Whole> cells = f_.bottom.template row<Whole>(k, j);
      const RowShares<T, Whole> lower = f_.bottom.template row<Whole>(k - 1, j);
      const T* diffusivity = f_.vertical_diffusivity.row(k, j);
      const T* excess = Salt ? f_.salinity_excess.row(k, j) : diffusivity;
      const T *layer = new_layer.row(j), *floor = f_.bottom.floor_level.row(j);
      const T* above = at(exchange_, highest ? k : k + 1, i0);
      const T* above_factor = at(factor_, highest ? k : k + 1, i0);
      T *here = at(exchange_, k, i0), *factor = at(factor_, k, i0), *pivot = at(pivot_, k, i0);
      over_row<T>(i0, i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
        if (k < first(i, i0)) return;
        const V thickness = highest ? load<V>(layer + i) : V(dz * cells.template at<V>(i));
        const V per_spacing = lower.template whole<V>(i)
                                  ? splat<V>(share)
                                  : V(tau / lower.template to_above<V>(i, under, spacing));
        const V open = load<V>(floor + i) < splat<V>(static_cast<T>(k)) ? per_spacing : V{};
        const V mixing = load<V>(diffusivity + i) + (Salt ? load<V>(excess + i) : V{});
        const V a = open * mixing;
        const V b = highest ? V{} : load<V>(above + i);
        const V kept = highest ? V{} : V(T(1) - load<V>(above_factor + i));
        const V reciprocal = T(1) / (thickness + a + b * kept);
        store<V>(here + i, a);
        store<V>(pivot + i, reciprocal);
        store<V>(factor + i, a * reciprocal);
      });
    }
  }

  ColumnFields<T> f_;
  int levels_;
  std::ptrdiff_t pitch_;
  int lowest_ = 0;
  std::vector<int> first_;
  std::vector<T> scratch_;
  T *content_, *exchange_, *factor_, *pivot_;
};

/// `body(j, i0, i1, own)` for tiles of `width` columns of all rows of the box; `make()` for each
/// thread.
template <class Make, class Body>
void for_tiles_of_rows(Box box, int width, const Make& make, const Body& body) {
  for_each_in_with(box.j0, box.j1, 1, make, [&](int j, auto& own) {
    for (std::ptrdiff_t i0 = box.i0; i0 < box.i1; i0 += width)
      body(j, i0, std::min<std::ptrdiff_t>(i0 + width, box.i1), own);
  });
}

inline constexpr Contract<12> ocean_mix_tracers_contract{
    "ocean_mix_tracers",
    {{{"new_tracer", Access::update, Place::center, "any", "tracer depth", {}, Column::whole},
      {"vertical_diffusivity",
       Access::read,
       Place::interface,
       "m2 s-1",
       "depth",
       {},
       Column::whole},
      {"floor_level", Access::read, Place::center, "1"},
      if_wanted({"bottom_share", Access::read, Place::center, "1"}),
      {"new_layer", Access::read, Place::center, "m"},
      {"water_flux", Access::read, Place::center, "m s-1"},
      {"surface_flux", Access::read, Place::center, "any", "tracer"},
      {"thickness", Access::read, Place::none, "m", "depth"},
      {"spacing", Access::read, Place::none, "m", "depth"},
      if_wanted(
          {"nonlocal_share", Access::read, Place::interface, "1", "depth", {}, Column::whole}),
      if_wanted({"mixing_convergence", Access::read, Place::center, "any", "tracer depth"}),
      if_wanted({"salinity_excess",
                 Access::read,
                 Place::interface,
                 "m2 s-1",
                 "depth",
                 {},
                 Column::whole})}}};

/// Add what passes the surface to tracers that were moved already, and diffuse them vertically.
///
/// @param[in]     box                   cells to compute
/// @param[in,out] new_tracer            moved by the flow, shape (tracer, k, j, i)
/// @param[in]     vertical_diffusivity  at lower interfaces [m2 s-1]
/// @param[in]     floor_level           the lowest wet level; as many as levels on land
/// @param[in]     bottom_share          of its level that the cell there has [1]
/// @param[in]     new_layer             thickness of the uppermost cell, rain included [m]
/// @param[in]     water_flux            volume of rain and rivers per area [m s-1]
/// @param[in]     surface_flux          of tracers per area [m s-1 times their units]
/// @param[in]     thickness, spacing    of levels, and between their centres [m]
/// @param[in]     nonlocal_share        part of `surface_flux` that passes lower interfaces besides
/// [1]
/// @param[in]     mixing_convergence    what eddies and diffusion bring into cells [m s-1 times
/// their units]
/// @param[in]     salinity_excess       diffusivity of all tracers but the first less that of it
/// [m2 s-1]
/// @param[in]     tau                   from the old to the new level [s]
/// @param[in]     width                 most columns per tile [1]; any value gives the same bits
template <class T>
void ocean_mix_tracers(Box box, View4<T> new_tracer, View3<const T> vertical_diffusivity,
                       View2<const T> floor_level, View2<const T> bottom_share,
                       View2<const T> new_layer, View2<const T> water_flux,
                       View3<const T> surface_flux, View1<const T> thickness,
                       View1<const T> spacing, View3<const T> nonlocal_share,
                       View4<const T> mixing_convergence, View3<const T> salinity_excess,
                       double tau, int width) {
  const BottomCells<T> bottom{floor_level, bottom_share};
  const ColumnFields<T> fields{
      vertical_diffusivity, bottom,         surface_flux, thickness, spacing, nonlocal_share,
      mixing_convergence,   salinity_excess};
  const T step = static_cast<T>(tau);
  const int levels = static_cast<int>(thickness.extent[0]);
  for_tiles_of_rows(
      box, width, [&] { return TracerColumns<T, false>(fields, width); },
      [&](int j, std::ptrdiff_t i0, std::ptrdiff_t i1, TracerColumns<T, false>& columns) {
        columns.begin(j, i0, i1);
        for (int t = 0; t < new_tracer.extent[0]; ++t) {
          columns.eliminate(t, j, i0, i1, step, new_layer);
          for (int k = columns.lowest(); k < levels; ++k) {
            T* held = columns.content(k, i0);
            const RowShares<T> cells = bottom.row(k, j);
            const auto entering = columns.entering(t, k, j);
            over_row<T>(i0, i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
              const V dry = load<V>(new_layer.row(j) + i) - step * load<V>(water_flux.row(j) + i);
              const V dz = k == levels - 1 ? dry : V(thickness(k) * cells.template at<V>(i));
              const V moved = dz * load<V>(new_tracer.row(t, k, j) + i);
              store<V>(held + i, entering.template into<V>(moved, i, step));
            });
          }
          columns.solve(t, j, i0, i1, new_tracer);
        }
      });
}

inline constexpr Contract<1> ocean_age_contract{
    "ocean_age", {{{"age", Access::update, Place::center, "any", "depth"}}}};

/// Let water become older below the uppermost level, where it is new.
///
/// @param[in,out] age     since water was in the uppermost cells
/// @param[in]     amount  that is added, in units of `age`
template <class T>
void ocean_age(Box box, View3<T> age, double amount) {
  const int levels = static_cast<int>(age.extent[0]);
  for_pairs(levels, box.j0, box.j1, 1, [&](int k, int j) {
    over_row<T>(box.i0, box.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      const V older = load<V>(age.row(k, j) + i) + splat<V>(static_cast<T>(amount));
      store<V>(age.row(k, j) + i, k == levels - 1 ? V{} : older);
    });
  });
}

}  // namespace halocline
