#include "runtime/reductions.hpp"

#include "bind.hpp"

using namespace halocline;

HALOCLINE_BIND(reductions) {
  const auto free = nb::call_guard<nb::gil_scoped_release>();
  module.def("add_exactly", &add_exactly<float>, "values"_a, "exponent"_a, "folds"_a, free);
  module.def("add_exactly", &add_exactly<double>, "values"_a, "exponent"_a, "folds"_a, free);
}
