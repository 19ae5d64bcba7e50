#pragma once
#include "view.hpp"

namespace halocline {

/// The sum one after the other, as a loop without licence to reorder has it.
inline double add_in_sequence(View1<const double> values) {
  double sum = 0.0;
  for (std::ptrdiff_t n = 0; n < values.extent[0]; ++n) sum += values.data[n];
  return sum;
}

}  // namespace halocline
