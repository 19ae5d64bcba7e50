#include "atmosphere/sides/given_sides.hpp"

#include "atmosphere/sides/given_water.hpp"
#include "bind.hpp"

using namespace halocline;

namespace {

template <class T>
void bind(nb::module_& module) {
  define(module, atmosphere_draw_u_contract, &atmosphere_draw_u<T>, "share", "pull", "smoothing");
  define(module, atmosphere_draw_v_contract, &atmosphere_draw_v<T>, "share", "pull", "smoothing");
  define(module, atmosphere_draw_cells_contract, &atmosphere_draw_cells<T>, "share", "pull",
         "smoothing");
  define(module, atmosphere_given_u_contract, &atmosphere_given_u<T>, "share", "elapsed");
  define(module, atmosphere_given_v_contract, &atmosphere_given_v<T>, "share", "elapsed");
  define(module, atmosphere_given_cells_contract, &atmosphere_given_cells<T>, "share", "elapsed",
         "ahead", "dt");
  define(module, atmosphere_given_w_contract, &atmosphere_given_w<T>, "share", "elapsed");
  define(module, atmosphere_inner_w_contract, &atmosphere_inner_w<T>);
  define(module, atmosphere_draw_water_contract, &atmosphere_draw_water<T>, "share", "pull",
         "smoothing", "fresh");
  define(module, atmosphere_given_water_contract, &atmosphere_given_water<T>, "share", "elapsed");
}

}  // namespace

HALOCLINE_BIND(atmosphere_given_sides) {
  bind<float>(module);
  bind<double>(module);
}
