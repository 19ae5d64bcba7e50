// Instantiates the point functions of the source terms for one GPU lane, float and double.
#include "elementary.hpp"
#include "waves/bottom_friction.hpp"
#include "waves/chalikov_growth.hpp"
#include "waves/depth_breaking.hpp"
#include "waves/quadruplets.hpp"
#include "waves/source_integration.hpp"
#include "waves/tolman_chalikov.hpp"
#include "waves/wind_stability.hpp"

using namespace halocline;
using namespace halocline::waves;

template <class T>
__global__ void elementary_functions(const T* x, T* y) {
  const T a = x[threadIdx.x];
  y[threadIdx.x] = exp(a) + log(a) + pow(a, T(1.5)) + sin(a) + cos(a) + tan(a) + atan2(a, T(2)) +
                   sinh(a) + cosh(a) + tanh(a) + cube_root(a) + square_root(a) +
                   multiply_add(a, T(2), a);
}

template <class T>
__global__ void source_terms(const T* x, T* y, GrowthColumns<T> columns, QuadrupletOptions options,
                             StabilityOptions stability) {
  const T a = x[threadIdx.x];
  const auto growth = GrowthTable<T>(columns)(GrowthPlace<T>::of(a, T(2)));
  const auto stress = surface_stress(a, T(0.8), T(100), T(0.3), T(10), T(9.806));
  const auto transfer = exchange(a, T(2) * a, T(3) * a);
  y[threadIdx.x] = growth.with + growth.against + stress.friction_velocity + stress.roughness +
                   transfer.b + transfer.slope + quadruplet_depth_factor(a, options) +
                   bottom_friction_rate(a, a, a, a, T(-0.067), T(9.806)) +
                   depth_breaking_rate(a, a, a, T(1), T(0.73)) +
                   effective_wind_speed(a, a, stability) +
                   parametric_change(a, a, T(0.15), T(9.806)) +
                   semi_implicit_change(a, a, a, T(1)) + seed_level(a, a, a, a, T(1), T(9.806));
}

template __global__ void elementary_functions<float>(const float*, float*);
template __global__ void elementary_functions<double>(const double*, double*);
template __global__ void source_terms<float>(const float*, float*, GrowthColumns<float>,
                                             QuadrupletOptions, StabilityOptions);
template __global__ void source_terms<double>(const double*, double*, GrowthColumns<double>,
                                              QuadrupletOptions, StabilityOptions);
