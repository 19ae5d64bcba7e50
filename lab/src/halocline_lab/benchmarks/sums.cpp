#include "benchmarks/sums.hpp"

#include "bind.hpp"

using namespace halocline;

HALOCLINE_BIND(sums) {
  const auto free = nb::call_guard<nb::gil_scoped_release>();
  module.def("add_in_sequence", &add_in_sequence, "values"_a);
  module.def("time_flag_sum", &time_shared_sum<ByFlag>, "ranks"_a, "count"_a, "repeats"_a, free);
  module.def("time_sentinel_sum", &time_shared_sum<BySentinel>, "ranks"_a, "count"_a, "repeats"_a,
             free);
}
