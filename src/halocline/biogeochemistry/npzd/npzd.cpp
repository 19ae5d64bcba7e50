#include "biogeochemistry/npzd/npzd.hpp"

#include "bind.hpp"

namespace halocline::biogeochemistry::npzd {
namespace {

HALOCLINE_BIND(npzd) {
  nb::class_<NpzdNumbers>(module, "NpzdNumbers")
      .def(nb::init<>())
      .def_rw("warming", &NpzdNumbers::warming)
      .def_rw("growth", &NpzdNumbers::growth)
      .def_rw("slope", &NpzdNumbers::slope)
      .def_rw("nutrient_half", &NpzdNumbers::nutrient_half)
      .def_rw("respiration", &NpzdNumbers::respiration)
      .def_rw("death", &NpzdNumbers::death)
      .def_rw("grazing", &NpzdNumbers::grazing)
      .def_rw("prey_half", &NpzdNumbers::prey_half)
      .def_rw("assimilation", &NpzdNumbers::assimilation)
      .def_rw("excretion", &NpzdNumbers::excretion)
      .def_rw("predation", &NpzdNumbers::predation)
      .def_rw("remineralisation", &NpzdNumbers::remineralisation)
      .def_rw("carbon_per_nitrogen", &NpzdNumbers::carbon_per_nitrogen);
  define(module, npzd_react_contract, &npzd_react<float>, "numbers", "dt");
  define(module, npzd_react_contract, &npzd_react<double>, "numbers", "dt");
}

}  // namespace
}  // namespace halocline::biogeochemistry::npzd
