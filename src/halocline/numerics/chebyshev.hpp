#pragma once
#include "contract.hpp"
#include "numerics/conjugate_gradient.hpp"
#include "view.hpp"

/// Loops of the Chebyshev (Stiefel) iteration, which needs no sums.
namespace halocline {

inline constexpr Contract<9> chebyshev_step_diagonal_contract{
    "chebyshev_step_diagonal",
    {{diagonal_argument,
      west_argument,
      south_argument,
      corner_argument,
      inverse_diagonal_argument,
      {"right_side", Access::read, Place::center, "m3 s-2"},
      {"solution", Access::read, Place::center, "m2 s-2", all_around},
      {"correction", Access::update, Place::center, "m2 s-2"},
      {"new_solution", Access::write, Place::center, "m2 s-2"}}}};

/// One iteration with the diagonal preconditioner:
/// correction = weight (right_side - A solution) / diagonal + memory correction,
/// new_solution = solution + correction.
template <class T>
void chebyshev_step_diagonal(Box box, View2<const T> diagonal, View2<const T> west,
                             View2<const T> south, View2<const T> corner,
                             View2<const T> inverse_diagonal, View2<const T> right_side,
                             View2<const T> solution, View2<T> correction, View2<T> new_solution,
                             double weight, double memory) {
  const NinePoint<T> operator_{diagonal, west, south, corner};
  for_rows(box, [&](int j) {
    const T *inverse = inverse_diagonal.row(j), *right = right_side.row(j);
    T *change = correction.row(j), *to = new_solution.row(j);
    operator_.along_row(j, solution, box.i0, box.i1,
                        [&]<class V>(Lane<V>, std::ptrdiff_t i, V x, V image) {
                          const V rest = load<V>(right + i) - image;
                          const V scaled = load<V>(inverse + i) * rest;
                          const V next = splat<V>(static_cast<T>(weight)) * scaled +
                                         splat<V>(static_cast<T>(memory)) * load<V>(change + i);
                          store<V>(change + i, next);
                          store<V>(to + i, x + next);
                        });
  });
}

inline constexpr Contract<2> copy_values_contract{
    "copy_values",
    {{{"source", Access::read, Place::center, "any"},
      {"copy", Access::write, Place::center, "any"}}}};

/// copy = source, in another precision.
template <class From, class To>
void copy_values(Box box, View2<const From> source, View2<To> copy) {
  for_rows(box, [&](int j) {
    const From* from = source.row(j);
    To* to = copy.row(j);
    for (int i = box.i0; i < box.i1; ++i) to[i] = static_cast<To>(from[i]);
  });
}

inline constexpr Contract<3> copy_counted_contract{
    "copy_counted",
    {{{"source", Access::read, Place::center, "any"},
      {"counted", Access::read, Place::center, "1"},
      {"copy", Access::write, Place::center, "any"}}}};

/// copy = source where `counted` is not 0, else 0; in another precision.
template <class From, class To>
void copy_counted(Box box, View2<const From> source, View2<const To> counted, View2<To> copy) {
  for_rows(box, [&](int j) {
    const From* from = source.row(j);
    const To* here = counted.row(j);
    To* to = copy.row(j);
    for (int i = box.i0; i < box.i1; ++i)
      to[i] = here[i] != To(0) ? static_cast<To>(from[i]) : To(0);
  });
}

inline constexpr Contract<4> chebyshev_start_contract{
    "chebyshev_start",
    {{inverse_diagonal_argument,
      {"right_side", Access::read, Place::center, "m3 s-2"},
      {"correction", Access::write, Place::center, "m2 s-2"},
      {"new_solution", Access::write, Place::center, "m2 s-2"}}}};

/// The first iteration from zero: correction = new_solution = weight right_side / diagonal.
template <class T>
void chebyshev_start(Box box, View2<const T> inverse_diagonal, View2<const T> right_side,
                     View2<T> correction, View2<T> new_solution, double weight) {
  for_rows(box, [&](int j) {
    const T *inverse = inverse_diagonal.row(j), *right = right_side.row(j);
    T *change = correction.row(j), *to = new_solution.row(j);
    over_row<T>(box.i0, box.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      const V next = splat<V>(static_cast<T>(weight)) * (load<V>(inverse + i) * load<V>(right + i));
      store<V>(change + i, next);
      store<V>(to + i, next);
    });
  });
}

inline constexpr Contract<3> chebyshev_update_contract{
    "chebyshev_update",
    {{preconditioned_argument,
      {"correction", Access::update, Place::center, "m2 s-2"},
      {"solution", Access::update, Place::center, "m2 s-2"}}}};

/// correction = weight * preconditioned + memory * correction, solution += correction.
template <class T>
void chebyshev_update(Box box, View2<const T> preconditioned, View2<T> correction,
                      View2<T> solution, double weight, double memory) {
  for_rows(box, [&](int j) {
    const T* z = preconditioned.row(j);
    T *change = correction.row(j), *x = solution.row(j);
    over_row<T>(box.i0, box.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      const V next = splat<V>(static_cast<T>(weight)) * load<V>(z + i) +
                     splat<V>(static_cast<T>(memory)) * load<V>(change + i);
      store<V>(change + i, next);
      store<V>(x + i, load<V>(x + i) + next);
    });
  });
}

}  // namespace halocline
