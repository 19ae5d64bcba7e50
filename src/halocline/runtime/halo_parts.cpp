#include "runtime/halo_parts.hpp"

#include "bind.hpp"
#include "runtime/patience.hpp"

using namespace halocline;

static void take(View1<const Flag> from, View1<std::uint32_t> to, std::uint32_t count) {
  std::ptrdiff_t at = 0;
  wait_patiently([&] {
    at = take_counted(from, to, count, at);
    return at == to.extent[0];
  });
}

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
  module.def("put_counted", &put_counted, "from_words"_a, "to"_a, "count"_a, free);
  module.def("take_counted", &take, "from_words"_a, "to"_a, "count"_a);
}
