#include "numerics/row_waves.hpp"

#include "bind.hpp"

using namespace halocline;

HALOCLINE_BIND(row_waves) {
  const auto free = nb::call_guard<nb::gil_scoped_release>();
  module.def("lessen_row_waves", &lessen_row_waves<float>, "values"_a, "weights"_a, free);
  module.def("lessen_row_waves", &lessen_row_waves<double>, "values"_a, "weights"_a, free);
}
