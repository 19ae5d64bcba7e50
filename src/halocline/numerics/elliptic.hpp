#pragma once
#include "contract.hpp"
#include "numerics/row_loops.hpp"
#include "view.hpp"

/// The nine-point operator of the barotropic mode on a masked curvilinear grid.
///
/// (A p)(j, i) = diagonal p - sum of coupling times neighbour. `west`, `south` and `corner` couple
/// a cell with its western, southern and south-western neighbour; a corner couples both pairs of
/// cells across it, so that `corner[i + 1]` is the coupling with the south-eastern one. Zero on
/// land.
namespace halocline {

template <class T>
struct NinePoint {
  View2<const T> diagonal, west, south, corner;

  /// Run `body(Lane<V>{}, i, value, image)` along row j: the operator on `value`, whose rows j - 1,
  /// j and j + 1 are read. Packs slide along the row, so that every number is loaded once.
  template <class Body>
  INLINE void along_row(int j, View2<const T> value, std::ptrdiff_t i0, std::ptrdiff_t i1,
                        const Body& body) const {
    along_row<false>(j, {value.row(j - 1), value.row(j), value.row(j + 1)}, i0, i1, body);
  }

  /// Rows of a value, south of a cell, its own, and north of it.
  struct Rows {
    const T *below, *here, *above;
  };

  /// The same for rows that lie anywhere. `Closed`: nothing beyond i0 and i1 - 1 is read, and the
  /// images there are wrong.
  template <bool Closed, class Body>
  INLINE void along_row(int j, Rows rows, std::ptrdiff_t i0, std::ptrdiff_t i1,
                        const Body& body) const {
    using Bare = Sliding<false, Closed>;
    using Wide = Sliding<true, Closed>;
    const T *d = diagonal.row(j), *s = south.row(j), *n = south.row(j + 1);
    Bare w(west.row(j), i0, i1), c(corner.row(j), i0, i1), u(corner.row(j + 1), i0, i1);
    Wide below(rows.below, i0, i1), here(rows.here, i0, i1), above(rows.above, i0, i1);
    std::ptrdiff_t i = i0;
    for (; i + width <= i1; i += width) {
      w.slide(i), c.slide(i), u.slide(i), below.slide(i), here.slide(i), above.slide(i);
      const V image = sum(load<V>(d + i), w.now, w.east(), load<V>(s + i), load<V>(n + i), c.now,
                          c.east(), u.now, u.east(), below, here, above);
      body(Lane<V>{}, i, here.now, image);
    }
    const auto point = [i = &i](const T* row, int shift = 0) { return row[*i + shift]; };
    struct Point {
      T left, now, right;
      T west() const { return left; }
      T east() const { return right; }
    };
    for (; i < i1; ++i) {
      const int left = Closed && i == i0 ? 0 : -1, right = Closed && i + 1 == i1 ? 0 : 1;
      const auto around = [&](const T* p) {
        return Point{point(p, left), point(p), point(p, right)};
      };
      const T *wr = west.row(j), *cr = corner.row(j), *ur = corner.row(j + 1);
      const Point middle = around(rows.here);
      const T image = sum(point(d), point(wr), point(wr, right), point(s), point(n), point(cr),
                          point(cr, right), point(ur), point(ur, right), around(rows.below), middle,
                          around(rows.above));
      body(Lane<T>{}, i, middle.now, image);
    }
  }

 private:
  static constexpr int width = lanes<T>;
  using V = pack<T, width>;

  /// Three packs around the one at i of a row, of which values from i0 - 1 (or i0) to i1 are read.
  template <bool West, bool Closed>
  struct Sliding {
    const T* row;
    std::ptrdiff_t end;
    V before, now, next;

    INLINE Sliding(const T* from, std::ptrdiff_t i0, std::ptrdiff_t i1)
        : row(from), end(i1), before{}, now{}, next{} {
      if constexpr (West) now = splat<V>(from[Closed ? i0 : i0 - 1]);
      if (i0 + width <= i1) next = load<V>(from + i0);
    }
    INLINE void slide(std::ptrdiff_t i) {
      before = now;
      now = next;
      next = i + 2 * width <= end ? load<V>(row + i + width)
                                  : splat<V>(row[i + width - (Closed && i + width == end)]);
    }
    INLINE V west() const { return joined<width - 1>(before, now); }
    INLINE V east() const { return joined<1>(now, next); }

