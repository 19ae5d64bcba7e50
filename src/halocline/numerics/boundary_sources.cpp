#include "numerics/boundary_sources.hpp"

#include "bind.hpp"

using namespace halocline;

namespace {

template <class T>
void bind(nb::module_& module) {
  define(module, count_surface_water_contract, &count_surface_water<T>);
  define(module, dilute_contract, &dilute<T>);
  define(module, surface_sources_contract, &surface_sources<T>, "dt");
  define(module, draw_to_profiles_contract, &draw_to_profiles<T>);
}

}  // namespace

HALOCLINE_BIND(boundary_sources) {
  bind<float>(module);
  bind<double>(module);
}
