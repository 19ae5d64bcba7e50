#include "runtime/ranks/flags.hpp"

#include "bind.hpp"
#include "runtime/ranks/patience.hpp"

using namespace halocline;

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

/// Flags by address, in whatever segments they lie.
static bool reached(View1<const std::int64_t> addresses, Flag value) {
  for (std::ptrdiff_t n = 0; n < addresses.extent[0]; ++n)
    if (read_flag(*reinterpret_cast<const Flag*>(addresses(n))) < value) return false;
  return true;
}

HALOCLINE_BIND(flags) {
  module.def("set_spins", [](int count) { spins = count; }, "count"_a);
  module.def("post", &post, "flags"_a, "at"_a, "value"_a);
  module.def("posted", &posted, "flags"_a, "at"_a, "value"_a);
  module.def("wait_for", &wait_for, "flags"_a, "at"_a, "value"_a);
  module.def("wait_for_all", &wait_for_all, "flags"_a, "places"_a, "value"_a);
  module.def("reached", &reached, "addresses"_a, "value"_a);
}
