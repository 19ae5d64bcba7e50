#pragma once
#include "biogeochemistry/carbonate.hpp"
#include "biogeochemistry/gas_exchange.hpp"
#include "contract.hpp"
#include "numerics/row_loops.hpp"
#include "schedules.hpp"
#include "view.hpp"

/// The carbonate system of all cells, and the exchange of the uppermost ones with the air.
namespace halocline::biogeochemistry {

/// Which tracer is what; -1 where a model has none.
struct CarbonateTracers {
  int carbon = -1, alkalinity = -1, phosphate = -1, silicate = -1, oxygen = -1;
  double carbon_per_mmol = 1;  ///< what a mmol of carbon is in its tracer's units
};

/// Totals [mol kg-1] at `i` of a row, of tracers per m3, phosphate and the like in mmol.
template <class V, class T>
HD inline CarbonateTotals<V> totals_at(View4<const T> tracer, const CarbonateTracers& of, int k,
                                       int j, std::ptrdiff_t i, V density) {
  const V per = T(1e-3) / density;
  const auto one = [&](int number) {
    return number < 0 ? V{} : V(per * load<V>(tracer.row(number, k, j) + i));
  };
  return {one(of.carbon) * T(1.0 / of.carbon_per_mmol), one(of.alkalinity), one(of.phosphate),
          one(of.silicate)};
}

inline constexpr Contract<8> carbonate_contract{
    "carbonate",
    {{{"tracer", Access::read, Place::center, "any", "tracer depth", {}, Column::whole},
      {"temperature", Access::read, Place::center, "degree C", "depth"},
      {"salinity", Access::read, Place::center, "1", "depth"},
      {"volume", Access::read, Place::center, "m3", "depth"},
      {"depth", Access::read, Place::none, "m", "depth"},
      {"ph", Access::update, Place::center, "1", "depth"},
      {"calcite_saturation", Access::write, Place::center, "1", "depth"},
      if_wanted({"aragonite_saturation", Access::write, Place::center, "1", "depth"})}}};

/// Set pH and saturation states; 0 on land.
///
/// @param[in]     box                   cells to compute
/// @param[in]     tracer                per m3, shape (tracer, k, j, i)
/// @param[in]     temperature           [degree C], shape (k, j, i)
/// @param[in]     salinity              [1]
/// @param[in]     volume                of the cells [m3]; 0 on land
/// @param[in]     depth                 of the centres of the levels [m], shape (k)
/// @param[in,out] ph                    on the total scale [1], the last one as first guess
/// @param[out]    calcite_saturation    [1]
/// @param[out]    aragonite_saturation  [1]
template <class T>
void carbonate(Box box, View4<const T> tracer, View3<const T> temperature, View3<const T> salinity,
               View3<const T> volume, View1<const T> depth, View3<T> ph,
               View3<T> calcite_saturation, View3<T> aragonite_saturation,
               const CarbonateNumbers& numbers, const CarbonateTracers& of) {
  for_pairs(static_cast<int>(volume.extent[0]), box.j0, box.j1, 1, [&](int k, int j) {
    const T pressure = sea_pressure(depth(k));
    over_row<T>(box.i0, box.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      const auto wet = load<V>(volume.row(k, j) + i) > V{};
      CarbonateState<V> state{};
      if (any(wet)) {
        const V t = load<V>(temperature.row(k, j) + i), s = load<V>(salinity.row(k, j) + i);
        const V p = splat<V>(pressure);
        const auto constants = carbonate_constants<V>(numbers.boron, t, s, p);
        const auto totals = totals_at<V, T>(tracer, of, k, j, i, water_density<V>(t, s, p));
        state = carbonate_state(numbers, constants, totals, load<V>(ph.row(k, j) + i));
      }
      const auto put = [&](const View3<T>& field, V value) {
        if (field.data) store<V>(field.row(k, j) + i, wet ? value : V{});
      };
      put(ph, state.ph);
      put(calcite_saturation, state.calcite_saturation);
      put(aragonite_saturation, state.aragonite_saturation);
    });
  });
}

