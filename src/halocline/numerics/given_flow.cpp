#include "numerics/given_flow.hpp"

#include "bind.hpp"

using namespace halocline;

namespace {

template <class T>
void bind(nb::module_& module) {
  define(module, between_centers_contract, &between<T>, "weight");
  define(module, between_x_faces_contract, &between<T>, "weight");
  define(module, between_y_faces_contract, &between<T>, "weight");
  define(module, corners_to_x_faces_contract, &corners_to_x_faces<T>);
  define(module, corners_to_y_faces_contract, &corners_to_y_faces<T>);
  define(module, fit_volumes_contract, &fit_volumes<T>, "dt", "x_first", "at_once");
}

}  // namespace

HALOCLINE_BIND(given_flow) {
  bind<float>(module);
  bind<double>(module);
}
