#include "biogeochemistry/light.hpp"

#include "bind.hpp"

namespace halocline::biogeochemistry {
namespace {

template <class T>
void bind_in(nb::module_& module) {
  define(module, surface_light_contract, &surface_light<T>, "per_watt", "course", "declination",
         "begin", "end");
  define(module, light_in_water_contract, &light_in_water<T>, "mean");
}

HALOCLINE_BIND(light) {
  bind_in<float>(module);
  bind_in<double>(module);
}

}  // namespace
}  // namespace halocline::biogeochemistry
