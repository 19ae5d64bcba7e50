#pragma once
#include "atmosphere/dynamics/advection.hpp"
#include "atmosphere/dynamics/heat_tendency.hpp"
#include "atmosphere/dynamics/mixing.hpp"
#include "contract.hpp"

/// Energy of the motion within cells, per mass, and the mixing that follows from it (Deardorff
/// 1980, Boundary-Layer Meteorol. 18, 495; Skamarock et al. 2019, NCAR/TN-556, section 4.2.4).
namespace halocline {

namespace air {

/// Length of the eddies of a cell and its share in the cell's width; short where air is stable.
template <class V>
struct EddyLength {
  V length, share;

  static INLINE EddyLength of(V width, V energy, V stability) {
    using T = scalar_of<V>;
    const V stable = maximum(stability, splat<V>(T(1e-12)));
    const V reach = T(0.76) * square_root(V(energy / stable));
    const V shorter = maximum(minimum(width, reach), V(T(1e-3) * width));
    const V length = stability > V{} ? shorter : width;
    return {length, length / width};
  }
};

}  // namespace air

inline constexpr Contract<8> atmosphere_energy_mixing_contract{
    "atmosphere_energy_mixing",
    {{{"energy", Access::read, Place::center, "m2 s-2", "depth"},
      {"stability", Access::read, Place::center, "s-2", "depth"},
      {"geopotential", Access::read, Place::center, "m2 s-2", "depth+1", {}, Column::whole},
      {"base_geopotential", Access::read, Place::center, "m2 s-2", "depth+1", {}, Column::whole},
      {"dx", Access::read, Place::center, "m"},
      {"dy", Access::read, Place::center, "m"},
      {"viscosity", Access::write, Place::center, "m2 s-1", "depth"},
      {"diffusivity", Access::write, Place::center, "m2 s-1", "depth"}}}};

/// K = C l sqrt(e) and K (1 + 2 l / width), with l the width of the cell or 0.76 sqrt(e) / N.
///
/// @param[in]  energy, stability  e [m2 s-2] and N^2 [s-2]
/// @param[in]  geopotential, base_geopotential, dx, dy  depth and lengths of cells
/// @param[out] viscosity, diffusivity  [m2 s-1]
/// @param[in]  coefficient  C [1]
template <class T>
void atmosphere_energy_mixing(Box box, View3<const T> energy, View3<const T> stability,
                              View3<const T> geopotential, View3<const T> base_geopotential,
                              View2<const T> dx, View2<const T> dy, View3<T> viscosity,
                              View3<T> diffusivity, double coefficient) {
  const air::Heights<T> heights{geopotential, base_geopotential};
  const T c = static_cast<T>(coefficient);
  for_pairs(static_cast<int>(energy.extent[0]), box.j0, box.j1, 1, [&](int k, int j) {
    over_row_again<T>(box.i0, box.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) INTO_LOOP {
      const V plane = load<V>(dx.row(j) + i) * load<V>(dy.row(j) + i);
      const V e = load<V>(energy.row(k, j) + i);
      const auto eddy = air::EddyLength<V>::of(air::cell_width<V>(heights, k, j, i, plane), e,
                                               load<V>(stability.row(k, j) + i));
      const V mixed = c * eddy.length * square_root(e);
      store<V>(viscosity.row(k, j) + i, mixed);
      store<V>(diffusivity.row(k, j) + i, mixed * (T(1) + T(2) * eddy.share));
    });
  });
}

inline constexpr Contract<16> atmosphere_mix_energy_contract{
    "atmosphere_mix_energy",
    {{{"energy", Access::read, Place::center, "m2 s-2", "depth", around, Column::whole},
      {"viscosity", Access::read, Place::center, "m2 s-1", "depth", around, Column::whole},
      {"full_volume", Access::read, Place::center, "m3 kg-1", "depth", {}, Column::whole},
      {"geopotential", Access::read, Place::center, "m2 s-2", "depth+1", around, Column::whole},
      {"base_geopotential", Access::read, Place::center, "m2 s-2", "depth+1", around,
       Column::whole},
      {"mass", Access::read, Place::center, "Pa", around},
      {"base_mass", Access::read, Place::center, "Pa", around},
      {"x_distance", Access::read, Place::x_face, "m", to_east},
      {"y_distance", Access::read, Place::y_face, "m", to_north},
      {"x_length", Access::read, Place::x_face, "m", to_east},
      {"y_length", Access::read, Place::y_face, "m", to_north},
      {"area", Access::read, Place::center, "m2"},
      {"c1", Access::read, Place::none, "1", "depth"},
      {"c2", Access::read, Place::none, "Pa", "depth"},
      {"thickness", Access::read, Place::none, "1", "depth"},
      {"energy_forcing", Access::write, Place::center, "Pa m2 s-3", "depth"}}}};

