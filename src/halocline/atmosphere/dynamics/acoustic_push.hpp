#pragma once
#include "atmosphere/dynamics/mass_fluxes.hpp"
#include "atmosphere/dynamics/pressure_force.hpp"
#include "contract.hpp"

/// The horizontal half of an acoustic step.
namespace halocline {

namespace air {

/// Rows of a patch that a thread keeps: of all faces what does not differ from layer to layer.
template <class T>
class PushRows {
 public:
  explicit PushRows(const Patches& patches) : rows_(patches, 4 * patches.most_rows()) {}

  void begin(Box patch) { rows_.begin(patch); }
  T* x_share(int j) { return rows_.of_row(0, 4, j); }  ///< of force: less step over 4 distances
  T* y_share(int j) { return rows_.of_row(1, 4, j); }
  T* x_damping(int j) { return rows_.of_row(2, 4, j); }  ///< of the external mode, in the step
  T* y_damping(int j) { return rows_.of_row(3, 4, j); }

 private:
  PatchRows<T> rows_;
};

/// What pushes in an acoustic step; members are the arguments of the kernel. The force is that of
/// changes since the state of the stage.
template <class T>
struct AcousticPush {
  PressureForce<T> force;
  View2<const T> mass_rate;
  View3<const T> u_tendency, v_tendency;
  View2<const T> x_distance, y_distance, x_length, y_length, x_open, y_open;
  View3<T> u_change, v_change, x_carried, y_carried;
  T dt, damping;

  struct Rows {
    ForceRows<T> cells;
    PushRows<T> faces;
    explicit Rows(const Patches& patches) : cells(patches), faces(patches) {}
  };

  template <bool sloping, bool moist>
  void advance(Rows& rows, Box patch) const {
    rows.cells.begin(patch);
    rows.faces.begin(patch);
    for (int j = patch.j0; j < patch.j1; ++j) faces(rows.faces, patch, j);
    for (int k = 0; k < static_cast<int>(u_tendency.extent[0]); ++k) {
      force.template share<sloping>(rows.cells, k, patch.j0 - 1, patch.i0, patch.i1);
      for (int j = patch.j0; j < patch.j1; ++j) {
        force.template share_row<sloping>(rows.cells, k, j, patch.i0, patch.i1);
        push<sloping, moist>(rows, patch, k, j);
      }
    }
  }

 private:
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

  /// A row of western or southern faces.
  template <class Force>
  struct FaceRow {
    Force force;
    const T *tendency, *open, *share, *damped, *length;
    T *change, *carried, dt;

    /// Momentum after the step (Skamarock et al. 2019, equations 3.7 and 3.8).
    template <class V>
    INLINE V pushed(std::ptrdiff_t i) const {
      const V rest = multiply_add(dt, load<V>(tendency + i), V(-load<V>(damped + i)));
      const V more = multiply_add(force.template at<V>(i), load<V>(share + i), rest);
      return multiply_add(load<V>(open + i), more, load<V>(change + i));
    }
    template <class V>
    INLINE void keep(std::ptrdiff_t i, V now) const {
      put<V>(change + i, now);
      if (carried != nullptr) put<V>(carried + i, load<V>(carried + i) + now * load<V>(length + i));
    }
  };

  template <bool sloping, bool moist>
  void push(Rows& rows, Box patch, int k, int j) const {
    const auto row = [&](const View3<T>& of) { return of.data ? of.row(k, j) : nullptr; };
    const FaceRow<FaceForce<T, true, sloping, moist>> u{
        force.template at<true, sloping, moist>(rows.cells, k, j),
        u_tendency.row(k, j),
        x_open.row(j),
        rows.faces.x_share(j),
        rows.faces.x_damping(j),
        x_length.row(j),
        row(u_change),
        row(x_carried),
        dt};
    const FaceRow<FaceForce<T, false, sloping, moist>> v{
        force.template at<false, sloping, moist>(rows.cells, k, j),
        v_tendency.row(k, j),
        y_open.row(j),
        rows.faces.y_share(j),
        rows.faces.y_damping(j),
        y_length.row(j),
        row(v_change),
        row(y_carried),
        dt};
    over_row<T>(patch.i0, patch.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) INTO_LOOP {
      for (const View3<const T>* of : {&u_tendency, &v_tendency, &force.middle_geopotential})
        fetch_north(*of, k, j, i);
      if constexpr (sloping) fetch_north(force.base_pressure, k, j, i);
      fetch_north(u_change, k, j, i);
      fetch_north(v_change, k, j, i);
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
  const air::PressureForce<T> force{{c1, c2, {}, {}, thickness, {}, upper_share},
                                    {base_mass, mass},
                                    mass_change,
                                    pressure_change,
                                    geopotential_change,
                                    full_volume,
                                    middle_geopotential,
                                    base_pressure,
                                    full_volume,
                                    dilution,
                                    to_ground};
  const air::AcousticPush<T> push{
      force,      mass_rate,  u_tendency,         v_tendency,
      x_distance, y_distance, x_length,           y_length,
      x_open,     y_open,     u_change,           v_change,
      x_carried,  y_carried,  static_cast<T>(dt), static_cast<T>(external_damping)};
  using Rows = typename air::AcousticPush<T>::Rows;
  const air::Patches patches(box);
  force.choose([&](auto sloping, auto moist) {
    for_each_in_with(
        0, patches.count(), 1, [&] { return Rows(patches); },
        [&](int number, Rows& rows) {
          push.template advance<sloping.value, moist.value>(rows, patches.at(number));
        });
  });
}

}  // namespace halocline
