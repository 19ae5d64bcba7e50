#include "runtime/halos/columns.hpp"

#include "bind.hpp"

using namespace halocline;

template <class T>
static void bind_type(nb::module_& module) {
  const auto free = nb::call_guard<nb::gil_scoped_release>();
  module.def("poison", &poison<T>, "to"_a, "index"_a, free);
}

HALOCLINE_BIND(halos) {
  bind_type<float>(module);
  bind_type<double>(module);
  bind_type<std::int32_t>(module);
}
