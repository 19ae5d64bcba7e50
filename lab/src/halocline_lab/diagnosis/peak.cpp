#include "diagnosis/peak.hpp"

#include "bind.hpp"

using namespace halocline;

HALOCLINE_BIND(peak) {
  const auto free = nb::call_guard<nb::gil_scoped_release>();
  module.def("multiply_and_add", &multiply_and_add, "repeats"_a, "factor"_a, "summand"_a,
             "threads"_a, free);
  module.def("peak_operations", &peak_operations, "repeats"_a);
}
