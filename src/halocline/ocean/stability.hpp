#pragma once
#include <functional>

#include "contract.hpp"
#include "numerics/row_loops.hpp"
#include "ocean/bottom_cells.hpp"
#include "ocean/density.hpp"
#include "ocean/equation_of_state.hpp"
#include "schedules.hpp"
#include "view.hpp"

/// What mixing and surface layers ask of the equation of state.
namespace halocline {

inline constexpr Contract<7> ocean_stability_contract{
    "ocean_stability",
    {{{"tracer", Access::read, Place::center, "any", "tracer depth", {}, Column::whole},
      {"floor_level", Access::read, Place::center, "1"},
      if_wanted({"bottom_share", Access::read, Place::center, "1"}),
      {"thickness", Access::read, Place::none, "m", "depth"},
      {"depth", Access::read, Place::none, "m", "depth"},
      {"spacing", Access::read, Place::none, "m", "depth"},
      {"stability", Access::write, Place::interface, "s-2", "depth", {}, Column::whole}}}};

/// Square of the buoyancy frequency: how much heavier the water below an interface is than that
/// above, both at the pressure of the lower centre, as if the upper one had sunk there unmixed.
///
/// @param[in]  tracer        temperature and salinity, shape (tracer, k, j, i)
/// @param[in]  floor_level   the lowest wet level; as many as levels on land
/// @param[in]  bottom_share  of its level that the cell there has [1]
/// @param[in]  thickness     of levels [m]
/// @param[in]  depth         of the centres of levels [m]
/// @param[in]  spacing       from the centre below to the one above an interface, of whole cells
/// [m]
/// @param[out] stability     at lower interfaces [s-2], 0 at the floor; negative where water
/// overturns
/// @param[in]  gravity    [m s-2]
/// @param[in]  numbers    of the equation of state
template <class T>
void ocean_stability(Box box, View4<const T> tracer, View2<const T> floor_level,
                     View2<const T> bottom_share, View1<const T> thickness, View1<const T> depth,
                     View1<const T> spacing, View3<T> stability, double gravity,
                     DensityNumbers numbers) {
  const BottomCells<T> bottom{floor_level, bottom_share};
  with_equation<T>(numbers, [&](const auto& make) {
    const auto levels = densities_of(depth, make);
    for_pairs(static_cast<int>(stability.extent[0]), box.j0, box.j1, 1, [&](int k, int j) {
      T* to = stability.row(k, j);
      if (k == 0)
        return over_row<T>(box.i0, box.i1,
                           [&]<class V>(Lane<V>, std::ptrdiff_t i) { store<V>(to + i, V{}); });
      const T *above_t = tracer.row(0, k, j), *above_s = tracer.row(1, k, j);
      const T *below_t = tracer.row(0, k - 1, j), *below_s = tracer.row(1, k - 1, j);
      const T* floor = floor_level.row(j);
      const auto of = levels[k - 1];
      const T weight = static_cast<T>(gravity / (numbers.reference * spacing(k)));
      const RowShares<T> lower = bottom.row(k - 1, j);
      const T per_spacing = T(1) / spacing(k);
      over_row<T>(box.i0, box.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
        const auto open = load<V>(floor + i) < splat<V>(static_cast<T>(k));
        if (!any(open)) return store<V>(to + i, V{});
        const V below = of(load<V>(below_t + i), load<V>(below_s + i));
        const V above = of(load<V>(above_t + i), load<V>(above_s + i));
        const V found = weight * (below - above);
        const V rise = lower.template raised<V>(i, thickness(k - 1));
        const V steep = lower.template whole<V>(i) ? found : V(found / (T(1) - rise * per_spacing));
        store<V>(to + i, open ? steep : V{});
      });
    });
  });
}

/// Thermal expansion and haline contraction, from a density as a function of both.
///
/// @param[in] density      of temperature and salinity [kg m-3]
/// @param[in] t, s         [degree C, 1e-3]
/// @param[out] expansion   less density per degree [kg m-3 K-1]
/// @param[out] contraction more density per 1e-3 of salinity [kg m-3]
template <class V, class Density>
HD INLINE void put_expansion(const Density& density, V t, V s, scalar_of<V>* expansion,
                             scalar_of<V>* contraction) {
  const V one = splat<V>(scalar_of<V>(1)), none{};
  const Dual<V> of = density(Dual<V>{t, one, none}, Dual<V>{s, none, one});
  store<V>(expansion, -of.by_first);
  store<V>(contraction, of.by_second);
}

