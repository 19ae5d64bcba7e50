#pragma once
#include <vector>

#include "contract.hpp"
#include "numerics/row_loops.hpp"
#include "ocean/bottom_cells.hpp"
#include "ocean/density.hpp"
#include "ocean/equation_of_state.hpp"
#include "schedules.hpp"
#include "view.hpp"

/// Columns that lie as gravity wants them: what is heavier than the water below is mixed with it.
namespace halocline {

/// Levels `lowest` to `highest` that are mixed: temperature, salinity and thickness [m] of all.
struct MixedLevels {
  double temperature, salinity, thickness;
  int lowest, highest;
};

/// What two neighbours become when they mix.
inline MixedLevels both(const MixedLevels& low, const MixedLevels& high) {
  const double whole = low.thickness + high.thickness, share = high.thickness / whole;
  return {low.temperature + share * (high.temperature - low.temperature),
          low.salinity + share * (high.salinity - low.salinity), whole, low.lowest, high.highest};
}

inline constexpr Contract<7> ocean_overturn_contract{
    "ocean_overturn",
    {{{"tracer", Access::update, Place::center, "any", "tracer depth", {}, Column::whole},
      {"layer", Access::read, Place::center, "m"},
      {"floor_level", Access::read, Place::center, "1"},
      if_wanted({"bottom_share", Access::read, Place::center, "1"}),
      {"depth", Access::read, Place::none, "m", "depth"},
      {"thickness", Access::read, Place::none, "m", "depth"},
      {"overturned", Access::write, Place::center, "m"}}}};

/// Mix what is unstable, wholly, and nothing else; heat and salt of the column stay.
///
/// From the floor upward each level lies upon what is mixed below it; as long as the lower of two
/// neighbours is lighter at the pressure of its uppermost level, they become one.
///
/// @param[in,out] tracer       0 temperature [degree C], 1 salinity [1e-3]
/// @param[in]     layer        thickness of the uppermost cell [m]
/// @param[in]     floor_level  the lowest wet level; as many as levels on land
/// @param[in]     bottom_share of its level that the cell there has [1]
/// @param[in]     depth        of the centres of levels [m]
/// @param[in]     thickness    of levels [m]
/// @param[out]    overturned   depth of the centre of the lowest level that was mixed [m]; 0: none
/// @param[in]     numbers      of the equation of state
template <class T>
void ocean_overturn(Box box, View4<T> tracer, View2<const T> layer, View2<const T> floor_level,
                    View2<const T> bottom_share, View1<const T> depth, View1<const T> thickness,
                    View2<T> overturned, DensityNumbers numbers) {
  const BottomCells<T> bottom{floor_level, bottom_share};
  const int levels = static_cast<int>(thickness.extent[0]);
  with_equation<double>(numbers, [&](const auto& make) {
    std::vector<decltype(make(0.0))> densities;
    for (int k = 0; k < levels; ++k) densities.push_back(make(static_cast<double>(depth(k))));
    const auto unstable = [&](const MixedLevels& low, const MixedLevels& high) {
      const auto& of = densities[low.highest];
      return of(low.temperature, low.salinity) < of(high.temperature, high.salinity);
    };
    for_each_in_with(
        box.j0, box.j1, 1, [&] { return std::vector<MixedLevels>(); },
        [&](int j, std::vector<MixedLevels>& parts) {
          for (int i = box.i0; i < box.i1; ++i) {
            const int floor = static_cast<int>(floor_level(j, i));
            parts.clear();
            for (int k = floor; k < levels; ++k) {
              const double below = thickness(k) * bottom.row(k, j).template at<T>(i);
              const double dz = k < levels - 1 ? below : layer(j, i);
              MixedLevels part{tracer(0, k, j, i), tracer(1, k, j, i), dz, k, k};
              for (; !parts.empty() && unstable(parts.back(), part); parts.pop_back())
                part = both(parts.back(), part);
              parts.push_back(part);
            }
            overturned(j, i) = 0;
            for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
              if (part->lowest == part->highest) continue;
              overturned(j, i) = depth(part->lowest);
              for (int k = part->lowest; k <= part->highest; ++k) {
                tracer(0, k, j, i) = static_cast<T>(part->temperature);
                tracer(1, k, j, i) = static_cast<T>(part->salinity);
              }
            }
          }
        });
  });
}

}  // namespace halocline
