#pragma once
#include "atmosphere/dynamics/deformation.hpp"
#include "atmosphere/dynamics/mass_fluxes.hpp"
#include "contract.hpp"

/// How fast the wind deforms the air of cells, and how stable it lies: what the coefficients of
/// turbulent mixing follow from.
namespace halocline {

inline constexpr Contract<12> atmosphere_strain_contract{
    "atmosphere_strain",
    {{{"u", Access::read, Place::x_face, "m s-1", "depth", {0, 1, -1, 1}, Column::whole},
      {"v", Access::read, Place::y_face, "m s-1", "depth", {-1, 1, 0, 1}, Column::whole},
      {"w", Access::read, Place::center, "m s-1", "depth+1", around, Column::whole},
      {"theta", Access::read, Place::center, "K", "depth", {}, Column::whole},
      {"geopotential", Access::read, Place::center, "m2 s-2", "depth+1", around, Column::whole},
      {"base_geopotential", Access::read, Place::center, "m2 s-2", "depth+1", around,
       Column::whole},
      {"dx", Access::read, Place::center, "m"},
      {"dy", Access::read, Place::center, "m"},
      {"x_distance", Access::read, Place::x_face, "m", {0, 1, -1, 1}},
      {"y_distance", Access::read, Place::y_face, "m", {-1, 1, 0, 1}},
      {"strain", Access::write, Place::center, "s-2", "depth"},
      {"stability", Access::write, Place::center, "s-2", "depth"}}}};

/// Square of the deformation, D_mn D_mn / 2, and of the buoyancy frequency, of layers.
///
/// Squares are averaged, not what they are of, so that the strain of a cell is what the stress of
/// `mix_u`, `mix_v` and `mix_w` takes from the wind; none is taken through ground and top.
///
/// @param[in]  u, v, w  wind [m s-1]
/// @param[in]  theta    less 300 K [K]
/// @param[in]  geopotential, base_geopotential  [m2 s-2]
/// @param[in]  dx, dy, x_distance, y_distance  of cells, between their middles [m]
/// @param[out] strain   [s-2]
/// @param[out] stability  g / theta d theta / dz [s-2]
/// @param[in]  upward   1; 0: of deformation along layers alone, (D11 - D22)^2 / 4 + D12^2
/// @param[in]  sloping  not 0: layers slope
template <class T>
void atmosphere_strain(Box box, View3<const T> u, View3<const T> v, View3<const T> w,
                       View3<const T> theta, View3<const T> geopotential,
                       View3<const T> base_geopotential, View2<const T> dx, View2<const T> dy,
                       View2<const T> x_distance, View2<const T> y_distance, View3<T> strain,
                       View3<T> stability, int upward, int sloping) {
  const int levels = static_cast<int>(u.extent[0]);
  const T g = static_cast<T>(air::gravity);
  const air::Heights<T> heights{geopotential, base_geopotential};
  const auto of = [&]<bool slopes>(std::bool_constant<slopes>) {
    const air::Deformation<T, slopes> rates{u, v, w, heights, {dx, dy, x_distance, y_distance}, 1};
    for_pairs(levels, box.j0, box.j1, 1, [&](int k, int j) {
      over_row_again<T>(box.i0, box.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
        const auto squared = [](V rate) { return rate * rate; };
        const auto corner = [&](int dj, int di) {
          return squared(rates.template turning<V>(k, j + dj, i + di));
        };
        const V x = rates.template stretching<V, true>(k, j, i);
        const V y = rates.template stretching<V, false>(k, j, i);
        V sum = T(0.25) * ((corner(0, 0) + corner(1, 1)) + (corner(0, 1) + corner(1, 0)));
        if (upward == 0) {
          sum += T(0.25) * squared(x - y);
        } else {
          const auto two = [&](int n) {  // of faces on the four sides, at an interface
            if (n == levels) return V{};
            return (squared(rates.template shear<V, true>(n, j, i)) +
                    squared(rates.template shear<V, true>(n, j, i + 1))) +
                   (squared(rates.template shear<V, false>(n, j, i)) +
                    squared(rates.template shear<V, false>(n, j + 1, i)));
          };
          sum += T(0.5) * ((squared(x) + squared(y)) + squared(rates.template rising<V>(k, j, i)));
          sum += T(0.25) * (two(k) + two(k + 1));
        }
        store<V>(strain.row(k, j) + i, sum);
        const auto warmer = [&](int n) {  // at interface n, upward [K s2 m-2]
          if (n == 0 || n == levels) return V{};
          return (load<V>(theta.row(n, j) + i) - load<V>(theta.row(n - 1, j) + i)) /
                 (heights.template middle<V>(n, j, i) - heights.template middle<V>(n - 1, j, i));
        };
        const V warm = load<V>(theta.row(k, j) + i) + T(air::reference_temperature);
        const T share = k == 0 || k + 1 == levels ? g * g : T(0.5) * g * g;
        store<V>(stability.row(k, j) + i, share * (warmer(k) + warmer(k + 1)) / warm);
      });
    });
  };
  sloping != 0 ? of(std::true_type{}) : of(std::false_type{});
}

