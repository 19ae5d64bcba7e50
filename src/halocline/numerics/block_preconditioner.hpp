#pragma once
#include <algorithm>
#include <vector>

#include "contract.hpp"
#include "numerics/row_loops.hpp"
#include "view.hpp"

/// Exact solution of the operator on sub-blocks ("tiles") that are cut once from the global grid.
///
/// A tile of `Width` columns is a block tridiagonal system of its rows: D x[j] - E[j] x[j-1] -
/// E[j+1]' x[j+1] = r[j]. `factors` holds for every column of tiles and every row the inverse of
/// the eliminated D' = D - E D'^-1 E', and the three diagonals of E: couplings with the row below
/// in the same, the western and the eastern column, zero across the sides of a tile.
namespace halocline {

/// What the factors of one row of one tile hold, `Width` numbers each.
inline constexpr int coupling_rows = 3;

/// A row of a tile in registers.
template <class P, int Width>
struct TileRow {
  static constexpr int width = Width < lanes<P> ? Width : lanes<P>;
  static constexpr int packs = Width / width;
  using V = pack<P, width>;
  V part[packs];

  static TileRow zero() {
    TileRow row;
    for (V& part : row.part) part = V{};
    return row;
  }
  static INLINE TileRow from(const P* values) {
    TileRow row;
    for (int at = 0; at < packs; ++at) row.part[at] = load<V>(values + at * width);
    return row;
  }
  INLINE void to(P* values) const {
    for (int at = 0; at < packs; ++at) store<V>(values + at * width, part[at]);
  }
  friend INLINE TileRow operator*(TileRow a, const TileRow& b) {
    for (int at = 0; at < packs; ++at) a.part[at] *= b.part[at];
    return a;
  }
  friend INLINE TileRow operator+(TileRow a, const TileRow& b) {
    for (int at = 0; at < packs; ++at) a.part[at] += b.part[at];
    return a;
  }
  /// Every value moved one column east (from the west) or west, zero moved in.
  INLINE TileRow from_west() const {
    TileRow row;
    for (int at = 0; at < packs; ++at) row.part[at] = shift<-1>(at ? part[at - 1] : V{}, part[at]);
    return row;
  }
  INLINE TileRow from_east() const {
    TileRow row;
    for (int at = 0; at < packs; ++at)
      row.part[at] = shift<1>(part[at], at + 1 < packs ? part[at + 1] : V{});
    return row;
  }

