#pragma once
#include <type_traits>
#include <vector>

#include "atmosphere/dynamics/advection.hpp"
#include "atmosphere/dynamics/mass_fluxes.hpp"
#include "contract.hpp"

/// The horizontal half of an acoustic step.
namespace halocline {

namespace air {

/// Rows of a patch that a thread keeps: of two rows of cells of one layer, what their faces share,
/// and of all faces what does not differ from layer to layer.
template <class T>
class PushRows {
 public:
  explicit PushRows(const Patches& patches)
      : width_(static_cast<std::size_t>(patches.most_columns()) + 1),
        values_((8 + 4 * static_cast<std::size_t>(patches.most_rows())) * width_) {}

  void begin(Box patch) { patch_ = patch; }
  T* lifted(int j) { return at(j & 1); }        ///< twice the geopotential of the middle
  T* volume(int j) { return at(2 + (j & 1)); }  ///< change of the specific volume
  T* layer(int j) { return at(4 + (j & 1)); }   ///< mass per coordinate
  T* upward(int j) { return at(6 + (j & 1)); }  ///< twice what is not in balance
  T* x_share(int j) { return of_face(0, j); }   ///< of force: less acoustic step over 4 distances
  T* y_share(int j) { return of_face(1, j); }
  T* x_damping(int j) { return of_face(2, j); }  ///< of the external mode, in the acoustic step
  T* y_damping(int j) { return of_face(3, j); }

 private:
  T* at(int row) { return values_.data() + static_cast<std::size_t>(row) * width_ + 1 - patch_.i0; }
  T* of_face(int kind, int j) { return at(8 + 4 * (j - patch_.j0) + kind); }
  std::size_t width_;
  std::vector<T> values_;
  Box patch_;
};

/// What pushes in an acoustic step; members are the arguments of the kernel. The force is that of
/// `PressureForce`, of changes since the state of the stage.
template <class T>
struct AcousticPush {
  Layers<T> layers;
  Columns<T> columns;
  View2<const T> mass_change, mass_rate;
  View3<const T> pressure, geopotential, volume, middle, base_pressure, dilution;
  View3<const T> u_tendency, v_tendency;
  View2<const T> x_distance, y_distance, x_length, y_length, x_open, y_open;
  View1<const T> to_ground;
  View3<T> u_change, v_change, x_carried, y_carried;
  T dt, damping;

  template <bool sloping, bool moist>
  void advance(PushRows<T>& rows, Box patch) const {
    rows.begin(patch);
    for (int j = patch.j0; j < patch.j1; ++j) faces(rows, patch, j);
    for (int k = 0; k < static_cast<int>(pressure.extent[0]); ++k) {
      cells<sloping>(rows, k, patch.j0 - 1, patch.i0, patch.i1);
      for (int j = patch.j0; j < patch.j1; ++j) {
        cells<sloping>(rows, k, j, patch.i0 - 1, patch.i1);
        push<sloping, moist>(rows, patch, k, j);
      }
    }
  }

 private:
  /// Asks for values of the next row: there are more fields than the hardware foresees.
  template <class S>
  INLINE void fetch(const View3<S>& of, int k, int j, std::ptrdiff_t i) const {
    __builtin_prefetch(of.row(k, j + 1) + i);
  }

  void faces(PushRows<T>& rows, Box patch, int j) const {
    over_row_again<T>(patch.i0, patch.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) INTO_LOOP {
      const V here = load<V>(mass_rate.row(j) + i);
      const auto face = [&](const View2<const T>& distance, T* share, T* damped, V other)
                            INTO_LOOP {
                              const V apart = load<V>(distance.row(j) + i);
                              put<V>(share + i, (T(-0.25) * dt) / apart);
                              put<V>(damped + i, damping * apart * (here - other));
                            };
      face(x_distance, rows.x_share(j), rows.x_damping(j), load<V>(mass_rate.row(j) + i - 1));
      face(y_distance, rows.y_share(j), rows.y_damping(j), load<V>(mass_rate.row(j - 1) + i));
    });
  }

