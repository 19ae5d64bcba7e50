#pragma once
#include <cmath>

#include "atmosphere/constants.hpp"
#include "atmosphere/dynamics/layers.hpp"
#include "atmosphere/dynamics/mass_fluxes.hpp"
#include "contract.hpp"
#include "numerics/row_loops.hpp"
#include "schedules.hpp"

/// Sides of a limited area: outer rows follow given values, the next ones are drawn to them (Davies
/// 1976, Quart. J. R. Met. Soc. 102, 405; Skamarock et al. 2019, NCAR/TN-556, section 6.4).
///
/// Given values are linear in time between two moments, `before` and `after`, and `share` of the
/// way from one to the other has passed.
namespace halocline {

namespace air {

/// `body(j, a, b)` for the stretches [a, b) of all rows of the box where `marked` is not 0.
template <class T, class Body>
void along_sides(Box box, View2<const T> marked, const Body& body) {
  for_rows(box, [&](int j) {
    const T* row = marked.row(j);
    for (int i = box.i0; i < box.i1;) {
      while (i < box.i1 && row[i] == T(0)) ++i;
      const int a = i;
      while (i < box.i1 && row[i] != T(0)) ++i;
      if (a < i) body(j, a, i);
    }
  });
}

/// What is given of one field: values of two moments and a weight between them.
template <class View, class T>
struct Given {
  View before, after;
  T share;

  template <class V>
  INLINE V of(const T* old_value, const T* new_value) const {
    const V old = load<V>(old_value);
    return old + share * (load<V>(new_value) - old);
  }
  template <class V>
  INLINE V at(int k, int j, std::ptrdiff_t i) const {
    return of<V>(before.row(k, j) + i, after.row(k, j) + i);
  }
  template <class V>
  INLINE V at(int j, std::ptrdiff_t i) const {
    return of<V>(before.row(j) + i, after.row(j) + i);
  }
};

/// How fast what is too little grows, and its differences from its neighbours vanish [s-1].
template <class T>
struct Drawing {
  T pull, smoothing;

  /// `lacking(dj, di)` is what a cell and its neighbours lack.
  template <class V, class Lacking>
  INLINE V rate(V weight, const Lacking& lacking) const {
    const V here = lacking(0, 0);
    const V around = (lacking(0, -1) + lacking(0, 1)) + (lacking(-1, 0) + lacking(1, 0));
    return weight * (pull * here - smoothing * (around - T(4) * here));
  }
};

/// What the momentum at faces lacks; members are arguments of the kernel.
template <class T>
struct LackingWind {
  View3<const T> wind;
  Given<View3<const T>, T> given;
  View2<const T> mass, base_mass;
  Given<View2<const T>, T> given_mass;
  View1<const T> c1, c2;

