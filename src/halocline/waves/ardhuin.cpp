#include "waves/ardhuin.hpp"

#include <memory>
#include <tuple>
#include <type_traits>

#include "bind.hpp"
#include "waves/ardhuin_tables.hpp"
#include "waves/package_kernels.hpp"
#include "waves/source_terms.hpp"

namespace halocline::waves {
namespace {

/// Options of the package, and its tables, which are made when a kernel first asks for them.
class ArdhuinPackage {
 public:
  explicit ArdhuinPackage(const ArdhuinOptions& options) : options(options) {}

  template <class T>
  Ardhuin<T> on(const SpectralNumbers& grid) {
    const Shape shape{grid.factor, grid.frequencies, grid.directions};
    auto& memory = std::get<std::unique_ptr<ArdhuinTableMemory<T>>>(memory_);
    Shape& known = std::is_same_v<T, float> ? single_ : double_;
    if (!memory || known != shape) {
      memory = std::make_unique<ArdhuinTableMemory<T>>(options, grid.factor, grid.frequencies,
                                                       grid.directions);
      known = shape;
    }
    return {options, memory->tables()};
  }

  /// As it is for one spectrum, that has no prognostic range: without the cut-off of linear input.
  template <class T>
  Ardhuin<T> on_one_spectrum(const SpectralNumbers& grid) {
    ArdhuinOptions alone = options;
    alone.linear.cutoff_factor = 0.0;
    on<T>(grid);
    return {alone, std::get<std::unique_ptr<ArdhuinTableMemory<T>>>(memory_)->tables()};
  }

  ArdhuinOptions options;