  /// Cells [a, b) of a row.
  template <bool sloping>
  void cells(PushRows<T>& rows, int k, int j, std::ptrdiff_t a, std::ptrdiff_t b) const {
    const T c1 = layers.c1(k), c2 = layers.c2(k), per_depth = 1 / layers.thickness(k);
    const int top = static_cast<int>(pressure.extent[0]) - 1;
    const T upper = k < top ? layers.upper_share(k + 1) : T(0), lower = layers.upper_share(k);
    over_row_again<T>(a, b, [&]<class V>(Lane<V>, std::ptrdiff_t i) INTO_LOOP {
      fetch(geopotential, k + 1, j, i);
      fetch(volume, k, j, i);
      if (k < top) fetch(pressure, k + 1, j, i);
      const V under = load<V>(geopotential.row(k, j) + i);
      const V over = load<V>(geopotential.row(k + 1, j) + i);
      const V more = c1 * load<V>(mass_change.row(j) + i);
      const V layer = layer_mass<V>(c1, c2, columns.template at<V>(j, i));
      put<V>(rows.lifted(j) + i, over + under);
      put<V>(rows.layer(j) + i, layer);
      if constexpr (sloping) {
        const V gain = (over - under) * per_depth - load<V>(volume.row(k, j) + i) * more;
        put<V>(rows.volume(j) + i, gain / layer);
      }
      const V here = load<V>(pressure.row(k, j) + i);
      V above{}, below;
      if (k < top) above = at_interface<V>(upper, load<V>(pressure.row(k + 1, j) + i), here);
      if (k > 0)
        below = at_interface<V>(lower, here, load<V>(pressure.row(k - 1, j) + i));
      else
        below = to_ground(0) * here + (to_ground(1) * load<V>(pressure.row(1, j) + i) +
                                       to_ground(2) * load<V>(pressure.row(2, j) + i));
      put<V>(rows.upward(j) + i, T(2) * ((below - above) * per_depth - more));
    });
  }

  /// A row of cells of a field, and the one to the south.
  struct CellRow {
    const T *here, *south;
    CellRow(const View3<const T>& of, int k, int j)
        : here(of.data ? of.row(k, j) : nullptr), south(of.data ? of.row(k, j - 1) : nullptr) {}
    CellRow(const T* here, const T* south) : here(here), south(south) {}
  };
  /// What the faces of a row have around them.
  struct Around {
    CellRow lifted, layer, upward, gained, volume, pressure, middle, base, dilution;
  };
  /// A row of western or southern faces.
  template <bool eastward, bool sloping, bool moist>
  struct FaceRow {
    Around at;
    const T *tendency, *open, *share, *damped, *length;
    T *change, *carried, dt;

    template <class V>
    INLINE V before(const CellRow& of, std::ptrdiff_t i) const {
      return eastward ? load<V>(of.here + i - 1) : load<V>(of.south + i);
    }
    template <class V>
    INLINE V sum(const CellRow& of, std::ptrdiff_t i) const {
      return load<V>(of.here + i) + before<V>(of, i);
    }
    template <class V>
    INLINE V step(const CellRow& of, std::ptrdiff_t i) const {
      return load<V>(of.here + i) - before<V>(of, i);
    }
    /// Momentum after the step (Skamarock et al. 2019, equations 3.7 and 3.8).
    template <class V>
    INLINE V pushed(std::ptrdiff_t i) const {
      // four times the force times the distance
      V along = multiply_add(sum<V>(at.volume, i), step<V>(at.pressure, i), step<V>(at.lifted, i));
      if constexpr (sloping) along = multiply_add(sum<V>(at.gained, i), step<V>(at.base, i), along);
      V force =
          multiply_add(step<V>(at.middle, i), sum<V>(at.upward, i), sum<V>(at.layer, i) * along);
      if constexpr (moist) force *= T(0.5) * sum<V>(at.dilution, i);
      const V rest = multiply_add(dt, load<V>(tendency + i), V(-load<V>(damped + i)));
      const V more = multiply_add(force, load<V>(share + i), rest);
      return multiply_add(load<V>(open + i), more, load<V>(change + i));
    }
    template <class V>
    INLINE void keep(std::ptrdiff_t i, V now) const {
      put<V>(change + i, now);
      if (carried != nullptr) put<V>(carried + i, load<V>(carried + i) + now * load<V>(length + i));
    }
  };

