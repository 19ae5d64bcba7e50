#include "biogeochemistry/bfm/sinking.hpp"

#include "bind.hpp"

namespace halocline::biogeochemistry::bfm {
namespace {

template <class T>
void bind_kernel(nb::module_& module) {
  define(module, bfm_sink_contract, &bfm_sink<T>, "numbers", "dt");
}

HALOCLINE_BIND(bfm_sinking) {
  nb::class_<SinkingNumbers<double>>(module, "SinkingNumbers")
      .def(nb::init<>())
      .def_rw("detritus", &SinkingNumbers<double>::detritus)
      .def_rw("calcite", &SinkingNumbers<double>::calcite)
      .def_rw("buried_detritus", &SinkingNumbers<double>::buried_detritus)
      .def_rw("buried_calcite", &SinkingNumbers<double>::buried_calcite)
      .def_rw("dissolved_return", &SinkingNumbers<double>::dissolved_return)
      .def_rw("particulate_return", &SinkingNumbers<double>::particulate_return)
      .def_rw("nitrate_share", &SinkingNumbers<double>::nitrate_share)
      .def_rw("warming", &SinkingNumbers<double>::warming)
      .def_rw("base_temperature", &SinkingNumbers<double>::base_temperature)
      .def_rw("oxygen_half", &SinkingNumbers<double>::oxygen_half)
      .def_rw("closed", &SinkingNumbers<double>::closed)
      .def_rw("returned", &SinkingNumbers<double>::returned);
  nb::class_<SinkingGroups<double>>(module, "SinkingGroups")
      .def(nb::init<>())
      .def_rw("P1", &SinkingGroups<double>::P1)
      .def_rw("P2", &SinkingGroups<double>::P2)
      .def_rw("P3", &SinkingGroups<double>::P3)
      .def_rw("P4", &SinkingGroups<double>::P4)
      .def_rw("cytoplasm", &SinkingGroups<double>::cytoplasm)
      .def_rw("chemistry", &SinkingGroups<double>::chemistry)
      .def_rw("sinking", &SinkingGroups<double>::sinking);
  bind_kernel<float>(module);
  bind_kernel<double>(module);
}

}  // namespace
}  // namespace halocline::biogeochemistry::bfm