  /// At a face between a cell and the one dj rows, di columns before it.
  template <class V>
  INLINE V at(int k, int j, std::ptrdiff_t i, int dj, int di) const {
    const V base = load<V>(base_mass.row(j) + i) + load<V>(base_mass.row(j - dj) + i - di);
    const V more = load<V>(mass.row(j) + i) + load<V>(mass.row(j - dj) + i - di);
    const V wanted = given_mass.template at<V>(j, i) + given_mass.template at<V>(j - dj, i - di);
    const T half = T(0.5) * c1(k), rest = c2(k);
    return (half * (base + wanted) + rest) * given.template at<V>(k, j, i) -
           (half * (base + more) + rest) * load<V>(wind.row(k, j) + i);
  }
};

}  // namespace air

inline constexpr Reach cross{-1, 1, -1, 1}, cross_and_west{-2, 1, -1, 1},
    cross_and_south{-1, 1, -2, 1}, three_around{-3, 3, -3, 3};

inline constexpr Contract<11> atmosphere_draw_u_contract{
    "atmosphere_draw_u",
    {{{"u", Access::read, Place::x_face, "m s-1", "depth", cross},
      {"before_u", Access::read, Place::x_face, "m s-1", "depth", cross},
      {"after_u", Access::read, Place::x_face, "m s-1", "depth", cross},
      {"mass", Access::read, Place::center, "Pa", cross_and_west},
      {"base_mass", Access::read, Place::center, "Pa", cross_and_west},
      {"before_mass", Access::read, Place::center, "Pa", cross_and_west},
      {"after_mass", Access::read, Place::center, "Pa", cross_and_west},
      {"x_drawn", Access::read, Place::x_face, "1"},
      {"c1", Access::read, Place::none, "1", "depth"},
      {"c2", Access::read, Place::none, "Pa", "depth"},
      {"u_tendency", Access::update, Place::x_face, "Pa m s-2", "depth"}}}};

/// Draw momentum along x to that of given values, where faces are marked (Skamarock et al. 2019,
/// equations 6.5 to 6.7).
///
/// @param[in] u, mass, base_mass  of the stage's state [m s-1], [Pa]
/// @param[in] before_u, after_u, before_mass, after_mass  given values
/// @param[in] x_drawn    weight, 0 where nothing is drawn [1]
/// @param[in,out] u_tendency  [Pa m s-2]
/// @param[in] share      of the way from `before` to `after` [1]
/// @param[in] pull, smoothing  of what is lacking and of its Laplacian per cell [s-1]
template <class T>
void atmosphere_draw_u(Box box, View3<const T> u, View3<const T> before_u, View3<const T> after_u,
                       View2<const T> mass, View2<const T> base_mass, View2<const T> before_mass,
                       View2<const T> after_mass, View2<const T> x_drawn, View1<const T> c1,
                       View1<const T> c2, View3<T> u_tendency, double share, double pull,
                       double smoothing) {
  const T part = static_cast<T>(share);
  const air::LackingWind<T> lacking{
      u, {before_u, after_u, part}, mass, base_mass, {before_mass, after_mass, part}, c1, c2};
  const air::Drawing<T> drawing{static_cast<T>(pull), static_cast<T>(smoothing)};
  const int levels = static_cast<int>(u.extent[0]);
  air::along_sides(box, x_drawn, [&](int j, int a, int b) {
    for (int k = 0; k < levels; ++k)
      over_row<T>(a, b, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
        const auto of = [&](int dj, int di) {
          return lacking.template at<V>(k, j + dj, i + di, 0, 1);
        };
        const V more = drawing.template rate<V>(load<V>(x_drawn.row(j) + i), of);
        store<V>(u_tendency.row(k, j) + i, load<V>(u_tendency.row(k, j) + i) + more);
      });
  });
}

inline constexpr Contract<11> atmosphere_draw_v_contract{
    "atmosphere_draw_v",
    {{{"v", Access::read, Place::y_face, "m s-1", "depth", cross},
      {"before_v", Access::read, Place::y_face, "m s-1", "depth", cross},
      {"after_v", Access::read, Place::y_face, "m s-1", "depth", cross},
      {"mass", Access::read, Place::center, "Pa", cross_and_south},
      {"base_mass", Access::read, Place::center, "Pa", cross_and_south},
      {"before_mass", Access::read, Place::center, "Pa", cross_and_south},
      {"after_mass", Access::read, Place::center, "Pa", cross_and_south},
      {"y_drawn", Access::read, Place::y_face, "1"},
      {"c1", Access::read, Place::none, "1", "depth"},
      {"c2", Access::read, Place::none, "Pa", "depth"},
      {"v_tendency", Access::update, Place::y_face, "Pa m s-2", "depth"}}}};

/// Draw momentum along y to that of given values; arguments as in `atmosphere_draw_u`.
template <class T>
void atmosphere_draw_v(Box box, View3<const T> v, View3<const T> before_v, View3<const T> after_v,
                       View2<const T> mass, View2<const T> base_mass, View2<const T> before_mass,
                       View2<const T> after_mass, View2<const T> y_drawn, View1<const T> c1,
                       View1<const T> c2, View3<T> v_tendency, double share, double pull,
                       double smoothing) {
  const T part = static_cast<T>(share);
  const air::LackingWind<T> lacking{
      v, {before_v, after_v, part}, mass, base_mass, {before_mass, after_mass, part}, c1, c2};
  const air::Drawing<T> drawing{static_cast<T>(pull), static_cast<T>(smoothing)};
  const int levels = static_cast<int>(v.extent[0]);
  air::along_sides(box, y_drawn, [&](int j, int a, int b) {
    for (int k = 0; k < levels; ++k)
      over_row<T>(a, b, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
        const auto of = [&](int dj, int di) {
          return lacking.template at<V>(k, j + dj, i + di, 1, 0);
        };
        const V more = drawing.template rate<V>(load<V>(y_drawn.row(j) + i), of);
        store<V>(v_tendency.row(k, j) + i, load<V>(v_tendency.row(k, j) + i) + more);
      });
  });
}

