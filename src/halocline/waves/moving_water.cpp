#include "moving_water.hpp"

#include "bind.hpp"

namespace halocline::waves {
namespace {

template <class T>
void bind(nb::module_& module) {
  define(module, water_at_points_contract, &water_at_points<T>, "weight", "per_second",
         "least_depth");
  define(module, fastest_changes_contract, &fastest_changes<T>);
  define(module, relative_wind_contract, &relative_wind<T>, "share");
  define(module, crossing_rates_contract, &crossing_rates<T>);
}

}  // namespace

HALOCLINE_BIND(moving_water) {
  bind<float>(module);
  bind<double>(module);
}

}  // namespace halocline::waves
