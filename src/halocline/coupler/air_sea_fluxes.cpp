#include "coupler/air_sea_fluxes.hpp"

#include "bind.hpp"

using namespace halocline;

namespace {

template <class T>
void bind(nb::module_& module) {
  define(module, air_sea_fluxes_contract, &air_sea_fluxes<T>, "wind_height", "air_height",
         "gravity", "cool_skin", "turns");
}

}  // namespace

HALOCLINE_BIND(coupler_air_sea_fluxes) {
  bind<float>(module);
  bind<double>(module);
}