inline constexpr Contract<16> atmosphere_draw_cells_contract{
    "atmosphere_draw_cells",
    {{{"theta", Access::read, Place::center, "K", "depth", cross},
      {"geopotential", Access::read, Place::center, "m2 s-2", "depth+1", cross},
      {"mass", Access::read, Place::center, "Pa", cross},
      {"base_mass", Access::read, Place::center, "Pa", cross},
      {"before_theta", Access::read, Place::center, "K", "depth", cross},
      {"after_theta", Access::read, Place::center, "K", "depth", cross},
      {"before_geopotential", Access::read, Place::center, "m2 s-2", "depth+1", cross},
      {"after_geopotential", Access::read, Place::center, "m2 s-2", "depth+1", cross},
      {"before_mass", Access::read, Place::center, "Pa", cross},
      {"after_mass", Access::read, Place::center, "Pa", cross},
      {"drawn", Access::read, Place::center, "1"},
      {"c1", Access::read, Place::none, "1", "depth"},
      {"c2", Access::read, Place::none, "Pa", "depth"},
      {"theta_rate", Access::update, Place::center, "Pa K s-1", "depth"},
      {"geopotential_tendency", Access::update, Place::center, "m2 s-3", "depth+1"},
      {"mass_tendency", Access::update, Place::center, "Pa s-1"}}}};

/// Draw heat, geopotential and mass to those of given values; other arguments as in
/// `atmosphere_draw_u`.
///
/// @param[in] theta, geopotential, mass  of the stage's state, less 300 K and the base state's
/// @param[in,out] theta_rate, geopotential_tendency, mass_tendency  [Pa K s-1], [m2 s-3], [Pa s-1]
template <class T>
void atmosphere_draw_cells(Box box, View3<const T> theta, View3<const T> geopotential,
                           View2<const T> mass, View2<const T> base_mass,
                           View3<const T> before_theta, View3<const T> after_theta,
                           View3<const T> before_geopotential, View3<const T> after_geopotential,
                           View2<const T> before_mass, View2<const T> after_mass,
                           View2<const T> drawn, View1<const T> c1, View1<const T> c2,
                           View3<T> theta_rate, View3<T> geopotential_tendency,
                           View2<T> mass_tendency, double share, double pull, double smoothing) {
  using namespace air;
  const T part = static_cast<T>(share);
  const Given<View3<const T>, T> heat{before_theta, after_theta, part},
      lift{before_geopotential, after_geopotential, part};
  const Given<View2<const T>, T> column{before_mass, after_mass, part};
  const Drawing<T> drawing{static_cast<T>(pull), static_cast<T>(smoothing)};
  const int levels = static_cast<int>(theta.extent[0]);
  along_sides(box, drawn, [&](int j, int a, int b) {
    const auto draw = [&](T* tendency, const auto& lacking) {
      over_row<T>(a, b, [&]<class V>(Lane<V> lane, std::ptrdiff_t i) {
        const auto of = [&](int dj, int di) { return lacking(lane, j + dj, i + di); };
        const V more = drawing.template rate<V>(load<V>(drawn.row(j) + i), of);
        store<V>(tendency + i, load<V>(tendency + i) + more);
      });
    };
    draw(mass_tendency.row(j), [&]<class V>(Lane<V>, int j, std::ptrdiff_t i) {
      return column.template at<V>(j, i) - load<V>(mass.row(j) + i);
    });
    for (int k = 0; k < levels; ++k) {
      draw(theta_rate.row(k, j), [&]<class V>(Lane<V>, int j, std::ptrdiff_t i) {
        const V base = load<V>(base_mass.row(j) + i);
        const V wanted = layer_mass<V>(c1(k), c2(k), base + column.template at<V>(j, i));
        const V has = layer_mass<V>(c1(k), c2(k), base + load<V>(mass.row(j) + i));
        return wanted * heat.template at<V>(k, j, i) - has * load<V>(theta.row(k, j) + i);
      });
      draw(geopotential_tendency.row(k + 1, j), [&]<class V>(Lane<V>, int j, std::ptrdiff_t i) {
        return lift.template at<V>(k + 1, j, i) - load<V>(geopotential.row(k + 1, j) + i);
      });
    }
  });
}

inline constexpr Contract<6> atmosphere_given_u_contract{
    "atmosphere_given_u",
    {{{"old_u", Access::read, Place::x_face, "m s-1", "depth"},
      {"before_u", Access::read, Place::x_face, "m s-1", "depth"},
      {"after_u", Access::read, Place::x_face, "m s-1", "depth"},
      {"x_given", Access::read, Place::x_face, "1"},
      {"u", Access::update, Place::x_face, "m s-1", "depth"},
      {"u_change", Access::update, Place::x_face, "Pa m s-1", "depth"}}}};

