#include "atmosphere/dynamics/water_transport.hpp"

#include "bind.hpp"

using namespace halocline;

namespace {

template <class T>
void bind(nb::module_& module) {
  define(module, atmosphere_mean_fluxes_contract, &atmosphere_mean_fluxes<T>, "share");
  define(module, atmosphere_move_water_contract, &atmosphere_move_water<T>, "dt", "order",
         "vertical_order", "weno");
  define(module, atmosphere_water_shares_contract, &atmosphere_water_shares<T>, "dt", "order",
         "vertical_order", "weno");
  define(module, atmosphere_move_water_within_contract, &atmosphere_move_water_within<T>, "dt",
         "order", "vertical_order", "weno");
}

}  // namespace

HALOCLINE_BIND(atmosphere_water_transport) {
  bind<float>(module);
  bind<double>(module);
}
