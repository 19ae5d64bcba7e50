#include "atmosphere/diagnostics/wind_at_centers.hpp"

#include "bind.hpp"

using namespace halocline;

namespace {

template <class T>
void bind(nb::module_& module) {
  define(module, atmosphere_wind_at_centers_contract, &atmosphere_wind_at_centers<T>);
}

}  // namespace

HALOCLINE_BIND(atmosphere_wind_at_centers) {
  bind<float>(module);
  bind<double>(module);
}