/// What mixing does to the energy of eddies, twice as fast as `viscosity` says; arguments as in
/// `atmosphere_mix_theta`.
template <class T>
void atmosphere_mix_energy(Box box, View3<const T> energy, View3<const T> viscosity,
                           View3<const T> full_volume, View3<const T> geopotential,
                           View3<const T> base_geopotential, View2<const T> mass,
                           View2<const T> base_mass, View2<const T> x_distance,
                           View2<const T> y_distance, View2<const T> x_length,
                           View2<const T> y_length, View2<const T> area, View1<const T> c1,
                           View1<const T> c2, View1<const T> thickness, View3<T> energy_forcing,
                           int sloping) {
  const air::Heights<T> heights{geopotential, base_geopotential};
  const air::MixedAir<T> air{viscosity, full_volume, {base_mass, mass}, heights, c1, c2};
  air::if_sloping(sloping, [&]<bool slopes>(std::bool_constant<slopes>) {
    const air::CellMixing<T, slopes> mixing{
        energy, air, {{}, {}, x_distance, y_distance}, x_length, y_length, area, thickness, T(1),
        T(2),   T(0)};
    air::mix(box, mixing, 0, energy_forcing);
  });
}

inline constexpr Contract<13> atmosphere_energy_transport_contract{
    "atmosphere_energy_transport",
    {{{"stage_energy",
       Access::read,
       Place::center,
       "m2 s-2",
       "depth",
       {-3, 3, -3, 3},
       Column::whole},
      {"old_energy", Access::read, Place::center, "m2 s-2", "depth"},
      {"x_flux", Access::read, Place::x_face, "Pa m2 s-1", "depth", to_east},
      {"y_flux", Access::read, Place::y_face, "Pa m2 s-1", "depth", to_north},
      {"rise", Access::read, Place::center, "Pa s-1", "depth+1", {}, Column::whole},
      {"mass", Access::read, Place::center, "Pa"},
      {"base_mass", Access::read, Place::center, "Pa"},
      {"area", Access::read, Place::center, "m2"},
      {"energy_forcing", Access::read, Place::center, "Pa m2 s-3", "depth"},
      {"c1", Access::read, Place::none, "1", "depth"},
      {"c2", Access::read, Place::none, "Pa", "depth"},
      {"thickness", Access::read, Place::none, "1", "depth"},
      {"next_energy", Access::write, Place::center, "m2 s-2", "depth"}}}};

/// The energy of eddies at the end of a stage: carried by the stage's wind, mixed, not below 0. One
/// energy everywhere stays.
///
/// @param[in]  stage_energy, old_energy  of the stage, at the beginning of the step [m2 s-2]
/// @param[in]  x_flux, y_flux, rise, mass  of the stage
/// @param[in]  energy_forcing  what mixing brings [Pa m2 s-3]
/// @param[out] next_energy     [m2 s-2]
/// @param[in]  dt              from the beginning of the step to the end of the stage [s]
/// @param[in]  order, vertical_order  of the fluxes
template <class T>
void atmosphere_energy_transport(Box box, View3<const T> stage_energy, View3<const T> old_energy,
                                 View3<const T> x_flux, View3<const T> y_flux, View3<const T> rise,
                                 View2<const T> mass, View2<const T> base_mass, View2<const T> area,
                                 View3<const T> energy_forcing, View1<const T> c1,
                                 View1<const T> c2, View1<const T> thickness, View3<T> next_energy,
                                 double dt, int order, int vertical_order) {
  const air::CellFluxes<T> fluxes{x_flux, y_flux, rise};
  const air::Columns<T> columns{base_mass, mass};
  const T length = static_cast<T>(dt);
  air::advect<T, air::FaceWeights<T>>(
      box, 0, stage_energy, fluxes, area, thickness, order, vertical_order,
      [&]<class V>(Lane<V>, int k, int j, std::ptrdiff_t i, V gain) INTO_LOOP {
        const V out =
            ((fluxes.template x<V>(k, j, i + 1) - fluxes.template x<V>(k, j, i)) +
             (fluxes.template y<V>(k, j + 1, i) - fluxes.template y<V>(k, j, i))) /
                load<V>(area.row(j) + i) +
            (fluxes.template z<V>(k + 1, j, i) - fluxes.template z<V>(k, j, i)) / thickness(k);
        const V layer = air::layer_mass<V>(c1(k), c2(k), columns.template at<V>(j, i));
        gain += load<V>(stage_energy.row(k, j) + i) * out + load<V>(energy_forcing.row(k, j) + i);
        const V next = load<V>(old_energy.row(k, j) + i) + length * gain / layer;
        store<V>(next_energy.row(k, j) + i, maximum(next, V{}));
      });
}

