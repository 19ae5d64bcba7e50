#pragma once
#include <omp.h>

#include <cstddef>

#include "pack.hpp"

/// What the cores can compute at most, without memory: the flat part of the roofline.
namespace halocline {

inline constexpr int peak_chains = 12;

/// Operations of `repeats` rounds of `multiply_and_add` on one thread.
inline double peak_operations(std::ptrdiff_t repeats) {
  return 2.0 * peak_chains * lanes<double> * static_cast<double>(repeats);
}

/// x = x * factor + summand in registers, a product and a sum each, `repeats` times on `threads`.
///
/// As many independent chains as hide the latency of both; no fused operations, as in our kernels.
/// Returns the sum of all x, so that nothing can be left out.
inline double multiply_and_add(std::ptrdiff_t repeats, double factor, double summand, int threads) {
  double sum = 0.0;
#pragma omp parallel num_threads(threads) reduction(+ : sum)
  {
    using Pack = pack<double, lanes<double>>;
    Pack x[peak_chains];
    for (int chain = 0; chain < peak_chains; ++chain) x[chain] = Pack{} + (1.0 + chain);
    const Pack by = Pack{} + factor, plus = Pack{} + summand;
    for (std::ptrdiff_t n = 0; n < repeats; ++n) {
#pragma GCC unroll 12
      for (int chain = 0; chain < peak_chains; ++chain) x[chain] = x[chain] * by + plus;
    }
    for (int chain = 0; chain < peak_chains; ++chain)
      for (int lane = 0; lane < lanes<double>; ++lane) sum += x[chain][lane];
  }
  return sum;
}

}  // namespace halocline