/// Sets thermal expansion and haline contraction in columns [begin, end) of row j of level k; packs
/// of land alone, whose floors are above the level, are left as they are.
template <class T>
using ExpansionOfRow = std::function<void(int k, int j, std::ptrdiff_t begin, std::ptrdiff_t end,
                                          const T* floor, T* expansion, T* contraction)>;

/// @param[in] tracer   temperature and salinity, shape (tracer, k, j, i)
/// @param[in] depth    of the centres of levels [m]
/// @param[in] numbers  of the equation of state
template <class T>
ExpansionOfRow<T> expansion_of_row(View4<const T> tracer, View1<const T> depth,
                                   const DensityNumbers& numbers) {
  ExpansionOfRow<T> made;
  with_equation<T>(numbers, [&](const auto& make) {
    made = [tracer, levels = densities_of(depth, make)](int k, int j, std::ptrdiff_t begin,
                                                        std::ptrdiff_t end, const T* floor,
                                                        T* expansion, T* contraction) {
      const T *t = tracer.row(0, k, j), *s = tracer.row(1, k, j);
      const auto of = levels[k];
      over_row<T>(begin, end, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
        if (!any(load<V>(floor + i) <= splat<V>(static_cast<T>(k)))) return;
        put_expansion(of, load<V>(t + i), load<V>(s + i), expansion + i, contraction + i);
      });
    };
  });
  return made;
}

inline constexpr Contract<4> ocean_expansion_contract{
    "ocean_expansion",
    {{{"tracer", Access::read, Place::center, "any", "tracer depth"},
      {"depth", Access::read, Place::none, "m", "depth"},
      {"thermal_expansion", Access::write, Place::center, "kg m-3 K-1", "depth"},
      {"haline_contraction", Access::write, Place::center, "kg m-3", "depth"}}}};

/// How much lighter water gets per degree, and how much heavier per 1e-3 of salinity.
///
/// @param[in]  tracer              temperature and salinity, shape (tracer, k, j, i)
/// @param[in]  depth               of the centres of levels [m]
/// @param[out] thermal_expansion   less density per degree [kg m-3 K-1]
/// @param[out] haline_contraction  more density per 1e-3 of salinity [kg m-3]
/// @param[in]  numbers             of the equation of state
template <class T>
void ocean_expansion(Box box, View4<const T> tracer, View1<const T> depth,
                     View3<T> thermal_expansion, View3<T> haline_contraction,
                     DensityNumbers numbers) {
  with_equation<T>(numbers, [&](const auto& make) {
    const auto levels = densities_of(depth, make);
    for_pairs(static_cast<int>(depth.extent[0]), box.j0, box.j1, 1, [&](int k, int j) {
      const T *t = tracer.row(0, k, j), *s = tracer.row(1, k, j);
      T *expansion = thermal_expansion.row(k, j), *contraction = haline_contraction.row(k, j);
      const auto of = levels[k];
      over_row<T>(box.i0, box.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
        put_expansion(of, load<V>(t + i), load<V>(s + i), expansion + i, contraction + i);
      });
    });
  });
}

inline constexpr Contract<3> ocean_freezing_contract{
    "ocean_freezing",
    {{{"tracer", Access::read, Place::center, "any", "tracer depth"},
      {"depth", Access::read, Place::none, "m", "depth"},
      {"freezing_temperature", Access::write, Place::center, "degree C", "depth"}}}};

/// Temperature at which water of the salinity freezes at the pressure of its level.
///
/// @param[in]  tracer                temperature and salinity, shape (tracer, k, j, i)
/// @param[in]  depth                 of the centres of levels [m]
/// @param[out] freezing_temperature  [degree C]
template <class T>
void ocean_freezing(Box box, View4<const T> tracer, View1<const T> depth,
                    View3<T> freezing_temperature) {
  for_pairs(static_cast<int>(depth.extent[0]), box.j0, box.j1, 1, [&](int k, int j) {
    const T* s = tracer.row(1, k, j);
    T* to = freezing_temperature.row(k, j);
    const T pressure = static_cast<T>(pressure_at(depth(k)));
    over_row<T>(box.i0, box.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      store<V>(to + i, halocline::freezing_temperature(load<V>(s + i), pressure));
    });
  });
}

}  // namespace halocline