inline constexpr Contract<6> atmosphere_given_v_contract{
    "atmosphere_given_v",
    {{{"old_v", Access::read, Place::y_face, "m s-1", "depth"},
      {"before_v", Access::read, Place::y_face, "m s-1", "depth"},
      {"after_v", Access::read, Place::y_face, "m s-1", "depth"},
      {"y_given", Access::read, Place::y_face, "1"},
      {"v", Access::update, Place::y_face, "m s-1", "depth"},
      {"v_change", Access::update, Place::y_face, "Pa m s-1", "depth"}}}};

/// Wind along x on given faces, on the way of a step from what it was to what is given at its end;
/// what changes it in acoustic steps is 0.
///
/// @param[in] old_u      at the beginning of the step [m s-1]
/// @param[in] before_u, after_u  given values
/// @param[in] x_given    not 0 on given faces
/// @param[in,out] u, u_change  [m s-1], [Pa m s-1]
/// @param[in] share      of the way from `before` to `after` at the end of the step [1]
/// @param[in] elapsed    of the step [1]
template <class T>
void atmosphere_given_u(Box box, View3<const T> old_u, View3<const T> before_u,
                        View3<const T> after_u, View2<const T> x_given, View3<T> u,
                        View3<T> u_change, double share, double elapsed) {
  const air::Given<View3<const T>, T> wanted{before_u, after_u, static_cast<T>(share)};
  const T done = static_cast<T>(elapsed);
  const int levels = static_cast<int>(u.extent[0]);
  air::along_sides(box, x_given, [&](int j, int a, int b) {
    for (int k = 0; k < levels; ++k)
      over_row<T>(a, b, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
        const V old = load<V>(old_u.row(k, j) + i);
        store<V>(u.row(k, j) + i, old + done * (wanted.template at<V>(k, j, i) - old));
        store<V>(u_change.row(k, j) + i, V{});
      });
  });
}

/// The same along y; arguments as in `atmosphere_given_u`.
template <class T>
void atmosphere_given_v(Box box, View3<const T> old_v, View3<const T> before_v,
                        View3<const T> after_v, View2<const T> y_given, View3<T> v,
                        View3<T> v_change, double share, double elapsed) {
  atmosphere_given_u<T>(box, old_v, before_v, after_v, y_given, v, v_change, share, elapsed);
}

inline constexpr Contract<24> atmosphere_given_cells_contract{
    "atmosphere_given_cells",
    {{{"theta", Access::read, Place::center, "K", "depth"},
      {"geopotential", Access::read, Place::center, "m2 s-2", "depth+1", {}, Column::whole},
      {"mass", Access::read, Place::center, "Pa"},
      {"old_theta", Access::read, Place::center, "K", "depth"},
      {"old_geopotential", Access::read, Place::center, "m2 s-2", "depth+1", {}, Column::whole},
      {"old_mass", Access::read, Place::center, "Pa"},
      {"before_theta", Access::read, Place::center, "K", "depth"},
      {"after_theta", Access::read, Place::center, "K", "depth"},
      {"before_geopotential", Access::read, Place::center, "m2 s-2", "depth+1", {}, Column::whole},
      {"after_geopotential", Access::read, Place::center, "m2 s-2", "depth+1", {}, Column::whole},
      {"before_mass", Access::read, Place::center, "Pa"},
      {"after_mass", Access::read, Place::center, "Pa"},
      {"base_mass", Access::read, Place::center, "Pa"},
      {"full_volume", Access::read, Place::center, "m3 kg-1", "depth"},
      {"stiffness", Access::read, Place::center, "Pa", "depth"},
      {"given", Access::read, Place::center, "1"},
      {"c1", Access::read, Place::none, "1", "depth"},
      {"c2", Access::read, Place::none, "Pa", "depth"},
      {"thickness", Access::read, Place::none, "1", "depth"},
      {"theta_change", Access::update, Place::center, "Pa K", "depth"},
      {"geopotential_change", Access::update, Place::center, "m2 s-2", "depth+1"},
      {"pressure_change", Access::update, Place::center, "Pa", "depth"},
      {"mass_change", Access::update, Place::center, "Pa"},
      {"mass_rate", Access::update, Place::center, "Pa s-1"}}}};

