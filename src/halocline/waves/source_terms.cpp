#include "waves/source_terms.hpp"

#include "bind.hpp"
#include "waves/tolman_chalikov.hpp"

namespace halocline::waves {
namespace {

constexpr Contract<14> integrate_tolman_chalikov_contract{
    "integrate_tolman_chalikov",
    {{{"spectrum", Access::update, Place::point, "m2 Hz-1 rad-1", {}, Column::whole},
      source_arguments[0],
      source_arguments[1],
      source_arguments[2],
      source_arguments[3],
      source_arguments[4],
      source_arguments[5],
      source_arguments[6],
      source_arguments[7],
      source_arguments[8],
      source_arguments[9],
      {"source_steps", Access::write, Place::point, "1"},
      {"counters", Access::update, Place::none, "1"},
      {"phase_times", Access::update, Place::none, "ns"}}}};

template <class T>
void integrate_tolman_chalikov(Box box, View2<T> spectrum, View2<const T> wavenumber,
                               View2<const T> group_velocity, View1<const T> depth,
                               View1<const T> wind_u, View1<const T> wind_v,
                               View1<const T> air_sea_difference, View1<const T> ice,
                               View1<T> friction_velocity, View1<T> roughness,
                               View2<T> source_memory, View1<T> source_steps,
                               View1<std::int64_t> counters, View1<std::int64_t> phase_times,
                               const SourceOptions& options, const TolmanChalikovOptions& package,
                               double duration, bool timed) {
  integrate_tiles<T, lanes<T>>(
      TolmanChalikov<T>(package), box.points, spectrum,
      SourceArrays<T>{wavenumber, group_velocity, depth, wind_u, wind_v, air_sea_difference, ice,
                      friction_velocity, roughness, source_memory},
      source_steps, counters, phase_times, options, duration, timed);
}

constexpr Contract<17> separate_tolman_chalikov_contract{
    "separate_tolman_chalikov",
    {{{"spectrum", Access::read, Place::point, "m2 Hz-1 rad-1", {}, Column::whole},
      source_arguments[0],
      source_arguments[1],
      source_arguments[2],
      source_arguments[3],
      source_arguments[4],
      source_arguments[5],
      source_arguments[6],
      source_arguments[7],
      source_arguments[8],
      source_arguments[9],
      {"input", Access::write, Place::point, "m2 Hz-1 rad-1 s-1", {}, Column::whole},
      {"dissipation", Access::write, Place::point, "m2 Hz-1 rad-1 s-1", {}, Column::whole},
      {"quadruplets", Access::write, Place::point, "m2 Hz-1 rad-1 s-1", {}, Column::whole},
      {"quadruplet_diagonal", Access::write, Place::point, "s-1", {}, Column::whole},
      {"friction", Access::write, Place::point, "m2 Hz-1 rad-1 s-1", {}, Column::whole},
      {"breaking", Access::write, Place::point, "m2 Hz-1 rad-1 s-1", {}, Column::whole}}}};

template <class T>
void separate_tolman_chalikov(Box box, View2<T> spectrum, View2<const T> wavenumber,
                              View2<const T> group_velocity, View1<const T> depth,
                              View1<const T> wind_u, View1<const T> wind_v,
                              View1<const T> air_sea_difference, View1<const T> ice,
                              View1<T> friction_velocity, View1<T> roughness,
                              View2<T> source_memory, View2<T> input, View2<T> dissipation,
                              View2<T> quadruplets, View2<T> quadruplet_diagonal, View2<T> friction,
                              View2<T> breaking, const SourceOptions& options,
                              const TolmanChalikovOptions& package, int rounds) {
  separate_tiles<T, lanes<T>>(
      TolmanChalikov<T>(package), box.points, spectrum,
      SourceArrays<T>{wavenumber, group_velocity, depth, wind_u, wind_v, air_sea_difference, ice,
                      friction_velocity, roughness, source_memory},
      SourceParts<T>{input, dissipation, quadruplets, quadruplet_diagonal, friction, breaking},
      options, rounds);
}

template <class T>
void bind_kernels(nb::module_& module) {
  module.def("integrate_tolman_chalikov", &integrate_tolman_chalikov<T>, "box"_a, "spectrum"_a,
             "wavenumber"_a, "group_velocity"_a, "depth"_a, "wind_u"_a, "wind_v"_a,
             "air_sea_difference"_a, "ice"_a, "friction_velocity"_a, "roughness"_a,
             "source_memory"_a, "source_steps"_a, "counters"_a, "phase_times"_a, "options"_a,
             "package"_a, "duration"_a, "timed"_a);
  module.def("separate_tolman_chalikov", &separate_tolman_chalikov<T>, "box"_a, "spectrum"_a,
             "wavenumber"_a, "group_velocity"_a, "depth"_a, "wind_u"_a, "wind_v"_a,
             "air_sea_difference"_a, "ice"_a, "friction_velocity"_a, "roughness"_a,
             "source_memory"_a, "input"_a, "dissipation"_a, "quadruplets"_a,
             "quadruplet_diagonal"_a, "friction"_a, "breaking"_a, "options"_a, "package"_a,
             "rounds"_a);
}

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
  publish(module, integrate_tolman_chalikov_contract);
  publish(module, separate_tolman_chalikov_contract);
  bind_kernels<float>(module);
  bind_kernels<double>(module);
}

}  // namespace
}  // namespace halocline::waves