 private:
  using Shape = std::tuple<double, int, int>;
  Shape single_, double_;
  std::tuple<std::unique_ptr<ArdhuinTableMemory<float>>,
             std::unique_ptr<ArdhuinTableMemory<double>>>
      memory_;
};

template <class T>
Ardhuin<T> package_on(ArdhuinPackage& package, const SpectralNumbers& grid) {
  return package.on<T>(grid);
}

template <class T>
Ardhuin<T> package_on_one_spectrum(ArdhuinPackage& package, const SpectralNumbers& grid) {
  return package.on_one_spectrum<T>(grid);
}

void bind_options(nb::module_& module) {
  nb::class_<ArdhuinInputOptions>(module, "ArdhuinInputOptions")
      .def(nb::init<>())
      .def_rw("gravity", &ArdhuinInputOptions::gravity)
      .def_rw("von_karman", &ArdhuinInputOptions::von_karman)
      .def_rw("density_ratio", &ArdhuinInputOptions::density_ratio)
      .def_rw("air_viscosity", &ArdhuinInputOptions::air_viscosity)
      .def_rw("wind_height", &ArdhuinInputOptions::wind_height)
      .def_rw("growth_factor", &ArdhuinInputOptions::growth_factor)
      .def_rw("charnock", &ArdhuinInputOptions::charnock)
      .def_rw("maximum_roughness", &ArdhuinInputOptions::maximum_roughness)
      .def_rw("maximum_drag", &ArdhuinInputOptions::maximum_drag)
      .def_rw("maximum_wave_stress", &ArdhuinInputOptions::maximum_wave_stress)
      .def_rw("wave_age_shift", &ArdhuinInputOptions::wave_age_shift)
      .def_rw("direction_power", &ArdhuinInputOptions::direction_power)
      .def_rw("sheltering", &ArdhuinInputOptions::sheltering)
      .def_rw("turbulent_swell", &ArdhuinInputOptions::turbulent_swell)
      .def_rw("swell_wind_direction", &ArdhuinInputOptions::swell_wind_direction)
      .def_rw("swell_wind_speed", &ArdhuinInputOptions::swell_wind_speed)
      .def_rw("critical_reynolds", &ArdhuinInputOptions::critical_reynolds)
      .def_rw("viscous_swell", &ArdhuinInputOptions::viscous_swell)
      .def_rw("reynolds_height_power", &ArdhuinInputOptions::reynolds_height_power)
      .def_rw("reynolds_width", &ArdhuinInputOptions::reynolds_width)
      .def_rw("roughness_ratio", &ArdhuinInputOptions::roughness_ratio);
  nb::class_<ArdhuinDissipationOptions>(module, "ArdhuinDissipationOptions")
      .def(nb::init<>())
      .def_rw("coefficient", &ArdhuinDissipationOptions::coefficient)
      .def_rw("threshold", &ArdhuinDissipationOptions::threshold)
      .def_rw("threshold_ratio", &ArdhuinDissipationOptions::threshold_ratio)
      .def_rw("isotropic_part", &ArdhuinDissipationOptions::isotropic_part)
      .def_rw("power", &ArdhuinDissipationOptions::power)
      .def_rw("cumulative", &ArdhuinDissipationOptions::cumulative)
      .def_rw("breaking_probability", &ArdhuinDissipationOptions::breaking_probability)
      .def_rw("cumulative_gap", &ArdhuinDissipationOptions::cumulative_gap)
      .def_rw("window_half_width", &ArdhuinDissipationOptions::window_half_width)
      .def_rw("window_power", &ArdhuinDissipationOptions::window_power);
  nb::class_<LinearInputOptions>(module, "LinearInputOptions")
      .def(nb::init<>())
      .def_rw("gravity", &LinearInputOptions::gravity)
      .def_rw("density_ratio", &LinearInputOptions::density_ratio)
      .def_rw("coefficient", &LinearInputOptions::coefficient)
      .def_rw("peak_factor", &LinearInputOptions::peak_factor)
      .def_rw("cutoff_factor", &LinearInputOptions::cutoff_factor);
  nb::class_<ArdhuinOptions>(module, "ArdhuinOptions")
      .def(nb::init<>())
      .def_rw("wind_input", &ArdhuinOptions::wind_input)
      .def_rw("breaking", &ArdhuinOptions::breaking)
      .def_rw("linear", &ArdhuinOptions::linear)
      .def_rw("stress_from_rest", &ArdhuinOptions::stress_from_rest)
      .def_rw("mean_frequency_factor", &ArdhuinOptions::mean_frequency_factor)
      .def_rw("peak_factor", &ArdhuinOptions::peak_factor)
      .def_rw("wavenumber_power", &ArdhuinOptions::wavenumber_power);
  nb::class_<ArdhuinPackage>(module, "ArdhuinPackage")
      .def(nb::init<const ArdhuinOptions&>(), "options"_a);
}

/// Friction velocity, roughness and tail stress of single points, as the package sees them.
template <class T>
void air_over_waves(const ArdhuinInputOptions& options, View1<const T> wind_speed,
                    View1<const T> wave_stress, View1<const T> tail_level, T highest_sigma,
                    View1<T> friction_velocity, View1<T> roughness, View1<T> tail_stress) {
  for (std::ptrdiff_t at = 0; at < wind_speed.extent[0]; ++at) {
    const auto drag = waves::friction_velocity(options, wind_speed(at), wave_stress(at));
    friction_velocity(at) = drag.friction_velocity;
    roughness(at) = drag.roughness;
    tail_stress(at) = waves::tail_stress(options, drag, tail_level(at), highest_sigma);
  }
}

template <class T>
void bind_air(nb::module_& module) {
  module.def("air_over_waves", &air_over_waves<T>, "options"_a, "wind_speed"_a, "wave_stress"_a,
             "tail_level"_a, "highest_sigma"_a, "friction_velocity"_a, "roughness"_a,
             "tail_stress"_a);
}

HALOCLINE_BIND(ardhuin) {
  bind_options(module);
  bind_package<ArdhuinPackage>(module, "integrate_ardhuin", "separate_ardhuin", Access::write);
  bind_air<float>(module);
  bind_air<double>(module);
  module.def("friction_factor_table", &friction_factor_table, "table"_a, "von_karman"_a);
  module.def("saturation_window", &saturation_window, "window"_a, "width"_a, "power"_a);
  module.def("speed_harmonics", &speed_harmonics, "speed"_a, "factor"_a, "directions"_a);
  module.def("direction_waves", &direction_waves, "waves"_a);
}

}  // namespace
}  // namespace halocline::waves
