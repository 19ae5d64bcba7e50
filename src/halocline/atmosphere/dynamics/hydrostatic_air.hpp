#pragma once
#include "atmosphere/dynamics/acoustic_columns.hpp"
#include "atmosphere/dynamics/new_stage.hpp"
#include "atmosphere/dynamics/rise_tendency.hpp"
#include "contract.hpp"

/// Air whose pressure is the weight of what lies above (Skamarock et al. 2019, NCAR/TN-556, section
/// 3.2.4): depths of layers follow from the law of gases, and upward wind from how they move.
namespace halocline {

namespace air {

/// (1 + x)^(5/7) - 1 without loss of digits where x is small: what `grown_by_gamma` makes x.
template <class V>
INLINE V grown_by_inverse_gamma(V x) {
  using T = scalar_of<V>;
  V y = T(5) / 7 * x * (T(1) - x / T(7));
  for (int n = 0; n < 3; ++n) {  // Newton's steps: to 1e-14 for |x| < 0.3
    const V found = grown_by_gamma<V>(y);
    y -= (found - x) * (T(1) + y) / (T(1.4) * (T(1) + found));
  }
  return y;
}

/// What mass weighs in columns of air with water in it, if `dilution` is there.
template <class T>
struct Weights {
  Layers<T> layers;
  View3<const T> dilution;