 private:
  /// Lanes of (low, high) side by side, beginning at lane 1 (By = 1) or at lane width - 1.
  template <int By>
  static INLINE V shift(V low, V high) {
    return [&]<int... Lane>(std::integer_sequence<int, Lane...>) {
      return __builtin_shufflevector(low, high, (By > 0 ? Lane + 1 : Lane + width - 1)...);
    }(std::make_integer_sequence<int, width>{});
  }
};

/// The same value in every lane, without arithmetic.
template <class V>
INLINE V broadcast(scalar_of<V> value) {
  return [value]<int... Lane>(std::integer_sequence<int, Lane...>) {
    return V{((void)Lane, value)...};
  }(std::make_integer_sequence<int, width_of<V>>{});
}

/// The sum over k of column k of the (symmetric) matrix times value k, in four interleaved sums.
template <class P, int Width>
INLINE TileRow<P, Width> times(const P* columns, const TileRow<P, Width>& values) {
  using Row = TileRow<P, Width>;
  using V = typename Row::V;
  alignas(64) P value[Width];
  values.to(value);
  Row sum[4] = {Row::zero(), Row::zero(), Row::zero(), Row::zero()};
#pragma GCC unroll 32
  for (int k = 0; k < Width; ++k) {
    const V factor = broadcast<V>(value[k]);
    for (int at = 0; at < Row::packs; ++at)
      sum[k % 4].part[at] =
          multiply_add(load<V>(columns + k * Width + at * Row::width), factor, sum[k % 4].part[at]);
  }
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

inline constexpr Contract<6> precondition_blocks_contract{
    "precondition_blocks",
    {{{"residual", Access::read, Place::center, "m3 s-2", {-7, 7, -7, 7}},
      {"factors", Access::read, Place::none, "m-1", "tile row column+3 column", {}, Column::whole},
      {"tile_sea", Access::read, Place::none, "1", "tile row", {}, Column::whole},
      {"tile_rows", Access::read, Place::none, "1", "tile_row 2", {}, Column::whole},
      {"tile_columns", Access::read, Place::none, "1", "tile 2", {}, Column::whole},
      {"preconditioned", Access::write, Place::center, "m2 s-2"}}}};

template <class T, class P, int Width>
struct TileSolver {
  Box box;
  View2<const T> residual;
  View4<const P> factors;
  View2<const std::int32_t> sea, columns;
  View2<T> preconditioned;
  int first_row;

  using Row = TileRow<P, Width>;

  /// Solve the tiles of rows [j0, j1) in tile columns [first, last).
  void solve(int j0, int j1, int first, int last, std::vector<P>& scratch) const {
    const int count = last - first;
    scratch.resize(static_cast<std::size_t>((j1 - j0 + 1) * count * Width));
    P* above = scratch.data() + static_cast<std::ptrdiff_t>(j1 - j0) * count * Width;
    std::fill(above, above + count * Width, P{});
    for (int j = j0; j < j1; ++j) {
      P* row = scratch.data() + static_cast<std::ptrdiff_t>(j - j0) * count * Width;
      for (int tile = 0; tile < count; ++tile) {
        if (!sea(first + tile, j - first_row)) {
          Row::zero().to(above + tile * Width);
          continue;
        }
        const P* factor = factors.row(first + tile, j - first_row);
        const P* coupling = factor + Width * Width;
        const Row before = Row::from(above + tile * Width);
        const Row right =
            gather(j, first + tile) +
            (Row::from(coupling) * before + (Row::from(coupling + Width) * before.from_west() +
                                             Row::from(coupling + 2 * Width) * before.from_east()));
        right.to(row + tile * Width);
        times<P, Width>(factor, right).to(above + tile * Width);
      }
    }
    std::fill(above, above + count * Width, P{});
    for (int j = j1 - 1; j >= j0; --j) {
      const P* row = scratch.data() + static_cast<std::ptrdiff_t>(j - j0) * count * Width;
      for (int tile = 0; tile < count; ++tile) {
        const bool owned = j >= box.j0 && j < box.j1;
        if (!sea(first + tile, j - first_row)) {
          Row::zero().to(above + tile * Width);
          if (owned) scatter(Row::zero(), j, first + tile);
          continue;
        }
        const P* factor = factors.row(first + tile, j - first_row);
        Row right = Row::from(row + tile * Width);
        if (j + 1 < j1) {
          const P* coupling = factors.row(first + tile, j + 1 - first_row) + Width * Width;
          const Row after = Row::from(above + tile * Width);
          right = right + (Row::from(coupling) * after +
                           ((Row::from(coupling + Width) * after).from_east() +
                            (Row::from(coupling + 2 * Width) * after).from_west()));
        }
        const Row solved = times<P, Width>(factor, right);
        solved.to(above + tile * Width);
        if (owned) scatter(solved, j, first + tile);
      }
    }
  }

 private:
  INLINE Row gather(int j, int tile) const {
    const int i0 = columns(tile, 0), i1 = columns(tile, 1);
    const T* from = residual.row(j);
    if (i1 - i0 == Width) return converted(from + i0);
    alignas(64) T value[Width] = {};
    for (int i = i0; i < i1; ++i) value[i - i0] = from[i];
    return converted(value);
  }

  static INLINE Row converted(const T* from) {
    Row row;
    for (int at = 0; at < Row::packs; ++at)
      row.part[at] = __builtin_convertvector(load<pack<T, Row::width>>(from + at * Row::width),
                                             typename Row::V);
    return row;
  }

  INLINE void scatter(const Row& solved, int j, int tile) const {
    const int i0 = columns(tile, 0), i1 = columns(tile, 1);
    T* to = preconditioned.row(j);
    if (i1 - i0 == Width && i0 >= box.i0 && i1 <= box.i1) {
      for (int at = 0; at < Row::packs; ++at)
        store(to + i0 + at * Row::width,
              __builtin_convertvector(solved.part[at], pack<T, Row::width>));
    } else {
      alignas(64) P value[Width];
      solved.to(value);
      for (int i = std::max(i0, box.i0); i < std::min(i1, box.i1); ++i)
        to[i] = static_cast<T>(value[i - i0]);
    }
  }
};

/// preconditioned = (the operator without couplings between tiles)^-1 residual.
///
/// @param[in]  residual      [m3 s-2]; read on all tiles that touch the box
/// @param[in]  factors       shape (column of tiles, row, width + 3, width); row 0 is that of the
///                           first tile; lower precision than the residual's is fine
/// @param[in]  tile_sea      whether a row of a tile has sea, shape (column of tiles, row)
/// @param[in]  tile_rows     first row and end of every row of tiles, shape (rows of tiles, 2)
/// @param[in]  tile_columns  the same of columns; an entry without cells is skipped
template <class T, class P>
void precondition_blocks(Box box, View2<const T> residual, View4<const P> factors,
                         View2<const std::int32_t> tile_sea, View2<const std::int32_t> tile_rows,
                         View2<const std::int32_t> tile_columns, View2<T> preconditioned) {
  int columns = 0;
  while (columns < tile_columns.extent[0] && tile_columns(columns, 1) > tile_columns(columns, 0))
    ++columns;
  const auto sweep = [&]<int Width>() {
    const TileSolver<T, P, Width> solver{box,          residual,       factors,        tile_sea,
                                         tile_columns, preconditioned, tile_rows(0, 0)};
    const std::ptrdiff_t height = tile_rows(0, 1) - tile_rows(0, 0);
    const std::ptrdiff_t tile = height * (Width + coupling_rows) * Width * sizeof(P);
    // Tiles side by side hide each other's latency as long as their factors stay in the L2 cache.
    const int group = static_cast<int>(std::clamp<std::ptrdiff_t>(600000 / tile, 2, 8));
    const int groups = (columns + group - 1) / group;
    const int bands = static_cast<int>(tile_rows.extent[0]);
    for_pairs(bands, 0, groups, 1, [&](int band, int part) {
      thread_local std::vector<P> scratch;
      solver.solve(tile_rows(band, 0), tile_rows(band, 1), part * group,
                   std::min(columns, (part + 1) * group), scratch);
    });
  };
  const std::ptrdiff_t width = factors.extent[3];
  if (width == 8) sweep.template operator()<8>();
  if (width == 16) sweep.template operator()<16>();
  if (width == 32) sweep.template operator()<32>();
}

}  // namespace halocline
