#include "turning.hpp"

#include "bind.hpp"

namespace halocline::waves {
namespace {

template <class T>
void bind(nb::module_& module) {
  define(module, turn_directions_contract, &turn_directions<T>, "step", "steps", "scheme");
}

}  // namespace

HALOCLINE_BIND(turning) {
  bind<float>(module);
  bind<double>(module);
}

}  // namespace halocline::waves