  /// Dry mass over all mass at interface k.
  template <class V>
  INLINE V share(int k, int j, std::ptrdiff_t i) const {
    if (dilution.data == nullptr) return splat<V>(T(1));
    const V below = load<V>(dilution.row(k - 1, j) + i);
    if (k == dilution.extent[0]) return below;
    return at_interface<V>(layers.upper_share(k), load<V>(dilution.row(k, j) + i), below);
  }
};

}  // namespace air

inline constexpr Contract<28> atmosphere_hydrostatic_columns_contract{
    "atmosphere_hydrostatic_columns",
    {{{"u_change", Access::read, Place::x_face, "Pa m s-1", "depth", to_east, Column::whole},
      {"v_change", Access::read, Place::y_face, "Pa m s-1", "depth", to_north, Column::whole},
      {"theta", Access::read, Place::center, "K", "depth", around, Column::whole},
      {"full_volume", Access::read, Place::center, "m3 kg-1", "depth", {}, Column::whole},
      {"stiffness", Access::read, Place::center, "Pa", "depth", {}, Column::whole},
      {"theta_rate", Access::read, Place::center, "Pa K s-1", "depth", {}, Column::whole},
      if_wanted({"dilution", Access::read, Place::center, "1", "depth", {}, Column::whole}),
      {"mass", Access::read, Place::center, "Pa"},
      {"base_mass", Access::read, Place::center, "Pa"},
      {"mass_tendency", Access::read, Place::center, "Pa s-1"},
      {"x_length", Access::read, Place::x_face, "m", to_east},
      {"y_length", Access::read, Place::y_face, "m", to_north},
      {"area", Access::read, Place::center, "m2"},
      {"x_slope", Access::read, Place::x_face, "1", to_east},
      {"y_slope", Access::read, Place::y_face, "1", to_north},
      {"to_ground", Access::read, Place::none, "1", "3"},
      {"c1", Access::read, Place::none, "1", "depth"},
      {"c2", Access::read, Place::none, "Pa", "depth"},
      {"c1_face", Access::read, Place::none, "1", "depth+1"},
      {"thickness", Access::read, Place::none, "1", "depth"},
      {"spacing", Access::read, Place::none, "1", "depth+1"},
      {"upper_share", Access::read, Place::none, "1", "depth+1"},
      {"theta_change", Access::update, Place::center, "Pa K", "depth", {}, Column::whole},
      {"w_change", Access::update, Place::center, "Pa m s-1", "depth+1"},
      {"geopotential_change", Access::write, Place::center, "m2 s-2", "depth+1"},
      {"pressure_change", Access::write, Place::center, "Pa", "depth"},
      {"mass_change", Access::update, Place::center, "Pa"},
      {"mass_rate", Access::write, Place::center, "Pa s-1"}}}};

/// As `atmosphere_acoustic_columns`, of hydrostatic air: mass of columns, heat, then the pressure
/// of the new mass, with the water of the stage, and the geopotential of layers D'' = D (H'' / H -
/// p'' / (gamma p)) deeper. Upward momentum changes at the ground alone, along its slopes.
///
/// @param[in] u_change ... dilution, mass ... to_ground  as there
/// @param[in,out] theta_change   heat less 300 K times mass [Pa K]
/// @param[in,out] w_change       upward momentum [Pa m s-1]
/// @param[out] geopotential_change  [m2 s-2]
/// @param[out] pressure_change   as it will be `divergence_damping` steps later [Pa]
/// @param[in,out] mass_change    [Pa]
/// @param[out] mass_rate         of columns [Pa s-1]
/// @param[in] dt                 acoustic step [s]
template <class T>
void atmosphere_hydrostatic_columns(
    Box box, View3<const T> u_change, View3<const T> v_change, View3<const T> theta,
    View3<const T> full_volume, View3<const T> stiffness, View3<const T> theta_rate,
    View3<const T> dilution, View2<const T> mass, View2<const T> base_mass,
    View2<const T> mass_tendency, View2<const T> x_length, View2<const T> y_length,
    View2<const T> area, View2<const T> x_slope, View2<const T> y_slope, View1<const T> to_ground,
    View1<const T> c1, View1<const T> c2, View1<const T> c1_face, View1<const T> thickness,
    View1<const T> spacing, View1<const T> upper_share, View3<T> theta_change, View3<T> w_change,
    View3<T> geopotential_change, View3<T> pressure_change, View2<T> mass_change,
    View2<T> mass_rate, double dt, double divergence_damping) {
  using namespace air;
  const int levels = static_cast<int>(theta.extent[0]);
  const AcousticStep<T> step{static_cast<T>(dt), T(0.5), static_cast<T>(divergence_damping)};
  const AcousticColumns<T> advance{{c1, c2, c1_face, {}, thickness, spacing, upper_share},
                                   {base_mass, mass},
                                   step,
                                   u_change,
                                   v_change,
                                   theta,
                                   full_volume,
                                   stiffness,
                                   theta_rate,
                                   {},
                                   {},
                                   dilution,
                                   mass_tendency,
                                   x_length,
                                   y_length,
                                   area,
                                   x_slope,
                                   y_slope,
                                   to_ground,
                                   {},
                                   {},
                                   theta_change,
                                   w_change,
                                   geopotential_change,
                                   pressure_change,
                                   mass_change,
                                   mass_rate,
                                   levels};
  const auto columns = [&](auto moist) {
    for_each_in_with(
        box.j0, box.j1, 1, [&] { return TileRows<T>(levels); },
        [&](int j, TileRows<T>& rows) {
          constexpr std::ptrdiff_t width = TileRows<T>::columns;
          for (std::ptrdiff_t a = box.i0; a < box.i1; a += width)
            advance.template advance_hydrostatic<moist.value>(
                rows, j, a, std::min<std::ptrdiff_t>(a + width, box.i1));
        });
  };
  dilution.data != nullptr ? columns(std::true_type{}) : columns(std::false_type{});
}

inline constexpr Contract<22> atmosphere_hydrostatic_state_contract{
    "atmosphere_hydrostatic_state",
    {{{"theta", Access::read, Place::center, "K", "depth"},
      {"mass", Access::read, Place::center, "Pa"},
      if_wanted({"mass_change", Access::read, Place::center, "Pa"}),
      if_wanted({"dilution", Access::read, Place::center, "1", "depth", {}, Column::whole}),
      {"base_mass", Access::read, Place::center, "Pa"},
      {"base_pressure", Access::read, Place::center, "Pa", "depth"},
      {"base_volume", Access::read, Place::center, "m3 kg-1", "depth"},
      {"base_theta", Access::read, Place::center, "K", "depth"},
      {"base_geopotential", Access::read, Place::center, "m2 s-2", "depth+1", {}, Column::whole},
      {"c1", Access::read, Place::none, "1", "depth"},
      {"c2", Access::read, Place::none, "Pa", "depth"},
      {"c1_face", Access::read, Place::none, "1", "depth+1"},
      {"c2_face", Access::read, Place::none, "Pa", "depth+1"},
      {"thickness", Access::read, Place::none, "1", "depth"},
      {"spacing", Access::read, Place::none, "1", "depth+1"},
      {"upper_share", Access::read, Place::none, "1", "depth+1"},
      {"geopotential", Access::write, Place::center, "m2 s-2", "depth+1", {}, Column::whole},
      {"pressure", Access::write, Place::center, "Pa", "depth", {}, Column::whole},
      if_wanted(
          {"pressure_change", Access::write, Place::center, "Pa", "depth", {}, Column::whole}),
      {"full_volume", Access::write, Place::center, "m3 kg-1", "depth"},
      {"stiffness", Access::write, Place::center, "Pa", "depth"},
      {"middle_geopotential", Access::write, Place::center, "m2 s-2", "depth"}}}};

/// Geopotential and pressure of hydrostatic air, as `atmosphere_air_state` has them then: no upward
/// force is left at interfaces, and p = p0 (R theta / (p0 alpha))^gamma.
///
/// @param[in]  theta, mass   less 300 K, less that of the base state [K], [Pa]
/// @param[in]  mass_change   where wanted, what more mass there may be [Pa]
/// @param[in]  dilution      dry mass over all mass, where air is moist [1]
/// @param[out] pressure_change  what pressure more that makes [Pa]
/// @param[out] geopotential, pressure  less those of the base state [m2 s-2], [Pa]
/// @param[out] full_volume, stiffness, middle_geopotential  as there
template <class T>
void atmosphere_hydrostatic_state(Box box, View3<const T> theta, View2<const T> mass,
                                  View2<const T> mass_change, View3<const T> dilution,
                                  View2<const T> base_mass, View3<const T> base_pressure,
                                  View3<const T> base_volume, View3<const T> base_theta,
                                  View3<const T> base_geopotential, View1<const T> c1,
                                  View1<const T> c2, View1<const T> c1_face, View1<const T> c2_face,
                                  View1<const T> thickness, View1<const T> spacing,
                                  View1<const T> upper_share, View3<T> geopotential,
                                  View3<T> pressure, View3<T> pressure_change, View3<T> full_volume,
                                  View3<T> stiffness, View3<T> middle_geopotential) {
  using namespace air;
  const Weights<T> weights{{c1, c2, c1_face, c2_face, thickness, spacing, upper_share}, dilution};
  const int levels = static_cast<int>(theta.extent[0]);
  const auto weigh = [&](int k, int j) {  // the layer below interface k
    over_row_again<T>(box.i0, box.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) INTO_LOOP {
      const auto above = [&](const View3<T>& of) {
        return k < levels ? load<V>(of.row(k, j) + i) : V{};
      };
      const V share = weights.template share<V>(k, j, i), one = splat<V>(T(1));
      const V base = layer_mass<V>(c1_face(k), c2_face(k), load<V>(base_mass.row(j) + i));
      const V more = c1_face(k) * load<V>(mass.row(j) + i) + (one - share) * base;
      put<V>(pressure.row(k - 1, j) + i, above(pressure) + spacing(k) * (more / share));
      if (pressure_change.data == nullptr) return;
      const V changed = c1_face(k) * load<V>(mass_change.row(j) + i);
      put<V>(pressure_change.row(k - 1, j) + i,
             above(pressure_change) + spacing(k) * (changed / share));
    });
  };
  const auto stack = [&](int k, int j) {  // layer k
    over_row_again<T>(box.i0, box.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) INTO_LOOP {
      const V p0 = load<V>(base_pressure.row(k, j) + i), p1 = load<V>(pressure.row(k, j) + i);
      const V denser = grown_by_inverse_gamma<V>(p1 / p0);
      const V warm = load<V>(base_theta.row(k, j) + i) + T(reference_temperature);
      const V warmer = (load<V>(theta.row(k, j) + i) - load<V>(base_theta.row(k, j) + i)) / warm;
      const V volume0 = load<V>(base_volume.row(k, j) + i);
      const V volume1 = volume0 * ((warmer - denser) / (T(1) + denser));
      const V more = load<V>(mass.row(j) + i);
      const V layer = layer_mass<V>(c1(k), c2(k), load<V>(base_mass.row(j) + i) + more);
      const V below = load<V>(geopotential.row(k, j) + i);
      const V above = below + thickness(k) * (layer * volume1 + volume0 * (c1(k) * more));
      const V base =
          load<V>(base_geopotential.row(k, j) + i) + load<V>(base_geopotential.row(k + 1, j) + i);
      put<V>(geopotential.row(k + 1, j) + i, above);
      put<V>(full_volume.row(k, j) + i, volume0 + volume1);
      put<V>(stiffness.row(k, j) + i, T(1.4) * (p0 + p1));
      put<V>(middle_geopotential.row(k, j) + i, T(0.5) * (base + (below + above)));
    });
  };
  for_rows(box, [&](int j) {
    for (int k = levels; k >= 1; --k) weigh(k, j);
    std::fill(geopotential.row(0, j) + box.i0, geopotential.row(0, j) + box.i1, T(0));
    for (int k = 0; k < levels; ++k) stack(k, j);
  });
}

