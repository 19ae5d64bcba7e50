#pragma once
#include "contract.hpp"

/// What passes the sides of whole columns, as arguments of kernels.
namespace halocline {

inline constexpr Argument through_x_faces{"x_volume_flux", Access::read, Place::x_face, "m3 s-1",
                                          "depth",         {0, 1, 0, 0}, Column::whole};
inline constexpr Argument through_y_faces{"y_volume_flux", Access::read, Place::y_face, "m3 s-1",
                                          "depth",         {0, 0, 0, 1}, Column::whole};

}  // namespace halocline