/// Changes since the stage's state of given cells after an acoustic step: mass, heat and
/// geopotential are on the way of a step from what they were to what is given at its end.
///
/// @param[in] theta, geopotential, mass, full_volume, stiffness  of the stage's state
/// @param[in] old_theta, old_geopotential, old_mass  at the beginning of the step
/// @param[in] given      not 0 in given cells
/// @param[in,out] theta_change, geopotential_change, mass_change  as in acoustic steps
/// @param[in,out] pressure_change, mass_rate  [Pa], [Pa s-1]
/// @param[in] share      of the way from `before` to `after` at the end of the step [1]
/// @param[in] elapsed    of the step after the acoustic one [1]
/// @param[in] ahead      by how much of the step the pressure looks ahead [1]
/// @param[in] dt         the step [s]
template <class T>
void atmosphere_given_cells(Box box, View3<const T> theta, View3<const T> geopotential,
                            View2<const T> mass, View3<const T> old_theta,
                            View3<const T> old_geopotential, View2<const T> old_mass,
                            View3<const T> before_theta, View3<const T> after_theta,
                            View3<const T> before_geopotential, View3<const T> after_geopotential,
                            View2<const T> before_mass, View2<const T> after_mass,
                            View2<const T> base_mass, View3<const T> full_volume,
                            View3<const T> stiffness, View2<const T> given, View1<const T> c1,
                            View1<const T> c2, View1<const T> thickness, View3<T> theta_change,
                            View3<T> geopotential_change, View3<T> pressure_change,
                            View2<T> mass_change, View2<T> mass_rate, double share, double elapsed,
                            double ahead, double dt) {
  using namespace air;
  const T part = static_cast<T>(share), done = static_cast<T>(elapsed);
  const T later = static_cast<T>(elapsed + ahead), per_step = static_cast<T>(1.0 / dt);
  const Given<View3<const T>, T> heat{before_theta, after_theta, part},
      lift{before_geopotential, after_geopotential, part};
  const Given<View2<const T>, T> column{before_mass, after_mass, part};
  const int levels = static_cast<int>(theta.extent[0]);
  const T reference = static_cast<T>(reference_temperature);
  along_sides(box, given, [&](int j, int a, int b) {
    // at a part of the step
    const auto mass_at = [&]<class V>(Lane<V>, std::ptrdiff_t i, T when) {
      const V old = load<V>(old_mass.row(j) + i);
      return old + when * (column.template at<V>(j, i) - old);
    };
    const auto lifted = [&]<class V>(Lane<V>, int k, std::ptrdiff_t i, T when) {
      const V old = load<V>(old_geopotential.row(k, j) + i);
      const V now = old + when * (lift.template at<V>(k, j, i) - old);
      return now - load<V>(geopotential.row(k, j) + i);
    };
    over_row<T>(a, b, [&]<class V>(Lane<V> lane, std::ptrdiff_t i) {
      const V old = load<V>(old_mass.row(j) + i);
      store<V>(mass_change.row(j) + i, mass_at(lane, i, done) - load<V>(mass.row(j) + i));
      store<V>(mass_rate.row(j) + i, per_step * (column.template at<V>(j, i) - old));
    });
    for (int k = 0; k < levels; ++k)
      over_row<T>(a, b, [&]<class V>(Lane<V> lane, std::ptrdiff_t i) {
        const V base = load<V>(base_mass.row(j) + i), was = load<V>(mass.row(j) + i);
        const V warm = load<V>(theta.row(k, j) + i), old = load<V>(old_theta.row(k, j) + i);
        const V layer = layer_mass<V>(c1(k), c2(k), base + was);
        const auto heated = [&](T when) {
          const V now = layer_mass<V>(c1(k), c2(k), base + mass_at(lane, i, when));
          return now * (old + when * (heat.template at<V>(k, j, i) - old)) - layer * warm;
        };
        store<V>(theta_change.row(k, j) + i, heated(done));
        const V more = heated(later) + reference * c1(k) * (mass_at(lane, i, later) - was);
        const V deeper = lifted(lane, k + 1, i, later) - lifted(lane, k, i, later);
        const V depth = load<V>(full_volume.row(k, j) + i) * layer * thickness(k);
        store<V>(pressure_change.row(k, j) + i,
                 load<V>(stiffness.row(k, j) + i) *
                     (more / (layer * (warm + reference)) - deeper / depth));
      });
    for (int k = 0; k <= levels; ++k)
      over_row<T>(a, b, [&]<class V>(Lane<V> lane, std::ptrdiff_t i) {
        store<V>(geopotential_change.row(k, j) + i, lifted(lane, k, i, done));
      });
  });
}

