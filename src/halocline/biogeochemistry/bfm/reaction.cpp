#include "biogeochemistry/bfm/reaction.hpp"

#include "bind.hpp"

namespace halocline::biogeochemistry::bfm {
namespace {

void bind_groups(nb::module_& module) {
  nb::class_<PhytoplanktonNumbers<double>>(module, "PhytoplanktonNumbers")
      .def(nb::init<>())
      .def_rw("warming", &PhytoplanktonNumbers<double>::warming)
      .def_rw("temperature_cutoff", &PhytoplanktonNumbers<double>::temperature_cutoff)
      .def_rw("maximum_rate", &PhytoplanktonNumbers<double>::maximum_rate)
      .def_rw("basal_respiration", &PhytoplanktonNumbers<double>::basal_respiration)
      .def_rw("stress_lysis", &PhytoplanktonNumbers<double>::stress_lysis)
      .def_rw("stress_lysis_half", &PhytoplanktonNumbers<double>::stress_lysis_half)
      .def_rw("extra_lysis", &PhytoplanktonNumbers<double>::extra_lysis)
      .def_rw("extra_lysis_half", &PhytoplanktonNumbers<double>::extra_lysis_half)
      .def_rw("excretion", &PhytoplanktonNumbers<double>::excretion)
      .def_rw("activity_respiration", &PhytoplanktonNumbers<double>::activity_respiration)
      .def_rw("exudes_semi_labile", &PhytoplanktonNumbers<double>::exudes_semi_labile)
      .def_rw("net_growth", &PhytoplanktonNumbers<double>::net_growth)
      .def_rw("least_adaptation", &PhytoplanktonNumbers<double>::least_adaptation)
      .def_rw("limitation", &PhytoplanktonNumbers<double>::limitation)
      .def_rw("nitrogen_affinity", &PhytoplanktonNumbers<double>::nitrogen_affinity)
      .def_rw("ammonium_preference", &PhytoplanktonNumbers<double>::ammonium_preference)
      .def_rw("least_nitrogen", &PhytoplanktonNumbers<double>::least_nitrogen)
      .def_rw("reference_nitrogen", &PhytoplanktonNumbers<double>::reference_nitrogen)
      .def_rw("nitrogen_luxury", &PhytoplanktonNumbers<double>::nitrogen_luxury)
      .def_rw("phosphorus_affinity", &PhytoplanktonNumbers<double>::phosphorus_affinity)
      .def_rw("least_phosphorus", &PhytoplanktonNumbers<double>::least_phosphorus)
      .def_rw("reference_phosphorus", &PhytoplanktonNumbers<double>::reference_phosphorus)
      .def_rw("phosphorus_luxury", &PhytoplanktonNumbers<double>::phosphorus_luxury)
      .def_rw("silicate_control", &PhytoplanktonNumbers<double>::silicate_control)
      .def_rw("silicon_affinity", &PhytoplanktonNumbers<double>::silicon_affinity)
      .def_rw("least_silicon", &PhytoplanktonNumbers<double>::least_silicon)
      .def_rw("silicon_luxury", &PhytoplanktonNumbers<double>::silicon_luxury)
      .def_rw("silicate_half", &PhytoplanktonNumbers<double>::silicate_half)
      .def_rw("reference_silicon", &PhytoplanktonNumbers<double>::reference_silicon)
      .def_rw("silicon_excess_rate", &PhytoplanktonNumbers<double>::silicon_excess_rate)
      .def_rw("base_sinking", &PhytoplanktonNumbers<double>::base_sinking)
      .def_rw("stress_sinking", &PhytoplanktonNumbers<double>::stress_sinking)
      .def_rw("stress_sinking_below", &PhytoplanktonNumbers<double>::stress_sinking_below)
      .def_rw("rain_ratio", &PhytoplanktonNumbers<double>::rain_ratio)
      .def_rw("rain_half", &PhytoplanktonNumbers<double>::rain_half)
      .def_rw("least_rain", &PhytoplanktonNumbers<double>::least_rain)
      .def_rw("most_rain", &PhytoplanktonNumbers<double>::most_rain)
      .def_rw("initial_slope", &PhytoplanktonNumbers<double>::initial_slope)
      .def_rw("most_chlorophyll", &PhytoplanktonNumbers<double>::most_chlorophyll)
      .def_rw("chlorophyll_by_nutrients", &PhytoplanktonNumbers<double>::chlorophyll_by_nutrients)
      .def_rw("chlorophyll_turnover", &PhytoplanktonNumbers<double>::chlorophyll_turnover);
  nb::class_<BacteriaNumbers<double>>(module, "BacteriaNumbers")
      .def(nb::init<>())
      .def_rw("warming", &BacteriaNumbers<double>::warming)
      .def_rw("oxygen_half", &BacteriaNumbers<double>::oxygen_half)
      .def_rw("mortality", &BacteriaNumbers<double>::mortality)
      .def_rw("uptake_rich_R1", &BacteriaNumbers<double>::uptake_rich_R1)
      .def_rw("uptake_poor_R1", &BacteriaNumbers<double>::uptake_poor_R1)
      .def_rw("uptake_R2", &BacteriaNumbers<double>::uptake_R2)
      .def_rw("uptake_R3", &BacteriaNumbers<double>::uptake_R3)
      .def_rw("uptake_R6", &BacteriaNumbers<double>::uptake_R6)
      .def_rw("maximum_rate", &BacteriaNumbers<double>::maximum_rate)
      .def_rw("activity_respiration", &BacteriaNumbers<double>::activity_respiration)
      .def_rw("anoxic_respiration", &BacteriaNumbers<double>::anoxic_respiration)
      .def_rw("rest_respiration", &BacteriaNumbers<double>::rest_respiration)
      .def_rw("optimal_nitrogen", &BacteriaNumbers<double>::optimal_nitrogen)
      .def_rw("optimal_phosphorus", &BacteriaNumbers<double>::optimal_phosphorus)
      .def_rw("ammonium_half", &BacteriaNumbers<double>::ammonium_half)
      .def_rw("phosphate_half", &BacteriaNumbers<double>::phosphate_half)
      .def_rw("nitrogen_relaxation", &BacteriaNumbers<double>::nitrogen_relaxation)
      .def_rw("phosphorus_relaxation", &BacteriaNumbers<double>::phosphorus_relaxation);
  nb::class_<CytoplasmNumbers<double>>(module, "CytoplasmNumbers")
      .def(nb::init<>())
      .def_rw("carbon", &CytoplasmNumbers<double>::carbon)
      .def_rw("nitrogen", &CytoplasmNumbers<double>::nitrogen)
      .def_rw("phosphorus", &CytoplasmNumbers<double>::phosphorus);
}

void bind_grazers(nb::module_& module) {
  nb::class_<DietNumbers<double>>(module, "DietNumbers")
      .def(nb::init<>())
      .def_rw("B1", &DietNumbers<double>::B1)
      .def_rw("P1", &DietNumbers<double>::P1)
      .def_rw("P2", &DietNumbers<double>::P2)
      .def_rw("P3", &DietNumbers<double>::P3)
      .def_rw("P4", &DietNumbers<double>::P4)
      .def_rw("Z3", &DietNumbers<double>::Z3)
      .def_rw("Z4", &DietNumbers<double>::Z4)
      .def_rw("Z5", &DietNumbers<double>::Z5)
      .def_rw("Z6", &DietNumbers<double>::Z6);
  nb::class_<MicrozooplanktonNumbers<double>>(module, "MicrozooplanktonNumbers")
      .def(nb::init<>())
      .def_rw("warming", &MicrozooplanktonNumbers<double>::warming)
      .def_rw("rest_respiration", &MicrozooplanktonNumbers<double>::rest_respiration)
      .def_rw("maximum_rate", &MicrozooplanktonNumbers<double>::maximum_rate)
      .def_rw("oxygen_mortality", &MicrozooplanktonNumbers<double>::oxygen_mortality)
      .def_rw("mortality", &MicrozooplanktonNumbers<double>::mortality)
      .def_rw("assimilation", &MicrozooplanktonNumbers<double>::assimilation)
      .def_rw("excretion", &MicrozooplanktonNumbers<double>::excretion)
      .def_rw("oxygen_half", &MicrozooplanktonNumbers<double>::oxygen_half)
      .def_rw("food_half", &MicrozooplanktonNumbers<double>::food_half)
      .def_rw("prey_half", &MicrozooplanktonNumbers<double>::prey_half)
      .def_rw("egested_calcite", &MicrozooplanktonNumbers<double>::egested_calcite)
      .def_rw("nitrogen_quota", &MicrozooplanktonNumbers<double>::nitrogen_quota)
      .def_rw("phosphorus_quota", &MicrozooplanktonNumbers<double>::phosphorus_quota)
      .def_rw("diet", &MicrozooplanktonNumbers<double>::diet);
  nb::class_<MesozooplanktonNumbers<double>>(module, "MesozooplanktonNumbers")
      .def(nb::init<>())
      .def_rw("warming", &MesozooplanktonNumbers<double>::warming)
      .def_rw("rest_respiration", &MesozooplanktonNumbers<double>::rest_respiration)
      .def_rw("maximum_rate", &MesozooplanktonNumbers<double>::maximum_rate)
      .def_rw("search_volume", &MesozooplanktonNumbers<double>::search_volume)
      .def_rw("assimilation", &MesozooplanktonNumbers<double>::assimilation)
      .def_rw("egestion", &MesozooplanktonNumbers<double>::egestion)
      .def_rw("oxygen_mortality", &MesozooplanktonNumbers<double>::oxygen_mortality)
      .def_rw("density_mortality", &MesozooplanktonNumbers<double>::density_mortality)
      .def_rw("egested_calcite", &MesozooplanktonNumbers<double>::egested_calcite)
      .def_rw("oxygen_half", &MesozooplanktonNumbers<double>::oxygen_half)
      .def_rw("nitrogen_quota", &MesozooplanktonNumbers<double>::nitrogen_quota)
      .def_rw("phosphorus_quota", &MesozooplanktonNumbers<double>::phosphorus_quota)
      .def_rw("diet", &MesozooplanktonNumbers<double>::diet);
}

void bind_all(nb::module_& module) {
  nb::class_<ChemistryNumbers<double>>(module, "ChemistryNumbers")
      .def(nb::init<>())
      .def_rw("nitrification", &ChemistryNumbers<double>::nitrification)
      .def_rw("nitrogen_warming", &ChemistryNumbers<double>::nitrogen_warming)
      .def_rw("oxygen_half", &ChemistryNumbers<double>::oxygen_half)
      .def_rw("oxygen_per_nitrified", &ChemistryNumbers<double>::oxygen_per_nitrified)
      .def_rw("reoxidation", &ChemistryNumbers<double>::reoxidation)
      .def_rw("sulphide_per_oxygen", &ChemistryNumbers<double>::sulphide_per_oxygen)
      .def_rw("denitrification", &ChemistryNumbers<double>::denitrification)
      .def_rw("sulphide_half", &ChemistryNumbers<double>::sulphide_half)
      .def_rw("anoxic_reference", &ChemistryNumbers<double>::anoxic_reference)
      .def_rw("oxygen_per_denitrified", &ChemistryNumbers<double>::oxygen_per_denitrified)
      .def_rw("silica_dissolution", &ChemistryNumbers<double>::silica_dissolution)
      .def_rw("silica_warming", &ChemistryNumbers<double>::silica_warming)
      .def_rw("calcite_dissolution", &ChemistryNumbers<double>::calcite_dissolution)
      .def_rw("calcite_order", &ChemistryNumbers<double>::calcite_order)
      .def_rw("alkalinity_of_nitrogen", &ChemistryNumbers<double>::alkalinity_of_nitrogen);
  nb::class_<LimiterNumbers<double>>(module, "LimiterNumbers")
      .def(nb::init<>())
      .def_rw("largest_share", &LimiterNumbers<double>::largest_share)
      .def_rw("most_parts", &LimiterNumbers<double>::most_parts);
  nb::class_<BfmNumbers<double>>(module, "BfmNumbers")
      .def(nb::init<>())
      .def_rw("P1", &BfmNumbers<double>::P1)
      .def_rw("P2", &BfmNumbers<double>::P2)
      .def_rw("P3", &BfmNumbers<double>::P3)
      .def_rw("P4", &BfmNumbers<double>::P4)
      .def_rw("B1", &BfmNumbers<double>::B1)
      .def_rw("Z3", &BfmNumbers<double>::Z3)
      .def_rw("Z4", &BfmNumbers<double>::Z4)
      .def_rw("Z5", &BfmNumbers<double>::Z5)
      .def_rw("Z6", &BfmNumbers<double>::Z6)
      .def_rw("chemistry", &BfmNumbers<double>::chemistry)
      .def_rw("cytoplasm", &BfmNumbers<double>::cytoplasm)
      .def_rw("limiter", &BfmNumbers<double>::limiter);
}

template <class T>
void bind_kernels(nb::module_& module) {
  define(module, bfm_react_contract, &bfm_react<T>, "numbers", "dt");
  define(module, bfm_rates_contract, &bfm_rates<T>, "numbers");
}

HALOCLINE_BIND(bfm_reaction) {
  bind_groups(module);
  bind_grazers(module);
  bind_all(module);
  bind_kernels<float>(module);
  bind_kernels<double>(module);
}

}  // namespace
}  // namespace halocline::biogeochemistry::bfm
