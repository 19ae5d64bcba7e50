#include "runtime/sums/reductions.hpp"

#include "bind.hpp"

using namespace halocline;

HALOCLINE_BIND(reductions) {
  const auto free = nb::call_guard<nb::gil_scoped_release>();
  module.def("add_exactly", &add_exactly<float>, "values"_a, "parts"_a, free);
  module.def("add_exactly", &add_exactly<double>, "values"_a, "parts"_a, free);
  module.def("add_ordinarily", &add_ordinarily<float>, "values"_a, "parts"_a, free);
  module.def("add_ordinarily", &add_ordinarily<double>, "values"_a, "parts"_a, free);
  module.def("judge_parts", &judge_parts, "parts"_a, "words"_a);
  module.def("round_parts", &round_parts, "totals"_a, "values"_a);
  module.def("exponent_of", &exponent_of, "largest"_a);
  module.attr("part_count") = part_count;
  module.attr("word_count") = word_count;
  module.attr("largest_place") = largest_place;
  module.attr("exponent_place") = exponent_place;
  module.attr("least_exponent") = least_exponent;
  module.attr("greatest_exponent") = greatest_exponent;
}
