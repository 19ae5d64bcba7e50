#pragma once
#include <algorithm>
#include <cmath>

#include "atmosphere/dynamics/layers.hpp"
#include "atmosphere/dynamics/mass_fluxes.hpp"
#include "atmosphere/sides/given_sides.hpp"
#include "contract.hpp"
#include "schedules.hpp"

/// Open sides: what comes from inside goes on there (Klemp and Wilhelmson 1978, J. Atmos. Sci. 35,
/// 1070; Durran and Klemp 1983, Mon. Wea. Rev. 111, 2341).
///
/// The wind through faces on the `edge` is carried out by itself and by the speed of a wave; no
/// pressure pushes it. `outside` of the edge is what the nearest cell or face inside had when the
/// stage began.
namespace halocline {

namespace air {

/// `body(j, i, from_j, from_i)` for all marked entries of the box; from there values are taken.
template <class T, class Body>
void from_inside(Box box, View2<const T> outside, View2<const T> inward_x, View2<const T> inward_y,
                 const Body& body) {
  along_sides(box, outside, [&](int j, int a, int b) {
    for (int i = a; i < b; ++i)
      body(j, i, j + static_cast<int>(std::lround(inward_y(j, i))),
           i + static_cast<int>(std::lround(inward_x(j, i))));
  });
}

/// Momentum at faces on the edge after an acoustic step: dU/dt = -mass max(c - s u, 0) s du/dn,
/// where s is 1 if the air lies on the far side of the face, -1 if it lies on the near one.
template <class T>
void radiate(Box box, View3<const T> wind, View2<const T> mass, View2<const T> base_mass,
             View2<const T> distance, View2<const T> edge, View1<const T> c1, View1<const T> c2,
             View3<T> change, double dt, double wave_speed, int dj, int di) {
  const T step = static_cast<T>(dt), speed = static_cast<T>(wave_speed);
  const Columns<T> columns{base_mass, mass};
  const int levels = static_cast<int>(wind.extent[0]);
  along_sides(box, edge, [&](int j, int a, int b) {
    for (int i = a; i < b; ++i) {
      const int s = edge(j, i) > T(0) ? 1 : -1;
      const T both = columns.template two<T>(j, i, dj, di);
      for (int k = 0; k < levels; ++k) {
        const T here = wind(k, j, i), inside = wind(k, j + s * dj, i + s * di);
        const T outward = std::max(speed - static_cast<T>(s) * here, T(0));
        const T layer = T(0.5) * c1(k) * both + c2(k);
        change(k, j, i) += step * layer * outward * ((inside - here) / distance(j, i));
      }
    }
  });
}

/// Momentum at faces outside that leads to the wind of the nearest other face.
template <class T>
void continue_wind(Box box, View3<const T> wind, View2<const T> mass, View2<const T> mass_change,
                   View2<const T> base_mass, View2<const T> outside, View2<const T> inward_x,
                   View2<const T> inward_y, View1<const T> c1, View1<const T> c2, View3<T> change,
                   int dj, int di) {
  const Columns<T> columns{base_mass, mass};
  const int levels = static_cast<int>(wind.extent[0]);
  from_inside(box, outside, inward_x, inward_y, [&](int j, int i, int from_j, int from_i) {
    const T before = columns.template two<T>(j, i, dj, di);
    const T after = before + (mass_change(j, i) + mass_change(j - dj, i - di));
    for (int k = 0; k < levels; ++k) {
      const T half = T(0.5) * c1(k), rest = c2(k);
      change(k, j, i) =
          (half * after + rest) * wind(k, from_j, from_i) - (half * before + rest) * wind(k, j, i);
    }
  });
}

/// 0 in columns [a, b) of row j.
template <class T>
void clear(const View3<T>& to, int j, int a, int b) {
  for (int k = 0; k < static_cast<int>(to.extent[0]); ++k)
    std::fill(to.row(k, j) + a, to.row(k, j) + b, T(0));
}

}  // namespace air

inline constexpr Reach beside_x{-1, 1, 0, 0}, beside_y{0, 0, -1, 1};

inline constexpr Contract<8> atmosphere_radiate_u_contract{
    "atmosphere_radiate_u",
    {{{"u", Access::read, Place::x_face, "m s-1", "depth", beside_x},
      {"mass", Access::read, Place::center, "Pa", to_west},
      {"base_mass", Access::read, Place::center, "Pa", to_west},
      {"x_distance", Access::read, Place::x_face, "m"},
      {"x_edge", Access::read, Place::x_face, "1"},
      {"c1", Access::read, Place::none, "1", "depth"},
      {"c2", Access::read, Place::none, "Pa", "depth"},
      {"u_change", Access::update, Place::x_face, "Pa m s-1", "depth"}}}};

inline constexpr Contract<8> atmosphere_radiate_v_contract{
    "atmosphere_radiate_v",
    {{{"v", Access::read, Place::y_face, "m s-1", "depth", beside_y},
      {"mass", Access::read, Place::center, "Pa", to_south},
      {"base_mass", Access::read, Place::center, "Pa", to_south},
      {"y_distance", Access::read, Place::y_face, "m"},
      {"y_edge", Access::read, Place::y_face, "1"},
      {"c1", Access::read, Place::none, "1", "depth"},
      {"c2", Access::read, Place::none, "Pa", "depth"},
      {"v_change", Access::update, Place::y_face, "Pa m s-1", "depth"}}}};

/// Carry the wind along x out through faces on the edge in an acoustic step.
///
/// @param[in] u, mass, base_mass  of the stage's state [m s-1], [Pa]
/// @param[in] x_distance  between centres [m]
/// @param[in] x_edge      on the edge 1 where the air lies east of it, -1 where west; 0 elsewhere
/// @param[in,out] u_change  momentum per area and coordinate [Pa m s-1]
/// @param[in] dt          acoustic step [s]
/// @param[in] wave_speed  with which waves leave still air [m s-1]
template <class T>
void atmosphere_radiate_u(Box box, View3<const T> u, View2<const T> mass, View2<const T> base_mass,
                          View2<const T> x_distance, View2<const T> x_edge, View1<const T> c1,
                          View1<const T> c2, View3<T> u_change, double dt, double wave_speed) {
  air::radiate<T>(box, u, mass, base_mass, x_distance, x_edge, c1, c2, u_change, dt, wave_speed, 0,
                  1);
}

/// The same along y; arguments as in `atmosphere_radiate_u`.
template <class T>
void atmosphere_radiate_v(Box box, View3<const T> v, View2<const T> mass, View2<const T> base_mass,
                          View2<const T> y_distance, View2<const T> y_edge, View1<const T> c1,
                          View1<const T> c2, View3<T> v_change, double dt, double wave_speed) {
  air::radiate<T>(box, v, mass, base_mass, y_distance, y_edge, c1, c2, v_change, dt, wave_speed, 1,
                  0);
}

inline constexpr Contract<3> atmosphere_rest_u_contract{
    "atmosphere_rest_u",
    {{{"x_outside", Access::read, Place::x_face, "1"},
      {"x_edge", Access::read, Place::x_face, "1"},
      {"u_tendency", Access::update, Place::x_face, "Pa m s-2", "depth"}}}};

inline constexpr Contract<3> atmosphere_rest_v_contract{
    "atmosphere_rest_v",
    {{{"y_outside", Access::read, Place::y_face, "1"},
      {"y_edge", Access::read, Place::y_face, "1"},
      {"v_tendency", Access::update, Place::y_face, "Pa m s-2", "depth"}}}};

inline constexpr Contract<5> atmosphere_rest_cells_contract{
    "atmosphere_rest_cells",
    {{{"outside", Access::read, Place::center, "1"},
      {"theta_rate", Access::update, Place::center, "Pa K s-1", "depth"},
      {"w_tendency", Access::update, Place::center, "Pa m s-2", "depth+1"},
      {"geopotential_tendency", Access::update, Place::center, "m2 s-3", "depth+1"},
      {"mass_tendency", Access::update, Place::center, "Pa s-1"}}}};

inline constexpr Contract<3> atmosphere_rest_water_contract{
    "atmosphere_rest_water",
    {{{"outside", Access::read, Place::center, "1"},
      {"loss_share", Access::update, Place::center, "1", "species depth"},
      if_wanted({"gain_share", Access::update, Place::center, "1", "species depth"})}}};

/// No tendency of momentum along x at faces outside, where it would be made of values beyond the
/// grid, and on the edge.
///
/// @param[in] x_outside, x_edge  not 0 at faces outside, on the edge
/// @param[in,out] u_tendency  [Pa m s-2]
template <class T>
void atmosphere_rest_u(Box box, View2<const T> x_outside, View2<const T> x_edge,
                       View3<T> u_tendency) {
  for (const auto& marked : {x_outside, x_edge})
    air::along_sides(box, marked, [&](int j, int a, int b) { air::clear<T>(u_tendency, j, a, b); });
}

/// The same along y; arguments as in `atmosphere_rest_u`.
template <class T>
void atmosphere_rest_v(Box box, View2<const T> y_outside, View2<const T> y_edge,
                       View3<T> v_tendency) {
  for (const auto& marked : {y_outside, y_edge})
    air::along_sides(box, marked, [&](int j, int a, int b) { air::clear<T>(v_tendency, j, a, b); });
}

/// The same of cells.
///
/// @param[in] outside     not 0 in cells outside
/// @param[in,out] theta_rate, w_tendency, geopotential_tendency, mass_tendency  become 0
template <class T>
void atmosphere_rest_cells(Box box, View2<const T> outside, View3<T> theta_rate,
                           View3<T> w_tendency, View3<T> geopotential_tendency,
                           View2<T> mass_tendency) {
  air::along_sides(box, outside, [&](int j, int a, int b) {
    air::clear<T>(theta_rate, j, a, b);
    air::clear<T>(w_tendency, j, a, b);
    air::clear<T>(geopotential_tendency, j, a, b);
    std::fill(mass_tendency.row(j) + a, mass_tendency.row(j) + b, T(0));
  });
}

/// Cells outside limit no fluxes of water.
///
/// @param[in] outside     not 0 in cells outside
/// @param[in,out] loss_share, gain_share  become 1
template <class T>
void atmosphere_rest_water(Box box, View2<const T> outside, View4<T> loss_share,
                           View4<T> gain_share) {
  air::along_sides(box, outside, [&](int j, int a, int b) {
    for (const auto& share : {loss_share, gain_share})
      if (share.data != nullptr)
        for (int n = 0; n < static_cast<int>(share.extent[0]); ++n)
          for (int k = 0; k < static_cast<int>(share.extent[1]); ++k)
            std::fill(&share(n, k, j, a), &share(n, k, j, a) + (b - a), T(1));
  });
}

inline constexpr Contract<17> atmosphere_continue_cells_contract{
    "atmosphere_continue_cells",
    {{{"theta", Access::read, Place::center, "K", "depth", three_around},
      {"w", Access::read, Place::center, "m s-1", "depth+1", three_around},
      {"geopotential", Access::read, Place::center, "m2 s-2", "depth+1", three_around},
      {"mass", Access::read, Place::center, "Pa", three_around},
      {"base_theta", Access::read, Place::center, "K", "depth", three_around},
      {"base_mass", Access::read, Place::center, "Pa"},
      {"outside", Access::read, Place::center, "1"},
      {"inward_x", Access::read, Place::center, "1"},
      {"inward_y", Access::read, Place::center, "1"},
      {"c1", Access::read, Place::none, "1", "depth"},
      {"c2", Access::read, Place::none, "Pa", "depth"},
      {"c1_face", Access::read, Place::none, "1", "depth+1"},
      {"c2_face", Access::read, Place::none, "Pa", "depth+1"},
      {"theta_change", Access::update, Place::center, "Pa K", "depth"},
      {"w_change", Access::update, Place::center, "Pa m s-1", "depth+1"},
      {"geopotential_change", Access::update, Place::center, "m2 s-2", "depth+1"},
      {"mass_change", Access::update, Place::center, "Pa"}}}};

/// Changes since the stage's state of cells outside, which lead to what the nearest cell inside had
/// in that state, less the base state's.
///
/// @param[in] theta, geopotential, mass  less 300 K and the base state's
/// @param[in] outside     not 0 in cells outside
/// @param[in] inward_x, inward_y  cells to the nearest one inside [1]
/// @param[in,out] theta_change, w_change, geopotential_change, mass_change  as in acoustic steps
template <class T>
void atmosphere_continue_cells(Box box, View3<const T> theta, View3<const T> w,
                               View3<const T> geopotential, View2<const T> mass,
                               View3<const T> base_theta, View2<const T> base_mass,
                               View2<const T> outside, View2<const T> inward_x,
                               View2<const T> inward_y, View1<const T> c1, View1<const T> c2,
                               View1<const T> c1_face, View1<const T> c2_face,
                               View3<T> theta_change, View3<T> w_change,
                               View3<T> geopotential_change, View2<T> mass_change) {
  using air::layer_mass;
  const int levels = static_cast<int>(theta.extent[0]);
  air::from_inside(box, outside, inward_x, inward_y, [&](int j, int i, int from_j, int from_i) {
    const T was = base_mass(j, i) + mass(j, i), now = base_mass(j, i) + mass(from_j, from_i);
    mass_change(j, i) = mass(from_j, from_i) - mass(j, i);
    for (int k = 0; k < levels; ++k) {
      const T wanted =
          theta(k, from_j, from_i) + (base_theta(k, j, i) - base_theta(k, from_j, from_i));
      theta_change(k, j, i) = layer_mass<T>(c1(k), c2(k), now) * wanted -
                              layer_mass<T>(c1(k), c2(k), was) * theta(k, j, i);
    }
    for (int k = 0; k <= levels; ++k) {
      geopotential_change(k, j, i) = geopotential(k, from_j, from_i) - geopotential(k, j, i);
      w_change(k, j, i) = layer_mass<T>(c1_face(k), c2_face(k), now) * w(k, from_j, from_i) -
                          layer_mass<T>(c1_face(k), c2_face(k), was) * w(k, j, i);
    }
  });
}

inline constexpr Contract<10> atmosphere_continue_u_contract{
    "atmosphere_continue_u",
    {{{"u", Access::read, Place::x_face, "m s-1", "depth", three_around},
      {"mass", Access::read, Place::center, "Pa", to_west},
      {"mass_change", Access::read, Place::center, "Pa", to_west},
      {"base_mass", Access::read, Place::center, "Pa", to_west},
      {"x_outside", Access::read, Place::x_face, "1"},
      {"u_inward_x", Access::read, Place::x_face, "1"},
      {"u_inward_y", Access::read, Place::x_face, "1"},
      {"c1", Access::read, Place::none, "1", "depth"},
      {"c2", Access::read, Place::none, "Pa", "depth"},
      {"u_change", Access::update, Place::x_face, "Pa m s-1", "depth"}}}};

inline constexpr Contract<10> atmosphere_continue_v_contract{
    "atmosphere_continue_v",
    {{{"v", Access::read, Place::y_face, "m s-1", "depth", three_around},
      {"mass", Access::read, Place::center, "Pa", to_south},
      {"mass_change", Access::read, Place::center, "Pa", to_south},
      {"base_mass", Access::read, Place::center, "Pa", to_south},
      {"y_outside", Access::read, Place::y_face, "1"},
      {"v_inward_x", Access::read, Place::y_face, "1"},
      {"v_inward_y", Access::read, Place::y_face, "1"},
      {"c1", Access::read, Place::none, "1", "depth"},
      {"c2", Access::read, Place::none, "Pa", "depth"},
      {"v_change", Access::update, Place::y_face, "Pa m s-1", "depth"}}}};

/// Changes of momentum along x at faces outside, which lead to the wind that the nearest face on
/// the edge or inside had in the stage's state; after `atmosphere_continue_cells`.
///
/// @param[in] u, mass, base_mass  of the stage's state [m s-1], [Pa]
/// @param[in] mass_change  since that state [Pa]
/// @param[in] x_outside    not 0 at faces outside
/// @param[in] u_inward_x, u_inward_y  faces to the nearest one [1]
/// @param[in,out] u_change  momentum per area and coordinate [Pa m s-1]
template <class T>
void atmosphere_continue_u(Box box, View3<const T> u, View2<const T> mass,
                           View2<const T> mass_change, View2<const T> base_mass,
                           View2<const T> x_outside, View2<const T> u_inward_x,
                           View2<const T> u_inward_y, View1<const T> c1, View1<const T> c2,
                           View3<T> u_change) {
  air::continue_wind<T>(box, u, mass, mass_change, base_mass, x_outside, u_inward_x, u_inward_y, c1,
                        c2, u_change, 0, 1);
}

/// The same along y; arguments as in `atmosphere_continue_u`.
template <class T>
void atmosphere_continue_v(Box box, View3<const T> v, View2<const T> mass,
                           View2<const T> mass_change, View2<const T> base_mass,
                           View2<const T> y_outside, View2<const T> v_inward_x,
                           View2<const T> v_inward_y, View1<const T> c1, View1<const T> c2,
                           View3<T> v_change) {
  air::continue_wind<T>(box, v, mass, mass_change, base_mass, y_outside, v_inward_x, v_inward_y, c1,
                        c2, v_change, 1, 0);
}

inline constexpr Contract<5> atmosphere_continue_water_contract{
    "atmosphere_continue_water",
    {{{"water", Access::read, Place::center, "1", "species depth", three_around},
      {"outside", Access::read, Place::center, "1"},
      {"inward_x", Access::read, Place::center, "1"},
      {"inward_y", Access::read, Place::center, "1"},
      {"next_water", Access::update, Place::center, "1", "species depth"}}}};

/// Mixing ratios of cells outside become what the nearest cell inside had.
///
/// @param[in] water       of the stage's state [1]
/// @param[in] outside, inward_x, inward_y  as in `atmosphere_continue_cells`
/// @param[in,out] next_water  [1]
template <class T>
void atmosphere_continue_water(Box box, View4<const T> water, View2<const T> outside,
                               View2<const T> inward_x, View2<const T> inward_y,
                               View4<T> next_water) {
  const int kinds = static_cast<int>(water.extent[0]), levels = static_cast<int>(water.extent[1]);
  air::from_inside(box, outside, inward_x, inward_y, [&](int j, int i, int from_j, int from_i) {
    for (int n = 0; n < kinds; ++n)
      for (int k = 0; k < levels; ++k) next_water(n, k, j, i) = water(n, k, from_j, from_i);
  });
}

inline constexpr Contract<5> atmosphere_continue_energy_contract{
    "atmosphere_continue_energy",
    {{{"stage_energy", Access::read, Place::center, "m2 s-2", "depth", three_around},
      {"outside", Access::read, Place::center, "1"},
      {"inward_x", Access::read, Place::center, "1"},
      {"inward_y", Access::read, Place::center, "1"},
      {"next_energy", Access::update, Place::center, "m2 s-2", "depth"}}}};

/// The energy of eddies in cells outside becomes what the nearest cell inside had.
///
/// @param[in] stage_energy  of the stage's state [m2 s-2]
/// @param[in] outside, inward_x, inward_y  as in `atmosphere_continue_cells`
/// @param[in,out] next_energy  [m2 s-2]
template <class T>
void atmosphere_continue_energy(Box box, View3<const T> stage_energy, View2<const T> outside,
                                View2<const T> inward_x, View2<const T> inward_y,
                                View3<T> next_energy) {
  const int levels = static_cast<int>(stage_energy.extent[0]);
  air::from_inside(box, outside, inward_x, inward_y, [&](int j, int i, int from_j, int from_i) {
    for (int k = 0; k < levels; ++k) next_energy(k, j, i) = stage_energy(k, from_j, from_i);
  });
}

}  // namespace halocline