inline constexpr Contract<13> atmosphere_geopotential_tendency_contract{
    "atmosphere_geopotential_tendency",
    {{{"x_flux", Access::read, Place::x_face, "Pa m2 s-1", "depth", to_east, Column::whole},
      {"y_flux", Access::read, Place::y_face, "Pa m2 s-1", "depth", to_north, Column::whole},
      {"rise", Access::read, Place::center, "Pa s-1", "depth+1", {}, Column::whole},
      {"geopotential", Access::read, Place::center, "m2 s-2", "depth+1", all_around, Column::whole},
      {"base_geopotential", Access::read, Place::center, "m2 s-2", "depth+1", all_around,
       Column::whole},
      {"mass", Access::read, Place::center, "Pa"},
      {"base_mass", Access::read, Place::center, "Pa"},
      {"area", Access::read, Place::center, "m2"},
      {"c1_face", Access::read, Place::none, "1", "depth+1"},
      {"c2_face", Access::read, Place::none, "Pa", "depth+1"},
      {"thickness", Access::read, Place::none, "1", "depth"},
      {"upper_share", Access::read, Place::none, "1", "depth+1"},
      {"geopotential_tendency", Access::write, Place::center, "m2 s-3", "depth+1"}}}};

/// What the wind carries of the geopotential of interfaces, without upward wind; 0 at the ground.
///
/// @param[in]  x_flux, y_flux, rise  of mass [Pa m2 s-1], upward [Pa s-1]
/// @param[in]  geopotential, mass    less those of the base state
/// @param[out] geopotential_tendency [m2 s-3]
template <class T>
void atmosphere_geopotential_tendency(Box box, View3<const T> x_flux, View3<const T> y_flux,
                                      View3<const T> rise, View3<const T> geopotential,
                                      View3<const T> base_geopotential, View2<const T> mass,
                                      View2<const T> base_mass, View2<const T> area,
                                      View1<const T> c1_face, View1<const T> c2_face,
                                      View1<const T> thickness, View1<const T> upper_share,
                                      View3<T> geopotential_tendency, int order) {
  using namespace air;
  const GeopotentialAdvection<T> lifting{{x_flux, y_flux, rise, upper_share},
                                         geopotential,
                                         base_geopotential,
                                         area,
                                         {base_mass, mass},
                                         c1_face,
                                         c2_face,
                                         thickness,
                                         SlopeWeights<T>::of(order)};
  const int interfaces = static_cast<int>(geopotential.extent[0]);
  for_pairs(interfaces, box.j0, box.j1, 1, [&](int k, int j) {
    over_row<T>(box.i0, box.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) INTO_LOOP {
      V out{};
      if (k > 0) out = lifting.template out<V>(k, j, i);
      put<V>(geopotential_tendency.row(k, j) + i, -out);
    });
  });
}