  template <bool sloping, bool moist>
  void push(PushRows<T>& rows, Box patch, int k, int j) const {
    const Around at{{rows.lifted(j), rows.lifted(j - 1)},
                    {rows.layer(j), rows.layer(j - 1)},
                    {rows.upward(j), rows.upward(j - 1)},
                    {rows.volume(j), rows.volume(j - 1)},
                    {volume, k, j},
                    {pressure, k, j},
                    {middle, k, j},
                    {base_pressure, k, j},
                    {dilution, k, j}};
    const auto row = [&](const View3<T>& of) { return of.data ? of.row(k, j) : nullptr; };
    const FaceRow<true, sloping, moist> u{at,
                                          u_tendency.row(k, j),
                                          x_open.row(j),
                                          rows.x_share(j),
                                          rows.x_damping(j),
                                          x_length.row(j),
                                          row(u_change),
                                          row(x_carried),
                                          dt};
    const FaceRow<false, sloping, moist> v{at,
                                           v_tendency.row(k, j),
                                           y_open.row(j),
                                           rows.y_share(j),
                                           rows.y_damping(j),
                                           y_length.row(j),
                                           row(v_change),
                                           row(y_carried),
                                           dt};
    over_row<T>(patch.i0, patch.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) INTO_LOOP {
      for (const View3<const T>* of : {&u_tendency, &v_tendency, &middle}) fetch(*of, k, j, i);
      if constexpr (sloping) fetch(base_pressure, k, j, i);
      fetch(u_change, k, j, i);
      fetch(v_change, k, j, i);
      // both are found before either is stored, so that what they share is loaded once
      const V east = u.template pushed<V>(i), north = v.template pushed<V>(i);
      u.keep(i, east);
      v.keep(i, north);
    });
  }
};

}  // namespace air

inline constexpr Contract<27> atmosphere_acoustic_push_contract{
    "atmosphere_acoustic_push",
    {{{"pressure_change", Access::read, Place::center, "Pa", "depth", to_west_and_south,
       Column::whole},
      {"geopotential_change", Access::read, Place::center, "m2 s-2", "depth+1", to_west_and_south,
       Column::whole},
      {"full_volume", Access::read, Place::center, "m3 kg-1", "depth", to_west_and_south},
      {"middle_geopotential", Access::read, Place::center, "m2 s-2", "depth", to_west_and_south},
      if_wanted({"base_pressure", Access::read, Place::center, "Pa", "depth", to_west_and_south}),
      if_wanted({"dilution", Access::read, Place::center, "1", "depth", to_west_and_south}),
      {"mass", Access::read, Place::center, "Pa", to_west_and_south},
      {"base_mass", Access::read, Place::center, "Pa", to_west_and_south},
      {"mass_change", Access::read, Place::center, "Pa", to_west_and_south},
      {"mass_rate", Access::read, Place::center, "Pa s-1", to_west_and_south},
      {"u_tendency", Access::read, Place::x_face, "Pa m s-2", "depth"},
      {"v_tendency", Access::read, Place::y_face, "Pa m s-2", "depth"},
      {"x_distance", Access::read, Place::x_face, "m"},
      {"y_distance", Access::read, Place::y_face, "m"},
      {"x_length", Access::read, Place::x_face, "m"},
      {"y_length", Access::read, Place::y_face, "m"},
      {"x_open", Access::read, Place::x_face, "1"},
      {"y_open", Access::read, Place::y_face, "1"},
      {"c1", Access::read, Place::none, "1", "depth"},
      {"c2", Access::read, Place::none, "Pa", "depth"},
      {"thickness", Access::read, Place::none, "1", "depth"},
      {"upper_share", Access::read, Place::none, "1", "depth+1"},
      {"to_ground", Access::read, Place::none, "1", "3"},
      {"u_change", Access::update, Place::x_face, "Pa m s-1", "depth"},
      {"v_change", Access::update, Place::y_face, "Pa m s-1", "depth"},
      if_wanted({"x_carried", Access::update, Place::x_face, "Pa m2 s-1", "depth"}),
      if_wanted({"y_carried", Access::update, Place::y_face, "Pa m2 s-1", "depth"})}}};

