#include "runtime/record/hardware_counters.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <tuple>

#include "bind.hpp"

using namespace halocline;

HALOCLINE_BIND(hardware_counters) {
  nb::class_<HardwareCounter>(module, "HardwareCounter")
      .def(
          "__init__",
          [](HardwareCounter* counter,
             const std::vector<std::tuple<std::uint32_t, std::uint64_t, double>>& events) {
            std::vector<HardwareCounter::Event> wanted;
            for (const auto& [type, config, weight] : events)
              wanted.push_back({type, config, weight});
            new (counter) HardwareCounter(wanted);
          },
          "events"_a)
      .def_prop_ro("works", &HardwareCounter::works)
      .def("mark", &HardwareCounter::mark)
      .def("since", &HardwareCounter::since);
}
