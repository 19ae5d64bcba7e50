#include "ocean/stability.hpp"

#include "bind.hpp"
#include "ocean/density.hpp"

using namespace halocline;

namespace {

template <class T>
void bind(nb::module_& module) {
  define(module, ocean_density_contract, &ocean_density<T>, "numbers");
  define(module, ocean_stability_contract, &ocean_stability<T>, "gravity", "numbers");
  define(module, ocean_expansion_contract, &ocean_expansion<T>, "numbers");
  define(module, ocean_freezing_contract, &ocean_freezing<T>);
}

}  // namespace

HALOCLINE_BIND(stability) {
  nb::class_<DensityNumbers>(module, "DensityNumbers")
      .def(nb::init<>())
      .def_rw("equation", &DensityNumbers::equation)
      .def_rw("reference", &DensityNumbers::reference)
      .def_rw("at", &DensityNumbers::at)
      .def_rw("expansion", &DensityNumbers::expansion)
      .def_rw("contraction", &DensityNumbers::contraction)
      .def_rw("temperature", &DensityNumbers::temperature)
      .def_rw("salinity", &DensityNumbers::salinity);
  module.def("pressure_at", &pressure_at, "depth"_a);
  bind<float>(module);
  bind<double>(module);
}
