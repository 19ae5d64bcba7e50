#include "runtime/halos/columns.hpp"

#include "bind.hpp"

using namespace halocline;

template <class T>
static void bind_type(nb::module_& module) {
  const auto free = nb::call_guard<nb::gil_scoped_release>();
  module.def("poison", &poison<T>, "to"_a, "index"_a, free);
  module.def("deal_out", &deal_out<T>, "from_array"_a, "rows"_a, "hand"_a, "hands"_a, "to"_a, free);
  module.def("take_in", &take_in<T>, "from_array"_a, "rows"_a, "hand"_a, "hands"_a, "to"_a, free);
}

HALOCLINE_BIND(halos) {
  bind_type<float>(module);
  bind_type<double>(module);
  bind_type<std::int32_t>(module);
}