inline constexpr Contract<7> atmosphere_smagorinsky_contract{
    "atmosphere_smagorinsky",
    {{{"strain", Access::read, Place::center, "s-2", "depth"},
      {"stability", Access::read, Place::center, "s-2", "depth"},
      {"geopotential", Access::read, Place::center, "m2 s-2", "depth+1", {}, Column::whole},
      {"base_geopotential", Access::read, Place::center, "m2 s-2", "depth+1", {}, Column::whole},
      {"dx", Access::read, Place::center, "m"},
      {"dy", Access::read, Place::center, "m"},
      {"viscosity", Access::write, Place::center, "m2 s-1", "depth"}}}};

/// (C l)^2 sqrt(max(0, S^2 - N^2 / Pr)) with l^3 = dx dy dz, or along layers (C l)^2 S with
/// l^2 = dx dy (Smagorinsky 1963, Mon. Wea. Rev. 91, 99; Lilly 1962, Tellus 14, 148).
///
/// @param[in]  strain, stability  S^2 and N^2 [s-2]
/// @param[in]  geopotential, base_geopotential, dx, dy  depth and lengths of cells
/// @param[out] viscosity  [m2 s-1]
/// @param[in]  coefficient, prandtl  C and Pr [1]
/// @param[in]  upward   1; 0: along layers alone
template <class T>
void atmosphere_smagorinsky(Box box, View3<const T> strain, View3<const T> stability,
                            View3<const T> geopotential, View3<const T> base_geopotential,
                            View2<const T> dx, View2<const T> dy, View3<T> viscosity,
                            double coefficient, double prandtl, int upward) {
  const air::Heights<T> heights{geopotential, base_geopotential};
  const T squared = static_cast<T>(coefficient * coefficient);
  const T per_prandtl = static_cast<T>(1.0 / prandtl);
  for_pairs(static_cast<int>(strain.extent[0]), box.j0, box.j1, 1, [&](int k, int j) {
    over_row_again<T>(box.i0, box.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      const V plane = load<V>(dx.row(j) + i) * load<V>(dy.row(j) + i);
      const V strained = load<V>(strain.row(k, j) + i);
      if (upward == 0) {
        store<V>(viscosity.row(k, j) + i, squared * plane * square_root(strained));
        return;
      }
      const V width = air::cell_width<V>(heights, k, j, i, plane);
      const V held = strained - per_prandtl * load<V>(stability.row(k, j) + i);
      const V rate = square_root(maximum(held, V{}));
      store<V>(viscosity.row(k, j) + i, squared * (width * width) * rate);
    });
  });
}

}  // namespace halocline
