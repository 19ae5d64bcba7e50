#pragma once
#include "contract.hpp"
#include "view.hpp"

/// Bandwidth of the memory, as McCalpin (1995) measures it: `copy` and `triad` of long arrays.
namespace halocline {

/// b = a, shared among `threads`.
inline void stream_copy(View1<const double> a, View1<double> b, int threads) {
  const double* from = a.data;
  double* to = b.data;
#pragma omp parallel for simd schedule(static) num_threads(threads)
  for (std::ptrdiff_t i = 0; i < a.extent[0]; ++i) to[i] = from[i];
}

/// c = a + scale * b, shared among `threads`.
inline void stream_triad(View1<const double> a, View1<const double> b, View1<double> c,
                         double scale, int threads) {
  const double *first = a.data, *second = b.data;
  double* to = c.data;
#pragma omp parallel for simd schedule(static) num_threads(threads)
  for (std::ptrdiff_t i = 0; i < a.extent[0]; ++i) to[i] = first[i] + scale * second[i];
}

}  // namespace halocline
