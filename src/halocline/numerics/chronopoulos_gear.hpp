#pragma once
#include "contract.hpp"
#include "numerics/conjugate_gradient.hpp"
#include "view.hpp"

/// Conjugate gradients with one reduction: rearranged (Chronopoulos & Gear 1989; D'Azevedo,
/// Eijkhout & Romine 1993), and pipelined (Ghysels & Vanroose 2014).
namespace halocline {

inline constexpr Contract<8> three_products_contract{
    "three_products",
    {{diagonal_argument,
      west_argument,
      south_argument,
      corner_argument,
      {"residual", Access::read, Place::center, "m3 s-2"},
      with(preconditioned_argument, all_around),
      {"preconditioned_image", Access::write, Place::center, "m3 s-2"},
      parts_argument("3 5")}}};

/// preconditioned_image = A preconditioned, and sums of residual * preconditioned,
/// preconditioned * preconditioned_image and residual * residual.
template <class T>
void three_products(Box box, View2<const T> diagonal, View2<const T> west, View2<const T> south,
                    View2<const T> corner, View2<const T> residual, View2<const T> preconditioned,
                    View2<T> preconditioned_image, View2<double> parts) {
  const NinePoint<T> operator_{diagonal, west, south, corner};
  for_rows_with_sums<3>(box, parts, [&](int j, LoopSums<3>& sums) {
    const T* rest = residual.row(j);
    T* to = preconditioned_image.row(j);
    operator_.along_row(j, preconditioned, box.i0, box.i1,
                        [&]<class V>(Lane<V>, std::ptrdiff_t i, V z, V image) {
                          const V r = load<V>(rest + i);
                          store<V>(to + i, image);
                          sums.add(0, r, z);
                          sums.add(1, z, image);
                          sums.add(2, r, r);
                        });
  });
}

inline constexpr Contract<6> chronopoulos_gear_step_contract{
    "chronopoulos_gear_step",
    {{preconditioned_argument,
      {"preconditioned_image", Access::read, Place::center, "m3 s-2"},
      {"direction", Access::update, Place::center, "m2 s-2"},
      {"image", Access::update, Place::center, "m3 s-2"},
      {"solution", Access::update, Place::center, "m2 s-2"},
      {"residual", Access::update, Place::center, "m3 s-2"}}}};

/// New direction and its image, and the step along it.
///
/// @param[in]     beta    of direction = preconditioned + beta * direction
/// @param[in]     alpha   of solution += alpha * direction
template <class T>
void chronopoulos_gear_step(Box box, View2<const T> preconditioned,
                            View2<const T> preconditioned_image, View2<T> direction, View2<T> image,
                            View2<T> solution, View2<T> residual, double alpha, double beta) {
  for_rows(box, [&](int j) {
    const T *z = preconditioned.row(j), *az = preconditioned_image.row(j);
    T *p = direction.row(j), *q = image.row(j), *x = solution.row(j), *r = residual.row(j);
    over_row<T>(box.i0, box.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      const V step = splat<V>(static_cast<T>(alpha)), turn = splat<V>(static_cast<T>(beta));
      const V along = load<V>(z + i) + turn * load<V>(p + i);
      const V across = load<V>(az + i) + turn * load<V>(q + i);
      store<V>(p + i, along);
      store<V>(q + i, across);
      store<V>(x + i, load<V>(x + i) + step * along);
      store<V>(r + i, load<V>(r + i) - step * across);
    });
  });
}

inline constexpr Contract<7> chronopoulos_gear_step_diagonal_contract{
    "chronopoulos_gear_step_diagonal",
    {{inverse_diagonal_argument,
      {"preconditioned_image", Access::read, Place::center, "m3 s-2"},
      with(preconditioned_argument, Access::update),
      {"direction", Access::update, Place::center, "m2 s-2"},
      {"image", Access::update, Place::center, "m3 s-2"},
      {"solution", Access::update, Place::center, "m2 s-2"},
      {"residual", Access::update, Place::center, "m3 s-2"}}}};

/// `chronopoulos_gear_step`, then preconditioned = residual / diagonal, in one loop.
template <class T>
void chronopoulos_gear_step_diagonal(Box box, View2<const T> inverse_diagonal,
                                     View2<const T> preconditioned_image, View2<T> preconditioned,
                                     View2<T> direction, View2<T> image, View2<T> solution,
                                     View2<T> residual, double alpha, double beta) {
  for_rows(box, [&](int j) {
    const T *inverse = inverse_diagonal.row(j), *az = preconditioned_image.row(j);
    T *z = preconditioned.row(j), *p = direction.row(j), *q = image.row(j);
    T *x = solution.row(j), *r = residual.row(j);
    over_row<T>(box.i0, box.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      const V step = splat<V>(static_cast<T>(alpha)), turn = splat<V>(static_cast<T>(beta));
      const V along = load<V>(z + i) + turn * load<V>(p + i);
      const V across = load<V>(az + i) + turn * load<V>(q + i);
      const V rest = load<V>(r + i) - step * across;
      store<V>(p + i, along);
      store<V>(q + i, across);
      store<V>(x + i, load<V>(x + i) + step * along);
      store<V>(r + i, rest);
      store<V>(z + i, load<V>(inverse + i) * rest);
    });
  });
}

