#pragma once
#include <cstdint>
#include <limits>

#include "view.hpp"

/// Marking stale halos.
namespace halocline {

/// Put NaN where a halo is stale, so that whoever reads it is found.
template <class T>
void poison(View2<T> to, View1<const std::int32_t> index) {
  for (std::ptrdiff_t row = 0; row < to.extent[0]; ++row)
    for (std::ptrdiff_t n = 0; n < index.extent[0]; ++n)
      to.row(row)[index.data[n]] = std::numeric_limits<T>::quiet_NaN();
}

}  // namespace halocline