inline constexpr Contract<10> atmosphere_energy_sources_contract{
    "atmosphere_energy_sources",
    {{{"strain", Access::read, Place::center, "s-2", "depth"},
      {"stability", Access::read, Place::center, "s-2", "depth"},
      {"viscosity", Access::read, Place::center, "m2 s-1", "depth"},
      {"diffusivity", Access::read, Place::center, "m2 s-1", "depth"},
      {"theta", Access::read, Place::center, "K", "depth"},
      {"geopotential", Access::read, Place::center, "m2 s-2", "depth+1", {}, Column::whole},
      {"base_geopotential", Access::read, Place::center, "m2 s-2", "depth+1", {}, Column::whole},
      {"dx", Access::read, Place::center, "m"},
      {"dy", Access::read, Place::center, "m"},
      {"energy", Access::update, Place::center, "m2 s-2", "depth"}}}};

/// What wind and buoyancy bring to the energy of eddies, K S^2 - K_h N^2, and what becomes heat,
/// (1.9 C + (0.93 - 1.9 C) l / width) e^(3/2) / l; losses implicitly, so that energy stays
/// positive.
///
/// @param[in]  strain, stability, viscosity, diffusivity  [s-2], [m2 s-1]
/// @param[in]  theta        less 300 K [K]
/// @param[in,out] energy    [m2 s-2]
/// @param[in]  coefficient  C [1]
/// @param[in]  given        heat that enters at the ground [K m s-1]
/// @param[in]  least        energy that there is at least [m2 s-2]
/// @param[in]  dt           [s]
template <class T>
void atmosphere_energy_sources(Box box, View3<const T> strain, View3<const T> stability,
                               View3<const T> viscosity, View3<const T> diffusivity,
                               View3<const T> theta, View3<const T> geopotential,
                               View3<const T> base_geopotential, View2<const T> dx,
                               View2<const T> dy, View3<T> energy, double coefficient, double given,
                               double least, double dt) {
  const air::Heights<T> heights{geopotential, base_geopotential};
  const int levels = static_cast<int>(energy.extent[0]);
  const T c = static_cast<T>(1.9 * coefficient), step = static_cast<T>(dt);
  const T rest = static_cast<T>(std::max(0.0, 0.93 - 1.9 * coefficient));
  const T entering = static_cast<T>(0.5 * air::gravity * given);
  for_pairs(levels, box.j0, box.j1, 1, [&](int k, int j) {
    const T edge = k == 0 || k + 1 == levels ? T(0.5) : T(1);
    over_row<T>(box.i0, box.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) INTO_LOOP {
      const V plane = load<V>(dx.row(j) + i) * load<V>(dy.row(j) + i);
      const V e = maximum(load<V>(energy.row(k, j) + i), splat<V>(static_cast<T>(least)));
      const V stable = load<V>(stability.row(k, j) + i);
      const auto eddy =
          air::EddyLength<V>::of(air::cell_width<V>(heights, k, j, i, plane), e, stable);
      const V sheared = load<V>(viscosity.row(k, j) + i) * load<V>(strain.row(k, j) + i);
      V buoyant = -edge * load<V>(diffusivity.row(k, j) + i) * stable;
      if (k == 0)
        buoyant += entering / (load<V>(theta.row(0, j) + i) + T(air::reference_temperature));
      const V made = sheared + maximum(buoyant, V{});
      const V lost =
          maximum(V(-buoyant), V{}) / e + (c + rest * eddy.share) * square_root(e) / eddy.length;
      const V next = (e + step * made) / (T(1) + step * lost);
      store<V>(energy.row(k, j) + i, maximum(next, splat<V>(static_cast<T>(least))));
    });
  });
}

}  // namespace halocline