inline constexpr Contract<4> pipelined_products_contract{
    "pipelined_products",
    {{{"residual", Access::read, Place::center, "m3 s-2"},
      preconditioned_argument,
      {"preconditioned_image", Access::read, Place::center, "m3 s-2"},
      parts_argument("3 5")}}};

/// The three sums of `pipelined_step` alone.
template <class T>
void pipelined_products(Box box, View2<const T> residual, View2<const T> preconditioned,
                        View2<const T> preconditioned_image, View2<double> parts) {
  for_rows_with_sums<3>(box, parts, [&](int j, LoopSums<3>& sums) {
    const T *r = residual.row(j), *u = preconditioned.row(j), *w = preconditioned_image.row(j);
    over_row<T>(box.i0, box.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      const V rest = load<V>(r + i), scaled = load<V>(u + i);
      sums.add(0, rest, scaled);
      sums.add(1, scaled, load<V>(w + i));
      sums.add(2, rest, rest);
    });
  });
}

inline constexpr Contract<11> pipelined_step_contract{
    "pipelined_step",
    {{{"turned", Access::read, Place::center, "m2 s-2"},
      {"turned_image", Access::read, Place::center, "m3 s-2"},
      {"image_of_turned", Access::update, Place::center, "m3 s-2"},
      {"turned_direction", Access::update, Place::center, "m2 s-2"},
      {"image", Access::update, Place::center, "m3 s-2"},
      {"direction", Access::update, Place::center, "m2 s-2"},
      {"solution", Access::update, Place::center, "m2 s-2"},
      {"residual", Access::update, Place::center, "m3 s-2"},
      with(preconditioned_argument, Access::update),
      {"preconditioned_image", Access::update, Place::center, "m3 s-2"},
      parts_argument("3 5")}}};

/// All eight updates of an iteration of the pipelined method, and its three sums: of
/// residual * preconditioned, preconditioned * preconditioned_image and residual * residual.
///
/// @param[in] turned        the preconditioner applied to preconditioned_image [m2 s-2]
/// @param[in] turned_image  the operator applied to `turned` [m3 s-2]
template <class T>
void pipelined_step(Box box, View2<const T> turned, View2<const T> turned_image,
                    View2<T> image_of_turned, View2<T> turned_direction, View2<T> image,
                    View2<T> direction, View2<T> solution, View2<T> residual,
                    View2<T> preconditioned, View2<T> preconditioned_image, View2<double> parts,
                    double alpha, double beta) {
  for_rows_with_sums<3>(box, parts, [&](int j, LoopSums<3>& sums) {
    const T *m = turned.row(j), *n = turned_image.row(j);
    T *z = image_of_turned.row(j), *q = turned_direction.row(j), *s = image.row(j);
    T *p = direction.row(j), *x = solution.row(j), *r = residual.row(j);
    T *u = preconditioned.row(j), *w = preconditioned_image.row(j);
    over_row<T>(box.i0, box.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      const V step = splat<V>(static_cast<T>(alpha)), turn = splat<V>(static_cast<T>(beta));
      const V before_u = load<V>(u + i), before_w = load<V>(w + i);
      const V new_z = load<V>(n + i) + turn * load<V>(z + i);
      const V new_q = load<V>(m + i) + turn * load<V>(q + i);
      const V new_s = before_w + turn * load<V>(s + i);
      const V new_p = before_u + turn * load<V>(p + i);
      const V new_r = load<V>(r + i) - step * new_s;
      const V new_u = before_u - step * new_q;
      const V new_w = before_w - step * new_z;
      store<V>(z + i, new_z);
      store<V>(q + i, new_q);
      store<V>(s + i, new_s);
      store<V>(p + i, new_p);
      store<V>(x + i, load<V>(x + i) + step * new_p);
      store<V>(r + i, new_r);
      store<V>(u + i, new_u);
      store<V>(w + i, new_w);
      sums.add(0, new_r, new_u);
      sums.add(1, new_u, new_w);
      sums.add(2, new_r, new_r);
    });
  });
}

}  // namespace halocline
