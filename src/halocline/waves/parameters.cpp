#include "parameters.hpp"

#include "bind.hpp"

using namespace halocline;

namespace {

template <class T>
void bind(nb::module_& module) {
  define(module, mean_parameters_contract, &mean_parameters<T>, "factor", "gravity", "missing");
}

}  // namespace

HALOCLINE_BIND(parameters) {
  bind<float>(module);
  bind<double>(module);
}