/// Advance the change of horizontal momentum since the state of the stage by one acoustic step
/// (Skamarock et al. 2019, equations 3.7 and 3.8, with the external-mode filter of 3.3.2).
///
/// @param[in] pressure_change, geopotential_change, mass_change  since that state
/// @param[in] full_volume, middle_geopotential, mass  of that state
/// @param[in] mass_rate    of columns in the acoustic step before [Pa s-1]
/// @param[in,out] u_change, v_change     momentum per area and coordinate [Pa m s-1]
/// @param[in,out] x_carried, y_carried   where wanted, sums over acoustic steps of what
///                                       is carried more than in that state [Pa m2 s-1]
/// @param[in] dt           acoustic step [s]
/// @param[in] external_damping  of the external mode [1]
template <class T>
void atmosphere_acoustic_push(
    Box box, View3<const T> pressure_change, View3<const T> geopotential_change,
    View3<const T> full_volume, View3<const T> middle_geopotential, View3<const T> base_pressure,
    View3<const T> dilution, View2<const T> mass, View2<const T> base_mass,
    View2<const T> mass_change, View2<const T> mass_rate, View3<const T> u_tendency,
    View3<const T> v_tendency, View2<const T> x_distance, View2<const T> y_distance,
    View2<const T> x_length, View2<const T> y_length, View2<const T> x_open, View2<const T> y_open,
    View1<const T> c1, View1<const T> c2, View1<const T> thickness, View1<const T> upper_share,
    View1<const T> to_ground, View3<T> u_change, View3<T> v_change, View3<T> x_carried,
    View3<T> y_carried, double dt, double external_damping) {
  const air::AcousticPush<T> push{{c1, c2, {}, {}, thickness, {}, upper_share},
                                  {base_mass, mass},
                                  mass_change,
                                  mass_rate,
                                  pressure_change,
                                  geopotential_change,
                                  full_volume,
                                  middle_geopotential,
                                  base_pressure,
                                  dilution,
                                  u_tendency,
                                  v_tendency,
                                  x_distance,
                                  y_distance,
                                  x_length,
                                  y_length,
                                  x_open,
                                  y_open,
                                  to_ground,
                                  u_change,
                                  v_change,
                                  x_carried,
                                  y_carried,
                                  static_cast<T>(dt),
                                  static_cast<T>(external_damping)};
  const air::Patches patches(box);
  const auto advance = [&](auto sloping, auto moist) {
    for_each_in_with(
        0, patches.count(), 1, [&] { return air::PushRows<T>(patches); },
        [&](int number, air::PushRows<T>& rows) {
          push.template advance<sloping.value, moist.value>(rows, patches.at(number));
        });
  };
  const bool moist = dilution.data != nullptr;
  const auto over = [&](auto sloping) {
    moist ? advance(sloping, std::true_type{}) : advance(sloping, std::false_type{});
  };
  base_pressure.data != nullptr ? over(std::true_type{}) : over(std::false_type{});
}

}  // namespace halocline
