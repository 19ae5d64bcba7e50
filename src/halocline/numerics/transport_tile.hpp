#pragma once
#include <algorithm>
#include <cstring>

#include "numerics/tile_columns.hpp"
#include "numerics/tile_rows.hpp"
#include "numerics/tile_surroundings.hpp"
#include "numerics/tile_x_sweep.hpp"
#include "numerics/tile_y_sweep.hpp"

namespace halocline {

/// One pass over the rows of a tile of columns [i0, i1) for a few tracers: x, y and z sweeps,
/// sinking and vertical diffusion, each tracer read and written once. Row r is read (and swept
/// along x, if that is the first sweep), then face r - 1 is passed along y, then row r - 2 is
/// finished: what waits in between fits the caches of a core. Nothing reads row r - 2
/// after that, so that the new tracer may lie where the tracer does.
///
/// Columns c are counted from i0 - margin, in packs; what all tracers share is loaded once for a
/// pack of them. What lies below the floors of all columns of a pack is not computed: it holds 0.
/// Where the new tracer lies in the place of the tracer, rows that are land altogether are left.
template <class T, First first_sweep, bool Limited, bool Diffuse>
class TransportTile {
  using Rows = TileRows<T, first_sweep, Limited, Diffuse>;
  using V = typename Rows::V;
  static constexpr int step = Rows::step, margin = Rows::margin;

 public:
  /// @param western  what the cells i0 - 2 and i0 - 1 held before the tile to the west was
  /// computed;
  ///                 then, for the tile to the east, i1 - 2 and i1 - 1
  TransportTile(const TransportFields<T>& fields, TileBox tile, const RowFrame<T>& frame,
                T* western, int first, int count, double dt, Scratch<T>& scratch)
      : r_(fields, tile, first, count, dt, scratch),
        x_(r_),
        y_(r_),
        columns_(r_),
        tile_(tile),
        frame_(frame),
        western_(western) {}

  void pass() {
    const int j0 = tile_.j0, j1 = tile_.j1;
    for (int row = j0 - 2; row < j1 + 2; ++row) {
      std::fill_n(r_.floors(row), r_.packs, r_.levels);
      r_.lowest(row) = r_.levels;
      for (int k = 0; k < r_.levels; ++k) {
        read_row(k, row);
        if (Rows::diffuse && row >= j0 - 1) y_.exchanges(k, row);
        if (row >= j0 && k >= r_.lowest(row - 1)) y_.bounds(k, row - 1);
        if (row > j0) y_.face(k, row - 1, row - 1 > j0);
      }
      if (row - 2 >= j0) columns_.finish(row - 2);
    }
  }

 private:
  void read_row(int k, int row) {
    const T* volume = r_.fields.volume.row(k, row) + r_.i0;
    if (k + 1 < r_.levels) {
      r_.prefetch(r_.fields.volume.row(k + 1, row) + r_.i0);
      r_.prefetch(r_.fields.x_volume_flux.row(k + 1, row) + r_.i0);
      r_.prefetch(r_.fields.y_volume_flux.row(k + 1, row) + r_.i0);
    }
    T* copy = Rows::x_first ? r_.row_volume : r_.waiting_volume(row, k);
    std::memcpy(copy + margin - 2, volume - 2, (r_.width + 4) * sizeof(T));
    find_floors(copy, k, row);
    if (k < r_.lowest(row)) {
      read_land(k, row);
      return;
    }
    if constexpr (Rows::x_first) {
      x_.weights(k, row, r_.waiting_volume(row, k), r_.waiting_reciprocal(row, k));
    } else {
      T* reciprocal = r_.waiting_reciprocal(row, k);
#pragma omp simd
      for (int c = 0; c < r_.y_width(); ++c) reciprocal[c] = reciprocal_or_zero(copy[c]);
    }
    const TracerRows<T> rows = rows_before(k, row);
    if constexpr (Rows::x_first) {
      for (int t = 0; t < r_.count; ++t) copy_ends(t, k, row, rows);
      x_.sweep(k, row, rows, r_.waiting_reciprocal(row, k), r_.waiting(row, k));
    } else {
      copy_water(k, row, rows);
    }
    keep_east(k, row, rows);
  }