inline constexpr Contract<11> atmosphere_given_w_contract{
    "atmosphere_given_w",
    {{{"w", Access::read, Place::center, "m s-1", "depth+1"},
      {"old_w", Access::read, Place::center, "m s-1", "depth+1"},
      {"before_w", Access::read, Place::center, "m s-1", "depth+1"},
      {"after_w", Access::read, Place::center, "m s-1", "depth+1"},
      {"mass", Access::read, Place::center, "Pa"},
      {"base_mass", Access::read, Place::center, "Pa"},
      {"mass_change", Access::read, Place::center, "Pa"},
      {"given", Access::read, Place::center, "1"},
      {"c1_face", Access::read, Place::none, "1", "depth+1"},
      {"c2_face", Access::read, Place::none, "Pa", "depth+1"},
      {"w_change", Access::update, Place::center, "Pa m s-1", "depth+1"}}}};

/// The same of upward momentum, after that of mass; arguments as in `atmosphere_given_cells`.
template <class T>
void atmosphere_given_w(Box box, View3<const T> w, View3<const T> old_w, View3<const T> before_w,
                        View3<const T> after_w, View2<const T> mass, View2<const T> base_mass,
                        View2<const T> mass_change, View2<const T> given, View1<const T> c1_face,
                        View1<const T> c2_face, View3<T> w_change, double share, double elapsed) {
  const air::Given<View3<const T>, T> wanted{before_w, after_w, static_cast<T>(share)};
  const T done = static_cast<T>(elapsed);
  const int interfaces = static_cast<int>(w.extent[0]);
  air::along_sides(box, given, [&](int j, int a, int b) {
    for (int k = 0; k < interfaces; ++k)
      over_row<T>(a, b, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
        const V was = load<V>(base_mass.row(j) + i) + load<V>(mass.row(j) + i);
        const V now = was + load<V>(mass_change.row(j) + i);
        const V old = load<V>(old_w.row(k, j) + i);
        const V rising = old + done * (wanted.template at<V>(k, j, i) - old);
        store<V>(w_change.row(k, j) + i,
                 air::layer_mass<V>(c1_face(k), c2_face(k), now) * rising -
                     air::layer_mass<V>(c1_face(k), c2_face(k), was) * load<V>(w.row(k, j) + i));
      });
  });
}

inline constexpr Contract<10> atmosphere_inner_w_contract{
    "atmosphere_inner_w",
    {{{"w", Access::read, Place::center, "m s-1", "depth+1", three_around},
      {"mass", Access::read, Place::center, "Pa"},
      {"base_mass", Access::read, Place::center, "Pa"},
      {"mass_change", Access::read, Place::center, "Pa"},
      {"given", Access::read, Place::center, "1"},
      {"inward_x", Access::read, Place::center, "1"},
      {"inward_y", Access::read, Place::center, "1"},
      {"c1_face", Access::read, Place::none, "1", "depth+1"},
      {"c2_face", Access::read, Place::none, "Pa", "depth+1"},
      {"w_change", Access::update, Place::center, "Pa m s-1", "depth+1"}}}};

/// Where no upward wind is given, given cells take that of the nearest cell inside, in the stage's
/// state.
///
/// @param[in] inward_x, inward_y  cells to it [1]
/// @param[in] w, mass, given      as in `atmosphere_given_cells`
/// @param[in,out] w_change        [Pa m s-1]
template <class T>
void atmosphere_inner_w(Box box, View3<const T> w, View2<const T> mass, View2<const T> base_mass,
                        View2<const T> mass_change, View2<const T> given, View2<const T> inward_x,
                        View2<const T> inward_y, View1<const T> c1_face, View1<const T> c2_face,
                        View3<T> w_change) {
  const int interfaces = static_cast<int>(w.extent[0]);
  air::along_sides(box, given, [&](int j, int a, int b) {
    for (int i = a; i < b; ++i) {
      const int from_j = j + static_cast<int>(std::lround(inward_y(j, i)));
      const int from_i = i + static_cast<int>(std::lround(inward_x(j, i)));
      const T was = base_mass(j, i) + mass(j, i), now = was + mass_change(j, i);
      for (int k = 0; k < interfaces; ++k)
        w_change(k, j, i) = air::layer_mass<T>(c1_face(k), c2_face(k), now) * w(k, from_j, from_i) -
                            air::layer_mass<T>(c1_face(k), c2_face(k), was) * w(k, j, i);
    }
  });
}

}  // namespace halocline
