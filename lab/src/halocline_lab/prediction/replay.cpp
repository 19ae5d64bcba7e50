#include "prediction/replay.hpp"

#include <nanobind/stl/array.h>
#include <nanobind/stl/vector.h>

#include "bind.hpp"

using namespace halocline;

namespace {

std::array<std::int64_t, 4> replay(View1<const std::uint8_t> operations,
                                   View1<const std::int64_t> first, const Members& communicators,
                                   View2<const double> inside, View2<const double> between,
                                   const Wiring& wiring, View1<const std::int32_t> node_of_rank,
                                   View1<const std::int32_t> processors,
                                   View2<const double> algorithms, const ReplayOptions& options,
                                   View1<double> begins, View1<double> ends,
                                   View1<double> repetitions, View2<double> summary,
                                   View1<std::int64_t> stuck) {
  Network network(inside, between, wiring, node_of_rank);
  Replay all(operations, first, communicators, network, node_of_rank, processors, algorithms,
             options);
  all.run(begins, ends, repetitions, summary, stuck);
  return all.mismatch();
}

}  // namespace

HALOCLINE_BIND(replay) {
  nb::class_<Wiring>(module, "Wiring")
      .def(nb::init<>())
      .def_rw("kind", &Wiring::kind)
      .def_rw("leaf_nodes", &Wiring::leaf_nodes)
      .def_rw("uplinks", &Wiring::uplinks)
      .def_rw("shape", &Wiring::shape)
      .def_rw("hop_latency", &Wiring::hop_latency)
      .def_rw("link_per_byte", &Wiring::link_per_byte)
      .def_rw("node_gap", &Wiring::node_gap)
      .def_rw("node_per_byte", &Wiring::node_per_byte)
      .def_rw("memory_per_byte", &Wiring::memory_per_byte);
  nb::class_<Noise>(module, "Noise")
      .def(nb::init<>())
      .def_rw("kind", &Noise::kind)
      .def_rw("period", &Noise::period)
      .def_rw("duration", &Noise::duration)
      .def_rw("probability", &Noise::probability)
      .def_rw("together", &Noise::together)
      .def_rw("seed", &Noise::seed);
  nb::class_<ReplayOptions>(module, "ReplayOptions")
      .def(nb::init<>())
      .def_rw("noise", &ReplayOptions::noise)
      .def_rw("reduction", &ReplayOptions::reduction)
      .def_rw("watching", &ReplayOptions::watching)
      .def_rw("wake", &ReplayOptions::wake)
      .def_rw("progress", &ReplayOptions::progress)
      .def_rw("repeats", &ReplayOptions::repeats);
  module.def("replay", &replay, "operations"_a, "first"_a, "communicators"_a, "inside"_a,
             "between"_a, "wiring"_a, "node_of_rank"_a, "processors"_a, "algorithms"_a, "options"_a,
             "begins"_a, "ends"_a, "repetitions"_a, "summary"_a, "stuck"_a);
}
