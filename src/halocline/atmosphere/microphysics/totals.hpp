#pragma once
#include "contract.hpp"
#include "schedules.hpp"
#include "view.hpp"

/// What has passed the ground since a run began.
namespace halocline {

inline constexpr Contract<2> atmosphere_collect_contract{
    "atmosphere_collect",
    {{{"amount", Access::read, Place::center, "any"},
      {"total", Access::update, Place::center, "kg m-2"}}}};

/// Add what passed in a step to a total in double precision, of which a step's is a small part.
///
/// @param[in]     amount  [kg m-2], or a rate [kg m-2 s-1]
/// @param[in,out] total   [kg m-2]
/// @param[in]     factor  of the amount: 1, or the step [s]
template <class T>
void atmosphere_collect(Box box, View2<const T> amount, View2<double> total, double factor) {
  for_cells(box, 1, [&](std::ptrdiff_t, int j, int i) {
    total(j, i) += factor * static_cast<double>(amount(j, i));
  });
}

}  // namespace halocline
