#pragma once
#include "atmosphere/dynamics/mass_fluxes.hpp"
#include "atmosphere/dynamics/pressure_force.hpp"
#include "contract.hpp"

/// The horizontal half of an acoustic step.
namespace halocline {

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
  const air::Layers<T> layers{c1, c2, {}, {}, thickness, {}, upper_share};
  const air::PressureForce<T> force{
      layers,      {base_mass, mass},   mass_change,   pressure_change, geopotential_change,
      full_volume, middle_geopotential, base_pressure, full_volume,     dilution,
      to_ground};
  const T step = static_cast<T>(dt), damping = static_cast<T>(external_damping);
  const int levels = static_cast<int>(full_volume.extent[0]);
  for_pairs(levels, box.j0, box.j1, 1, [&](int k, int j) {
    over_row<T>(box.i0, box.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) INTO_LOOP {
      // the momentum of a face after the step
      const auto pushed = [&](const View3<T>& change, const View3<const T>& tendency,
                              const View2<const T>& distance, const View2<const T>& open, int dj,
                              int di) INTO_LOOP {
        const V apart = load<V>(distance.row(j) + i);
        const V rate =
            load<V>(tendency.row(k, j) + i) + force.template at<V>(k, j, i, dj, di) / apart;
        const V uneven = load<V>(mass_rate.row(j) + i) - load<V>(mass_rate.row(j - dj) + i - di);
        const V more = step * rate - damping * apart * uneven;
        return V(load<V>(change.row(k, j) + i) + load<V>(open.row(j) + i) * more);
      };
      // both are found before either is stored, so that what they share is loaded once
      const V east = pushed(u_change, u_tendency, x_distance, x_open, 0, 1);
      const V north = pushed(v_change, v_tendency, y_distance, y_open, 1, 0);
      const auto keep = [&](const View3<T>& change, const View2<const T>& length,
                            const View3<T>& carried, V now) INTO_LOOP {
        air::put<V>(change.row(k, j) + i, now);
        if (carried.data != nullptr)
          air::put<V>(carried.row(k, j) + i,
                      load<V>(carried.row(k, j) + i) + now * load<V>(length.row(j) + i));
      };
      keep(u_change, x_length, x_carried, east);
      keep(v_change, y_length, y_carried, north);
    });
  });
}

}  // namespace halocline
