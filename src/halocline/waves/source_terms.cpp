#include "waves/source_terms.hpp"

#include "bind.hpp"
#include "waves/package_kernels.hpp"
#include "waves/tolman_chalikov.hpp"

namespace halocline::waves {

template <class T>
TolmanChalikov<T> package_on(const TolmanChalikovOptions& options, const SpectralNumbers&) {
  return TolmanChalikov<T>(options);
}

template <class T>
TolmanChalikov<T> package_on_one_spectrum(const TolmanChalikovOptions& options,
                                          const SpectralNumbers&) {
  return TolmanChalikov<T>(options);
}

namespace {

HALOCLINE_BIND(source_terms) {
  nb::class_<SpectralNumbers>(module, "SpectralNumbers")
      .def(nb::init<>())
      .def_rw("first_frequency", &SpectralNumbers::first_frequency)
      .def_rw("factor", &SpectralNumbers::factor)
      .def_rw("frequencies", &SpectralNumbers::frequencies)
      .def_rw("directions", &SpectralNumbers::directions)
      .def_rw("offset", &SpectralNumbers::offset);
  nb::class_<QuadrupletOptions>(module, "QuadrupletOptions")
      .def(nb::init<>())
      .def_rw("strength", &QuadrupletOptions::strength)
      .def_rw("shape", &QuadrupletOptions::shape)
      .def_rw("depth_stretch", &QuadrupletOptions::depth_stretch)
      .def_rw("least_relative_depth", &QuadrupletOptions::least_relative_depth)
      .def_rw("depth_factor_1", &QuadrupletOptions::depth_factor_1)
      .def_rw("depth_factor_2", &QuadrupletOptions::depth_factor_2)
      .def_rw("depth_factor_3", &QuadrupletOptions::depth_factor_3)
      .def_rw("gravity", &QuadrupletOptions::gravity);
  nb::class_<IntegrationOptions>(module, "IntegrationOptions")
      .def(nb::init<>())
      .def_rw("minimum_step", &IntegrationOptions::minimum_step)
      .def_rw("parametric_change", &IntegrationOptions::parametric_change)
      .def_rw("relative_change", &IntegrationOptions::relative_change)
      .def_rw("filter_level", &IntegrationOptions::filter_level)
      .def_rw("implicitness", &IntegrationOptions::implicitness)
      .def_rw("friction_coefficient", &IntegrationOptions::friction_coefficient)
      .def_rw("breaking_intensity", &IntegrationOptions::breaking_intensity)
      .def_rw("breaking_height_ratio", &IntegrationOptions::breaking_height_ratio)
      .def_rw("gravity", &IntegrationOptions::gravity)
      .def_rw("friction", &IntegrationOptions::friction)
      .def_rw("breaking", &IntegrationOptions::breaking)
      .def_rw("seeding", &IntegrationOptions::seeding);
  nb::class_<StabilityOptions>(module, "StabilityOptions")
      .def(nb::init<>())
      .def_rw("enabled", &StabilityOptions::enabled)
      .def_rw("scale", &StabilityOptions::scale)
      .def_rw("offset", &StabilityOptions::offset)
      .def_rw("unstable_factor", &StabilityOptions::unstable_factor)
      .def_rw("stable_factor", &StabilityOptions::stable_factor)
      .def_rw("steepness", &StabilityOptions::steepness)
      .def_rw("wind_height", &StabilityOptions::wind_height)
      .def_rw("gravity", &StabilityOptions::gravity);
  nb::class_<SourceOptions>(module, "SourceOptions")
      .def(nb::init<>())
      .def_rw("grid", &SourceOptions::grid)
      .def_rw("integration", &SourceOptions::integration)
      .def_rw("quadruplets", &SourceOptions::quadruplets)
      .def_rw("stability", &SourceOptions::stability);
  nb::class_<TolmanChalikovOptions>(module, "TolmanChalikovOptions")
      .def(nb::init<>())
      .def_rw("wind_height", &TolmanChalikovOptions::wind_height)
      .def_rw("swell_factor", &TolmanChalikovOptions::swell_factor)
      .def_rw("dissipation_a0", &TolmanChalikovOptions::dissipation_a0)
      .def_rw("dissipation_a1", &TolmanChalikovOptions::dissipation_a1)
      .def_rw("dissipation_a2", &TolmanChalikovOptions::dissipation_a2)
      .def_rw("dissipation_b0", &TolmanChalikovOptions::dissipation_b0)
      .def_rw("dissipation_b1", &TolmanChalikovOptions::dissipation_b1)
      .def_rw("least_phi", &TolmanChalikovOptions::least_phi)
      .def_rw("least_input_peak", &TolmanChalikovOptions::least_input_peak)
      .def_rw("reference_level", &TolmanChalikovOptions::reference_level)
      .def_rw("tail_start", &TolmanChalikovOptions::tail_start)
      .def_rw("tail_end", &TolmanChalikovOptions::tail_end)
      .def_rw("gravity", &TolmanChalikovOptions::gravity);
  bind_package<const TolmanChalikovOptions>(module, "integrate_tolman_chalikov",
                                            "separate_tolman_chalikov", Access::update);
}

}  // namespace
}  // namespace halocline::waves
