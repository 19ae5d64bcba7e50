#include "runtime/halos/parts.hpp"

#include "bind.hpp"

using namespace halocline;

HALOCLINE_BIND(halo_parts) {
  const auto free = nb::call_guard<nb::gil_scoped_release>();
  nb::class_<Parts>(module, "Parts")
      .def(nb::init<>())
      .def("add", &Parts::add, "array"_a, "buffer"_a, "offset"_a, "item"_a, "first_row"_a, "rows"_a,
           "places"_a)
      .def("pack", &Parts::pack, "arrays"_a, "buffers"_a, "first"_a, "last"_a, free)
      .def("unpack", &Parts::unpack, "arrays"_a, "buffers"_a, free)
      .def("__len__", &Parts::size);
  nb::class_<Copies>(module, "Copies")
      .def(nb::init<>())
      .def("add", &Copies::add, "from_array"_a, "to_array"_a, "item"_a, "rows"_a, "from_places"_a,
           "to_places"_a)
      .def("run", &Copies::run, "arrays"_a, free)
      .def("__len__", &Copies::size);
  nb::class_<Turns>(module, "Turns")
      .def(nb::init<>())
      .def("add", &Turns::add, "array"_a, "item"_a, "rows"_a, "places"_a)
      .def("run", &Turns::run, "arrays"_a, free)
      .def("__len__", &Turns::size);
}
