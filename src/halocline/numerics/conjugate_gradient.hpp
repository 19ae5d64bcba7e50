#pragma once
#include "contract.hpp"
#include "numerics/elliptic.hpp"
#include "numerics/row_loops.hpp"
#include "view.hpp"

/// Fused loops of the conjugate gradient method in three arrangements.
///
/// Names: `preconditioned` is the preconditioned residual, `direction` the search direction,
/// `image` the operator applied to what stands before it. `parts` belong to the order-independent
/// sums, shape (sums, 5): see runtime/sums/reductions.hpp.
namespace halocline {

inline constexpr Argument preconditioned_argument{"preconditioned", Access::read, Place::center,
                                                  "m2 s-2"};

/// An argument with another access.
constexpr Argument with(Argument argument, Access access) {
  argument.access = access;
  return argument;
}
constexpr Argument with(Argument argument, Reach reach) {
  argument.reach = reach;
  return argument;
}
inline constexpr Reach all_around{-1, 1, -1, 1};

inline constexpr Contract<3> precondition_diagonal_contract{
    "precondition_diagonal",
    {{inverse_diagonal_argument,
      {"residual", Access::read, Place::center, "m3 s-2"},
      with(preconditioned_argument, Access::write)}}};

/// preconditioned = residual / diagonal.
template <class T>
void precondition_diagonal(Box box, View2<const T> inverse_diagonal, View2<const T> residual,
                           View2<T> preconditioned) {
  for_rows(box, [&](int j) {
    const T *inverse = inverse_diagonal.row(j), *from = residual.row(j);
    T* to = preconditioned.row(j);
    over_row<T>(box.i0, box.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      store<V>(to + i, load<V>(inverse + i) * load<V>(from + i));
    });
  });
}

inline constexpr Contract<3> two_products_contract{
    "two_products",
    {{{"residual", Access::read, Place::center, "m3 s-2"},
      preconditioned_argument,
      parts_argument("2 5")}}};

/// Sums of residual * preconditioned and residual * residual.
template <class T>
void two_products(Box box, View2<const T> residual, View2<const T> preconditioned,
                  View2<double> parts) {
  for_rows_with_sums<2>(box, parts, [&](int j, LoopSums<2>& sums) {
    const T *left = residual.row(j), *right = preconditioned.row(j);
    over_row<T>(box.i0, box.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      const V r = load<V>(left + i);
      sums.add(0, r, load<V>(right + i));
      sums.add(1, r, r);
    });
  });
}

inline constexpr Contract<2> new_direction_contract{
    "new_direction",
    {{preconditioned_argument, {"direction", Access::update, Place::center, "m2 s-2"}}}};

/// direction = preconditioned + beta * direction.
template <class T>
void new_direction(Box box, View2<const T> preconditioned, View2<T> direction, double beta) {
  for_rows(box, [&](int j) {
    const T* from = preconditioned.row(j);
    T* to = direction.row(j);
    over_row<T>(box.i0, box.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      store<V>(to + i, load<V>(from + i) + splat<V>(static_cast<T>(beta)) * load<V>(to + i));
    });
  });
}

inline constexpr Contract<7> direction_image_contract{
    "direction_image",
    {{diagonal_argument,
      west_argument,
      south_argument,
      corner_argument,
      {"direction", Access::read, Place::center, "m2 s-2", all_around},
      {"image", Access::write, Place::center, "m3 s-2"},
      parts_argument("1 5")}}};

/// image = A direction, and the sum of direction * image.
template <class T>
void direction_image(Box box, View2<const T> diagonal, View2<const T> west, View2<const T> south,
                     View2<const T> corner, View2<const T> direction, View2<T> image,
                     View2<double> parts) {
  const NinePoint<T> operator_{diagonal, west, south, corner};
  for_rows_with_sums<1>(box, parts, [&](int j, LoopSums<1>& sums) {
    T* to = image.row(j);
    operator_.along_row(j, direction, box.i0, box.i1,
                        [&]<class V>(Lane<V>, std::ptrdiff_t i, V p, V q) {
                          store<V>(to + i, q);
                          sums.add(0, p, q);
                        });
  });
}

inline constexpr Contract<4> step_along_direction_contract{
    "step_along_direction",
    {{{"direction", Access::read, Place::center, "m2 s-2"},
      {"image", Access::read, Place::center, "m3 s-2"},
      {"solution", Access::update, Place::center, "m2 s-2"},
      {"residual", Access::update, Place::center, "m3 s-2"}}}};

/// solution += alpha * direction, residual -= alpha * image.
template <class T>
void step_along_direction(Box box, View2<const T> direction, View2<const T> image,
                          View2<T> solution, View2<T> residual, double alpha) {
  for_rows(box, [&](int j) {
    const T *p = direction.row(j), *q = image.row(j);
    T *x = solution.row(j), *r = residual.row(j);
    over_row<T>(box.i0, box.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      const V step = splat<V>(static_cast<T>(alpha));
      store<V>(x + i, load<V>(x + i) + step * load<V>(p + i));
      store<V>(r + i, load<V>(r + i) - step * load<V>(q + i));
    });
  });
}

inline constexpr Contract<7> step_along_direction_diagonal_contract{
    "step_along_direction_diagonal",
    {{inverse_diagonal_argument,
      {"direction", Access::read, Place::center, "m2 s-2"},
      {"image", Access::read, Place::center, "m3 s-2"},
      {"solution", Access::update, Place::center, "m2 s-2"},
      {"residual", Access::update, Place::center, "m3 s-2"},
      with(preconditioned_argument, Access::write),
      parts_argument("2 5")}}};

/// `step_along_direction`, `precondition_diagonal` and `two_products` in one loop.
template <class T>
void step_along_direction_diagonal(Box box, View2<const T> inverse_diagonal,
                                   View2<const T> direction, View2<const T> image,
                                   View2<T> solution, View2<T> residual, View2<T> preconditioned,
                                   View2<double> parts, double alpha) {
  for_rows_with_sums<2>(box, parts, [&](int j, LoopSums<2>& sums) {
    const T *inverse = inverse_diagonal.row(j), *p = direction.row(j), *q = image.row(j);
    T *x = solution.row(j), *r = residual.row(j), *z = preconditioned.row(j);
    over_row<T>(box.i0, box.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      const V step = splat<V>(static_cast<T>(alpha));
      store<V>(x + i, load<V>(x + i) + step * load<V>(p + i));
      const V rest = load<V>(r + i) - step * load<V>(q + i);
      const V scaled = load<V>(inverse + i) * rest;
      store<V>(r + i, rest);
      store<V>(z + i, scaled);
      sums.add(0, rest, scaled);
      sums.add(1, rest, rest);
    });
  });
}

}  // namespace halocline
