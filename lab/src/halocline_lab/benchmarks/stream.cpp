#include "benchmarks/stream.hpp"

#include <omp.h>

#include "bind.hpp"

using namespace halocline;

HALOCLINE_BIND(stream) {
  module.def("stream_copy", &stream_copy, "a"_a, "b"_a, "threads"_a);
  module.def("stream_triad", &stream_triad, "a"_a, "b"_a, "c"_a, "scale"_a, "threads"_a);
  module.def("threads", [] { return omp_get_max_threads(); });
}
