#include "diagnosis/fixed_work.hpp"

#include "bind.hpp"

using namespace halocline;

HALOCLINE_BIND(fixed_work) {
  const auto free = nb::call_guard<nb::gil_scoped_release>();
  module.def("fixed_work", &fixed_work, "rounds"_a, "begin"_a, "end"_a, free);
}
