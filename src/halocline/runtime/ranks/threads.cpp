#include "bind.hpp"
#include "schedules.hpp"

using namespace halocline;

HALOCLINE_BIND(threads) { module.def("set_threads", &omp_set_num_threads, "threads"_a); }