inline constexpr Contract<11> air_sea_exchange_contract{
    "air_sea_exchange",
    {{{"tracer", Access::update, Place::center, "any", "tracer depth", {}, Column::whole},
      {"temperature", Access::read, Place::center, "degree C", "depth", {}, Column::whole},
      {"salinity", Access::read, Place::center, "1", "depth", {}, Column::whole},
      {"volume", Access::read, Place::center, "m3", "depth", {}, Column::whole},
      {"area", Access::read, Place::center, "m2"},
      {"ph", Access::read, Place::center, "1", "depth", {}, Column::whole},
      {"wind_speed", Access::read, Place::center, "m s-1"},
      {"ice_fraction", Access::read, Place::center, "1"},
      {"air_carbon_dioxide", Access::read, Place::center, "1e-6"},
      {"carbon_dioxide_uptake", Access::write, Place::center, "mmol m-2 s-1"},
      {"oxygen_uptake", Access::write, Place::center, "mmol m-2 s-1"}}}};

/// Let carbon dioxide and oxygen pass between the air and the uppermost cells.
///
/// @param[in]     box                    cells to compute
/// @param[in,out] tracer                 per m3, shape (tracer, k, j, i)
/// @param[in]     temperature            [degree C], shape (k, j, i)
/// @param[in]     salinity               [1]
/// @param[in]     volume                 of the cells [m3]; 0 on land
/// @param[in]     area                   of the cells [m2], shape (j, i)
/// @param[in]     ph                     of `carbonate` [1], shape (k, j, i)
/// @param[in]     wind_speed             10 m above the sea [m s-1], shape (j, i)
/// @param[in]     ice_fraction           part of the surface through which nothing passes [1]
/// @param[in]     air_carbon_dioxide     share of dry air [1e-6]
/// @param[out]    carbon_dioxide_uptake  what the sea takes up [mmol m-2 s-1]
/// @param[out]    oxygen_uptake          the same of oxygen
/// @param[in]     dt                     step [s]
template <class T>
void air_sea_exchange(Box box, View4<T> tracer, View3<const T> temperature, View3<const T> salinity,
                      View3<const T> volume, View2<const T> area, View3<const T> ph,
                      View2<const T> wind_speed, View2<const T> ice_fraction,
                      View2<const T> air_carbon_dioxide, View2<T> carbon_dioxide_uptake,
                      View2<T> oxygen_uptake, const CarbonateNumbers& numbers,
                      const GasExchangeNumbers& gas, const CarbonateTracers& of, double dt) {
  const int top = static_cast<int>(volume.extent[0]) - 1;
  for_rows(box, [&](int j) {
    over_row<T>(box.i0, box.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      const V room = load<V>(volume.row(top, j) + i);
      const auto wet = room > V{};
      const V per = wet ? V(T(dt) * load<V>(area.row(j) + i) / room) : V{};
      const V t = load<V>(temperature.row(top, j) + i), s = load<V>(salinity.row(top, j) + i);
      const V wind = load<V>(wind_speed.row(j) + i), open = T(1) - load<V>(ice_fraction.row(j) + i);
      const auto take_up = [&](int number, V flux, T units, const View2<T>& uptake) {
        T* here = tracer.row(number, top, j) + i;
        const V taken = wet ? V(open * flux) : V{};
        store<V>(here, load<V>(here) + units * taken * per);
        store<V>(uptake.row(j) + i, taken);
      };
      store<V>(carbon_dioxide_uptake.row(j) + i, V{});
      store<V>(oxygen_uptake.row(j) + i, V{});
      if (of.carbon >= 0) {
        const V density = water_density<V>(t, s, V{});
        const auto c = carbonate_constants<V>(numbers.boron, t, s, V{});
        const V hydrogen = exp(T(-2.302585092994046) * load<V>(ph.row(top, j) + i));
        const V first = c.carbonic_1 / hydrogen, second = c.carbonic_2 / hydrogen;
        const V carbon =
            T(1e-3 / of.carbon_per_mmol) / density * load<V>(tracer.row(of.carbon, top, j) + i);
        const V air = T(1e-6) * load<V>(air_carbon_dioxide.row(j) + i);
        const V flux =
            carbon_dioxide_flux<V>(gas, t, s, wind, air, carbon / (T(1) + first * (T(1) + second)));
        take_up(of.carbon, T(1e3) * density * flux, T(of.carbon_per_mmol), carbon_dioxide_uptake);
      }
      if (of.oxygen >= 0) {
        const V dissolved = load<V>(tracer.row(of.oxygen, top, j) + i);
        take_up(of.oxygen, oxygen_flux<V>(gas, t, s, wind, dissolved), T(1), oxygen_uptake);
      }
    });
  });
}

}  // namespace halocline::biogeochemistry
