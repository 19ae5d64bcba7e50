#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>

#include "bind.hpp"
#include "waves/source_terms.hpp"

/// The kernels of a package of source terms: what they touch, and their names in Python.
///
/// A package brings `package_on<T>(package, grid)` and `package_on_one_spectrum<T>(package, grid)`,
/// found by the type of the package.
namespace halocline::waves {

template <std::size_t Count>
constexpr Contract<11 + Count> package_contract(const char* name, Argument spectrum,
                                                Access friction_velocity,
                                                const std::array<Argument, Count>& results) {
  Contract<11 + Count> contract{name, {}};
  contract.arguments[0] = spectrum;
  std::copy(std::begin(source_arguments), std::end(source_arguments),
            contract.arguments.begin() + 1);
  contract.arguments[8].access = friction_velocity;
  for (std::size_t n = 0; n < Count; ++n) contract.arguments[11 + n] = results[n];
  return contract;
}

/// Access::write where a package finds the friction velocity anew, Access::update where it goes on
/// from the last one.
inline Contract<15> integrate_contract(const char* name, Access friction_velocity) {
  return package_contract<4>(
      name,
      {"spectrum",
       Access::update,
       Place::point,
       "m2 Hz-1 rad-1",
       "frequency*direction",
       {},
       Column::whole},
      friction_velocity,
      {{{"source_steps", Access::write, Place::point, "1"},
        if_wanted({"wave_stress", Access::write, Place::point, "m2 s-2", "4", {}, Column::whole}),
        {"counters", Access::update, Place::none, "1", "4"},
        {"phase_times", Access::update, Place::none, "ns", "6"}}});
}

inline Contract<17> separate_contract(const char* name, Access friction_velocity) {
  return package_contract<6>(name,
                             {"spectrum",
                              Access::read,
                              Place::point,
                              "m2 Hz-1 rad-1",
                              "frequency*direction",
                              {},
                              Column::whole},
                             friction_velocity,
                             {{{"input",
                                Access::write,
                                Place::point,
                                "m2 Hz-1 rad-1 s-1",
                                "frequency*direction",
                                {},
                                Column::whole},
                               {"dissipation",
                                Access::write,
                                Place::point,
                                "m2 Hz-1 rad-1 s-1",
                                "frequency*direction",
                                {},
                                Column::whole},
                               {"quadruplets",
                                Access::write,
                                Place::point,
                                "m2 Hz-1 rad-1 s-1",
                                "frequency*direction",
                                {},
                                Column::whole},
                               {"quadruplet_diagonal",
                                Access::write,
                                Place::point,
                                "s-1",
                                "frequency*direction",
                                {},
                                Column::whole},
                               {"friction",
                                Access::write,
                                Place::point,
                                "m2 Hz-1 rad-1 s-1",
                                "frequency*direction",
                                {},
                                Column::whole},
                               {"breaking",
                                Access::write,
                                Place::point,
                                "m2 Hz-1 rad-1 s-1",
                                "frequency*direction",
                                {},
                                Column::whole}}});
}

template <class T, class Package>
void integrate(Box box, View2<T> spectrum, View2<const T> wavenumber, View2<const T> group_velocity,
               View1<const T> depth, View1<const T> wind_u, View1<const T> wind_v,
               View1<const T> air_sea_difference, View1<const T> open_water,
               View1<T> friction_velocity, View1<T> roughness, View2<T> source_memory,
               View1<T> source_steps, View2<T> wave_stress, View1<std::int64_t> counters,
               View1<std::int64_t> phase_times, const SourceOptions& options, Package& package,
               double duration, bool timed) {
  integrate_tiles<T, lanes<T>>(
      package_on<T>(package, options.grid), box.points, spectrum,
      SourceArrays<T>{wavenumber, group_velocity, depth, wind_u, wind_v, air_sea_difference,
                      open_water, friction_velocity, roughness, source_memory},
      source_steps, wave_stress, counters, phase_times, options, duration, timed);
}

template <class T, class Package>
void separate(Box box, View2<T> spectrum, View2<const T> wavenumber, View2<const T> group_velocity,
              View1<const T> depth, View1<const T> wind_u, View1<const T> wind_v,
              View1<const T> air_sea_difference, View1<const T> open_water,
              View1<T> friction_velocity, View1<T> roughness, View2<T> source_memory,
              View2<T> input, View2<T> dissipation, View2<T> quadruplets,
              View2<T> quadruplet_diagonal, View2<T> friction, View2<T> breaking,
              const SourceOptions& options, Package& package, int rounds) {
  separate_tiles<T, lanes<T>>(
      package_on_one_spectrum<T>(package, options.grid), box.points, spectrum,
      SourceArrays<T>{wavenumber, group_velocity, depth, wind_u, wind_v, air_sea_difference,
                      open_water, friction_velocity, roughness, source_memory},
      SourceParts<T>{input, dissipation, quadruplets, quadruplet_diagonal, friction, breaking},
      options, rounds);
}

template <class T, class Package>
void bind_package_in(nb::module_& module, const Contract<15>& integrating,
                     const Contract<17>& separating) {
  define(module, integrating, &integrate<T, Package>, "options", "package", "duration", "timed");
  define(module, separating, &separate<T, Package>, "options", "package", "rounds");
}

/// Publish a package's kernels in both precisions.
template <class Package>
void bind_package(nb::module_& module, const char* integrate_name, const char* separate_name,
                  Access friction_velocity) {
  const auto integrating = integrate_contract(integrate_name, friction_velocity);
  const auto separating = separate_contract(separate_name, friction_velocity);
  bind_package_in<float, Package>(module, integrating, separating);
  bind_package_in<double, Package>(module, integrating, separating);
}

}  // namespace halocline::waves
