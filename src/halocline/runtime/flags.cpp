#include "runtime/flags.hpp"

#include "bind.hpp"

using namespace halocline;

/// Wait without the interpreter's lock, but let signals be handled now and then.
template <class Ready>
static void wait_patiently(Ready&& ready) {
  while (true) {
    {
      nb::gil_scoped_release free;
      if (wait_until(ready)) return;
    }
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
  }
}

static void post(View1<Flag> flags, std::ptrdiff_t at, Flag value) { write_flag(flags(at), value); }

static bool posted(View1<const Flag> flags, std::ptrdiff_t at, Flag value) {
  return read_flag(flags(at)) >= value;
}

static void wait_for(View1<const Flag> flags, std::ptrdiff_t at, Flag value) {
  wait_patiently([&] { return read_flag(flags(at)) >= value; });
}

static void wait_for_all(View1<const Flag> flags, View1<const std::int64_t> places, Flag value) {
  for (std::ptrdiff_t n = 0; n < places.extent[0]; ++n) wait_for(flags, places(n), value);
}

HALOCLINE_BIND(flags) {
  module.def("set_spins", [](int count) { spins = count; }, "count"_a);
  module.def("post", &post, "flags"_a, "at"_a, "value"_a);
  module.def("posted", &posted, "flags"_a, "at"_a, "value"_a);
  module.def("wait_for", &wait_for, "flags"_a, "at"_a, "value"_a);
  module.def("wait_for_all", &wait_for_all, "flags"_a, "places"_a, "value"_a);
}
