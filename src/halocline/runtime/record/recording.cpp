#include "recording.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <vector>

#include "bind.hpp"

using namespace halocline;

/// Regions of the messages of an exchange: starts of sends and of receives, and their ends.
struct ExchangeRegions {
  std::uint32_t sends, receives, ends;
};

/// All messages of one exchange, between its begin and its end.
static void add_exchange(Recording& recording, const ExchangeRegions& regions,
                         View1<const std::int64_t> targets, View1<const std::int64_t> sent,
                         View1<const std::int64_t> sources, View1<const std::int64_t> received,
                         std::int64_t begin, std::int64_t end, std::int32_t tag,
                         std::uint32_t first_request) {
  std::uint32_t request = first_request;
  const auto partner = [](std::int64_t rank) { return static_cast<std::int32_t>(rank); };
  for (std::ptrdiff_t n = 0; n < sources.extent[0]; ++n)
    recording.add(regions.receives, begin, begin,
                  {received(n), partner(sources(n)), tag, request++, 0});
  for (std::ptrdiff_t n = 0; n < targets.extent[0]; ++n)
    recording.add(regions.sends, begin, begin, {sent(n), partner(targets(n)), tag, request++, 0});
  for (std::ptrdiff_t n = 0; n < sources.extent[0]; ++n)
    recording.add(
        regions.ends, end, end,
        {received(n), partner(sources(n)), tag, first_request + static_cast<std::uint32_t>(n), 0});
  for (std::ptrdiff_t n = 0; n < targets.extent[0]; ++n)
    recording.add(regions.ends, end, end,
                  {sent(n), partner(targets(n)), tag,
                   first_request + static_cast<std::uint32_t>(sources.extent[0] + n), 0});
}

HALOCLINE_BIND(recording) {
  // Recordings may live as long as the process: a solver that is kept holds one.
  nb::set_leak_warnings(false);
  module.def("now_ns", &now_ns);
  module.def("recording_cost", &recording_cost);
  module.def("limits_of", &limits_of, "ranks"_a);
  nb::class_<RecordingLimits>(module, "RecordingLimits")
      .def(nb::init<>())
      .def_rw("ring", &RecordingLimits::ring)
      .def_rw("kept", &RecordingLimits::kept)
      .def_rw("window", &RecordingLimits::window)
      .def_rw("step_rows", &RecordingLimits::step_rows)
      .def_rw("tail_steps", &RecordingLimits::tail_steps)
      .def_rw("first_window", &RecordingLimits::first_window);
  nb::class_<Recording>(module, "Recording")
      .def(nb::init<RecordingLimits>(), "limits"_a)
      .def("region", &Recording::region, "name"_a, "kind"_a, "site"_a)
      .def("begin", &Recording::begin, "region"_a)
      .def("end", [](Recording& recording) { recording.end(); })
      .def(
          "add",
          [](Recording& recording, std::uint32_t region, std::int64_t begin, std::int64_t end,
             std::int64_t bytes,
             std::int32_t partner) { recording.add(region, begin, end, {bytes, partner}); },
          "region"_a, "begin"_a, "end"_a, "bytes"_a, "partner"_a)
      .def(
          "add_of_all",
          [](Recording& recording, std::uint32_t region, std::int64_t begin, std::int64_t end,
             std::int64_t bytes, std::uint16_t communicator) {
            recording.add(region, begin, end, {bytes, nobody, 0, 0, communicator});
          },
          "region"_a, "begin"_a, "end"_a, "bytes"_a, "communicator"_a)
      .def(
          "exchange",
          [](Recording& recording, std::uint32_t sends, std::uint32_t receives, std::uint32_t ends,
             View1<const std::int64_t> targets, View1<const std::int64_t> sent,
             View1<const std::int64_t> sources, View1<const std::int64_t> received,
             std::int64_t begin, std::int64_t end, std::int32_t tag, std::uint32_t request) {
            add_exchange(recording, {sends, receives, ends}, targets, sent, sources, received,
                         begin, end, tag, request);
          },
          "sends"_a, "receives"_a, "ends"_a, "targets"_a, "sent"_a, "sources"_a, "received"_a,
          "begin"_a, "end"_a, "tag"_a, "request"_a)
      .def("add_beside", &Recording::add_beside, "region"_a, "begin"_a, "end"_a)
      .def("step_begin", &Recording::step_begin)
      .def("step_end", &Recording::step_end)
      .def_prop_ro("calls", &Recording::calls)
      .def_prop_ro("steps", &Recording::steps)
      .def(
          "part",
          [](Recording& recording, std::uint32_t rank, std::uint32_t size, std::string_view about) {
            const std::string bytes = recording.part(rank, size, about);
            return nb::bytes(bytes.data(), bytes.size());
          },
          "rank"_a, "size"_a, "about"_a);
}