    /// Lanes of two packs side by side, from lane `First` on.
    template <int First>
    static INLINE V joined(V low, V high) {
      return [&]<int... At>(std::integer_sequence<int, At...>) {
        return __builtin_shufflevector(low, high, (At + First)...);
      }(std::make_integer_sequence<int, width>{});
    }
  };

  template <class A, class Around>
  static INLINE A sum(A diagonal, A west, A east, A south, A north, A south_west, A south_east,
                      A north_west, A north_east, const Around& below, const Around& here,
                      const Around& above) {
    A sides = west * here.west();
    sides = multiply_add(east, here.east(), sides);
    sides = multiply_add(south, below.now, sides);
    sides = multiply_add(north, above.now, sides);
    A corners = south_west * below.west();
    corners = multiply_add(south_east, below.east(), corners);
    corners = multiply_add(north_west, above.west(), corners);
    corners = multiply_add(north_east, above.east(), corners);
    return multiply_add(diagonal, here.now, -(sides + corners));
  }
};

/// The operator's arguments of every contract; lengths of cells times depth over length: metres.
inline constexpr Argument diagonal_argument{"diagonal", Access::read, Place::center, "m"};
inline constexpr Argument west_argument{"west", Access::read, Place::x_face, "m", {0, 1, 0, 0}};
inline constexpr Argument south_argument{"south", Access::read, Place::y_face, "m", {0, 0, 0, 1}};
inline constexpr Argument corner_argument{"corner", Access::read, Place::corner, "m", {0, 1, 0, 1}};
inline constexpr Argument inverse_diagonal_argument{"inverse_diagonal", Access::read, Place::center,
                                                    "m-1"};
/// What a kernel adds up, for so many sums of five parts: "1 5", "2 5", ...
constexpr Argument parts_argument(std::string_view axes) {
  return {"parts", Access::update, Place::none, "1", axes};
}

inline constexpr Contract<6> apply_nine_point_contract{
    "apply_nine_point",
    {{diagonal_argument,
      west_argument,
      south_argument,
      corner_argument,
      {"direction", Access::read, Place::center, "m2 s-2", {-1, 1, -1, 1}},
      {"image", Access::write, Place::center, "m3 s-2"}}}};

/// image = A direction.
///
/// @param[in]  box        cells to compute
/// @param[in]  direction  [m2 s-2], shape (j, i)
/// @param[out] image      [m3 s-2]
template <class T>
void apply_nine_point(Box box, View2<const T> diagonal, View2<const T> west, View2<const T> south,
                      View2<const T> corner, View2<const T> direction, View2<T> image) {
  const NinePoint<T> operator_{diagonal, west, south, corner};
  for_rows(box, [&](int j) {
    T* to = image.row(j);
    operator_.along_row(j, direction, box.i0, box.i1,
                        [&]<class V>(Lane<V>, std::ptrdiff_t i, V, V q) { store<V>(to + i, q); });
  });
}

inline constexpr Contract<8> nine_point_residual_contract{
    "nine_point_residual",
    {{diagonal_argument,
      west_argument,
      south_argument,
      corner_argument,
      {"right_side", Access::read, Place::center, "m3 s-2"},
      {"solution", Access::read, Place::center, "m2 s-2", {-1, 1, -1, 1}},
      {"residual", Access::write, Place::center, "m3 s-2"},
      parts_argument("1 5")}}};

/// residual = right_side - A solution, and the sum of its squares.
///
/// @param[out] residual   [m3 s-2]
/// @param[out] parts      of residual * residual, shape (1, 4)
template <class T>
void nine_point_residual(Box box, View2<const T> diagonal, View2<const T> west,
                         View2<const T> south, View2<const T> corner, View2<const T> right_side,
                         View2<const T> solution, View2<T> residual, View2<double> parts) {
  const NinePoint<T> operator_{diagonal, west, south, corner};
  for_rows_with_sums<1>(box, parts, [&](int j, LoopSums<1>& sums) {
    const T* right = right_side.row(j);
    T* to = residual.row(j);
    operator_.along_row(j, solution, box.i0, box.i1,
                        [&]<class V>(Lane<V>, std::ptrdiff_t i, V, V image) {
                          const V r = load<V>(right + i) - image;
                          store<V>(to + i, r);
                          sums.add(0, r, r);
                        });
  });
}

}  // namespace halocline