  /// A row as it was; where it lies in the field, what is west of i0 may have been computed.
  TracerRows<T> rows_before(int k, int row) const {
    if (frame_.has(row)) return {frame_.row(r_.first, k, row) + r_.i0, frame_.apart()};
    return {r_.fields.tracer.row(r_.first, k, row) + r_.i0, r_.fields.tracer.stride[0]};
  }

  /// Put the cells i0 - 2 and i0 - 1 of one tracer before `copy`, as they were.
  void copy_west(int t, int k, int row, const T* tracer, T* copy) const {
    std::copy_n(frame_.has(row) ? tracer - 2 : west_of(t, k, row), 2, copy - 2);
  }

  /// Keep the cells that the tile to the east needs, as they are before they are computed.
  void keep_east(int k, int row, const TracerRows<T>& rows) {
    if (frame_.has(row)) return;
    for (int t = 0; t < r_.count; ++t) {
      T* west = west_of(t, k, row);
      west[0] = r_.width > 1 ? rows(t)[r_.width - 2] : west[1];
      west[1] = rows(t)[r_.width - 1];
    }
  }

  /// What the packs at both ends of a row are computed from, into `r_.tracer_rows`.
  void copy_ends(int t, int k, int row, const TracerRows<T>& rows) {
    const T* tracer = rows(t);
    T* copy = r_.tracer_rows + t * r_.row_pitch;
    copy_west(t, k, row, tracer, copy);
    if (r_.width < step) {
      std::memcpy(copy, tracer, (r_.width + 2) * sizeof(T));
      return;
    }
    std::memcpy(copy, tracer, (step + 2) * sizeof(T));
    const int rest = r_.width % step, c = r_.width - rest;
    if (rest > 0) std::memcpy(copy + c - 1, tracer + c - 1, (rest + 3) * sizeof(T));
  }

  /// The packs of a row that have water, with two cells more on both sides, among those that wait.
  void copy_water(int k, int row, const TracerRows<T>& rows) {
    const int* floor = r_.floors(row);
    T* copies = r_.waiting(row, k);
    for (int p = 0; p < r_.packs; ++p) {
      const int c = p * step, end = r_.y_width() - c;
      if (k < floor[p]) {
        r_.clear(copies, c);
      } else if (c > 0 && end >= step) {
        for (int t = 0; t < r_.count; ++t)
          store<V>(copies + t * r_.pitch + c, load<V>(rows(t) + c - margin));
      } else {
        const int skip = c > 0 ? 0 : margin;
        for (int t = 0; t < r_.count; ++t)
          std::copy_n(rows(t) + c + skip - margin, std::min(end, step) - skip,
                      copies + t * r_.pitch + c + skip);
      }
    }
    for (int t = 0; t < r_.count; ++t)
      copy_west(t, k, row, rows(t), copies + t * r_.pitch + margin);
  }

  void read_land(int k, int row) {
    std::fill_n(r_.waiting_volume(row, k), r_.pitch, T(0));
    std::fill_n(r_.waiting_reciprocal(row, k), r_.pitch, T(0));
    std::fill_n(r_.waiting(row, k), r_.group, T(0));
    std::fill_n(west_of(0, k, row), 2 * r_.count, T(0));
  }

  /// The two cells west of the tile.
  T* west_of(int t, int k, int row) const {
    return western_ +
           2 * (((row - tile_.j0 + 2) * static_cast<std::ptrdiff_t>(r_.levels) + k) * r_.count + t);
  }

  void find_floors(const T* volume, int k, int row) {
    int* floor = r_.floors(row);
    for (int p = 0; p < r_.packs; ++p) {
      if (floor[p] < k) continue;
      T most = 0;
      const int end = std::min(step, r_.y_width() - p * step);
      for (int c = 0; c < end; ++c) most = maximum(most, volume[p * step + c]);
      if (most > T(0)) floor[p] = k;
      r_.lowest(row) = std::min(r_.lowest(row), floor[p]);
    }
  }

  Rows r_;
  TileSweepX<Rows> x_;
  TileSweepY<Rows> y_;
  TileColumns<Rows> columns_;
  TileBox tile_;
  RowFrame<T> frame_;
  T* western_;
};

}  // namespace halocline
