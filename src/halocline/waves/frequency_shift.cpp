#include "frequency_shift.hpp"

#include "bind.hpp"

namespace halocline::waves {
namespace {

template <class T>
void bind(nb::module_& module) {
  define(module, shift_frequencies_contract, &shift_frequencies<T>, "step", "steps", "scheme",
         "open", "tail");
}

}  // namespace

HALOCLINE_BIND(frequency_shift) {
  bind<float>(module);
  bind<double>(module);
}

}  // namespace halocline::waves
