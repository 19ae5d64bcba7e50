#pragma once
#include "contract.hpp"
#include "schedules.hpp"
#include "view.hpp"

/// What has fallen on the ground since a run began.
namespace halocline {

inline constexpr Contract<2> atmosphere_collect_contract{
    "atmosphere_collect",
    {{{"fallen", Access::read, Place::center, "kg m-2"},
      {"total", Access::update, Place::center, "kg m-2"}}}};

/// Add what fell in a step to a total in double precision, of which a step's is a small part.
///
/// @param[in]     fallen  [kg m-2]
/// @param[in,out] total   [kg m-2]
template <class T>
void atmosphere_collect(Box box, View2<const T> fallen, View2<double> total) {
  for_cells(box, 1, [&](std::ptrdiff_t, int j, int i) { total(j, i) += double(fallen(j, i)); });
}

}  // namespace halocline
