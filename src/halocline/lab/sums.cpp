#include "lab/sums.hpp"

#include "bind.hpp"

using namespace halocline;

HALOCLINE_BIND(sums) { module.def("add_in_sequence", &add_in_sequence, "values"_a); }
