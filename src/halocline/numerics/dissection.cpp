#include "numerics/dissection.hpp"

#include "bind.hpp"

using namespace halocline;

template <class P>
static void bind(nb::module_& module, const char* name) {
  const auto free = nb::call_guard<nb::gil_scoped_release>();
  nb::class_<Dissection<P>>(module, name)
      .def(
          "__init__",
          [](Dissection<P>* self, View1<const double> diagonal, View2<const double> coupling,
             View2<const std::int32_t> neighbour, View2<const std::int32_t> place) {
            new (self) Dissection<P>(CellSystem{diagonal, coupling, neighbour, place});
          },
          "diagonal"_a, "coupling"_a, "neighbour"_a, "place"_a, free)
      .def("order", &Dissection<P>::order, "cells"_a)
      .def("solve", &Dissection<P>::solve, "x"_a, free)
      .def("__len__", &Dissection<P>::size);
}

HALOCLINE_BIND(dissection) {
  bind<float>(module, "DissectionFloat32");
  bind<double>(module, "DissectionFloat64");
}
