#include "runtime/halos/shared.hpp"

#include "bind.hpp"

using namespace halocline;

using Table = View2<const Address>;
using Row = View1<const Address>;

HALOCLINE_BIND(halo_shared) {
  nb::class_<Signals>(module, "Signals")
      .def(
          "__init__",
          [](Signals* self, Row not_taken, Row tell, Row come, Row take) {
            new (self) Signals{Counters(not_taken), Counters(tell), Counters(come), Counters(take)};
          },
          "not_taken"_a, "tell"_a, "come"_a, "take"_a);
  nb::class_<SharedMoves>(module, "SharedMoves")
      .def(nb::init<const Parts&, const Parts&, const Signals&, Table, Table>(), "packer"_a,
           "unpacker"_a, "signals"_a, "out"_a, "into"_a, nb::keep_alive<1, 2>(),
           nb::keep_alive<1, 3>())
      .def("may_start", &SharedMoves::may_start)
      .def("may_finish", &SharedMoves::may_finish)
      .def("start", &SharedMoves::start, "arrays"_a)
      .def("finish", &SharedMoves::finish, "arrays"_a);
  nb::class_<CountedMoves>(module, "CountedMoves")
      .def(nb::init<const Parts&, const Parts&, const Signals&, Table, Table, Table, Table>(),
           "packer"_a, "unpacker"_a, "signals"_a, "out"_a, "into"_a, "sent"_a, "received"_a,
           nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>())
      .def("may_start", &CountedMoves::may_start)
      .def("may_finish", &CountedMoves::may_finish)
      .def("start", &CountedMoves::start, "arrays"_a)
      .def("finish", &CountedMoves::finish, "arrays"_a);
}
