#include "absolute_frequency.hpp"

#include "bind.hpp"

namespace halocline::waves {
namespace {

template <class T>
void bind(nb::module_& module) {
  define(module, absolute_peak_contract, &absolute_peak<T>, "gravity", "missing");
}

}  // namespace

HALOCLINE_BIND(absolute_frequency) {
  bind<float>(module);
  bind<double>(module);
}

}  // namespace halocline::waves