inline constexpr Contract<5> atmosphere_hydrostatic_rise_contract{
    "atmosphere_hydrostatic_rise",
    {{{"geopotential", Access::read, Place::center, "m2 s-2", "depth+1"},
      {"old_geopotential", Access::read, Place::center, "m2 s-2", "depth+1"},
      {"geopotential_tendency", Access::read, Place::center, "m2 s-3", "depth+1"},
      {"geopotential_change", Access::write, Place::center, "m2 s-2", "depth+1"},
      {"w", Access::update, Place::center, "m s-1", "depth+1"}}}};

/// What the geopotential at the beginning of the step differs by from that at the end of a stage,
/// or 0 after the last one; then also the upward wind that has moved interfaces above the ground,
/// g w = (phi - old phi) / dt less what was carried.
///
/// @param[in]  geopotential, old_geopotential  at the end of the stage, at the beginning of the
/// step
/// @param[in]  geopotential_tendency  of the stage, without upward wind [m2 s-3]
/// @param[out] geopotential_change    [m2 s-2]
/// @param[in,out] w                   [m s-1]
/// @param[in]  dt                     from the beginning of the step to the end of the stage [s]
/// @param[in]  last                   not 0: after the last stage
template <class T>
void atmosphere_hydrostatic_rise(Box box, View3<const T> geopotential,
                                 View3<const T> old_geopotential,
                                 View3<const T> geopotential_tendency, View3<T> geopotential_change,
                                 View3<T> w, double dt, int last) {
  const T rate = static_cast<T>(1.0 / dt), per_gravity = static_cast<T>(1.0 / air::gravity);
  const int interfaces = static_cast<int>(geopotential.extent[0]);
  for_pairs(interfaces, box.j0, box.j1, 1, [&](int k, int j) {
    over_row<T>(box.i0, box.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) INTO_LOOP {
      const V lifted =
          load<V>(geopotential.row(k, j) + i) - load<V>(old_geopotential.row(k, j) + i);
      air::put<V>(geopotential_change.row(k, j) + i, last ? V{} : V(-lifted));
      if (last && k > 0)
        air::put<V>(w.row(k, j) + i,
                    per_gravity * (rate * lifted - load<V>(geopotential_tendency.row(k, j) + i)));
    });
  });
}

}  // namespace halocline
