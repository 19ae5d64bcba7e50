#pragma once
#include <algorithm>

#include "numerics/tile_x_sweep.hpp"

namespace halocline {

/// The sweep along y of rows that wait, and that along x after it where it is the second.
template <class Rows>
class TileSweepY {
  using T = typename Rows::Value;
  using V = typename Rows::V;
  static constexpr int step = Rows::step, margin = Rows::margin;

 public:
  explicit TileSweepY(Rows& rows) : r_(rows), x_(rows) {}

  /// Volumes exchanged through face `row` along y.
  void exchanges(int k, int row) {
    const T* south = r_.waiting_volume(row - 1, k);
    const T* north = r_.waiting_volume(row, k);
    const T* conductance = r_.fields.y_conductance.row(row) + r_.i0 - margin;
    const T thickness_dt = r_.fields.thickness(k) * r_.dt;
    T* exchange = r_.y_exchange(row, k);
#pragma omp simd
    for (int i = 0; i < r_.y_width(); ++i)
      exchange[i] = exchanged_volume(conductance[i], thickness_dt, south[i], north[i]);
  }

  /// What may leave the cells of one row along y.
  void bounds(int k, int row) {
    const T* volume = r_.waiting_volume(row, k);
    const T* low = r_.fields.y_volume_flux.row(k, row) + r_.i0 - margin;
    const T* high = r_.fields.y_volume_flux.row(k, row + 1) + r_.i0 - margin;
    const T* low_exchange = r_.y_exchange(row, k);
    const T* high_exchange = r_.y_exchange(row + 1, k);
    T* out = r_.y_cell_bound(row, k);
#pragma omp simd
    for (int i = 0; i < r_.y_width(); ++i)
      out[i] = outflow_bound(volume[i], low[i] * r_.dt, high[i] * r_.dt,
                             Rows::diffuse ? low_exchange[i] + high_exchange[i] : T(0));
  }

  /// Contents through face `row` along y; then, if `complete`, the cells of row - 1, which lie
  /// between it and the face before, are swept along y (and x, if that is the second sweep). They
  /// take the place of row - 2.
  void face(int k, int row, bool complete) {
    constexpr bool last = Rows::x_first;
    if (k < r_.lowest(row - 1) && k < r_.lowest(row)) {
      std::fill_n(r_.at(r_.volume, k), r_.pitch, T(0));
      std::fill_n(r_.at(r_.volume_reciprocal, k), r_.pitch, T(0));
      std::fill_n(r_.waiting(row - 2, k), r_.group, T(0));
      std::fill_n(r_.group_at(r_.y_content, k), r_.group, T(0));
      return;
    }
    T* new_volume = last ? r_.at(r_.volume, k) : r_.row_volume;
    T* new_reciprocal = last ? r_.at(r_.volume_reciprocal, k) : r_.row_reciprocal;
    weights(k, row, new_volume, new_reciprocal);
    const T* volumes = r_.waiting_volume(row - 1, k);
    T* far_low = r_.waiting(row - 2, k);
    const T* low = r_.waiting(row - 1, k);
    const T* high = r_.waiting(row, k);
    const T* far_high = r_.waiting(row + 1, k);
    T* content = r_.group_at(r_.y_content, k);
    T* out = last ? far_low : r_.tracer_rows;
    const int count = r_.count;
    const std::ptrdiff_t pitch = r_.pitch, out_pitch = last ? pitch : r_.row_pitch;
    const int *floor = r_.floors(row - 1), *next_floor = r_.floors(row);
    const T* next = r_.next_level(r_.fields.tracer, k, row + 1);
    const std::ptrdiff_t apart = r_.fields.tracer.stride[0];
    for (int p = 0; p < r_.packs; ++p) {
      const int c = p * step;
      if (k < floor[p]) {
        for (int t = 0; t < count; ++t) store<V>(out + t * out_pitch + c, V{});
        if (k < next_floor[p]) {
          r_.clear(content, c);
          continue;
        }
      }
      const FaceWeights<V> face = r_.template kept<V>(c);
      const V exchange = r_.template exchanged<V>(c), volume = load<V>(volumes + c),
              inverse = load<V>(new_reciprocal + c);
      const bool both = complete && k >= floor[p];
      for (int t = 0; t < count; ++t) {
        const std::ptrdiff_t i = t * pitch + c;
        if constexpr (!Rows::x_first) Rows::ask(next + t * apart, c);
        const V before = load<V>(low + i);
        const V passed = Rows::passing(face, exchange, load<V>(far_low + i), before,
                                       load<V>(high + i), load<V>(far_high + i));
        if (both)
          store<V>(out + t * out_pitch + c,
                   swept(volume, before, load<V>(content + i), passed, inverse));
        store<V>(content + i, passed);
      }
    }
    if (last || !complete) return;
    x_.weights(k, row - 1, r_.at(r_.volume, k), r_.at(r_.volume_reciprocal, k));
    x_.sweep(k, row - 1, {r_.tracer_rows, r_.row_pitch}, r_.at(r_.volume_reciprocal, k), far_low);
  }

 private:
  void weights(int k, int row, T* new_volume, T* new_reciprocal) {
    const T* far_low = r_.waiting_volume(row - 2, k);
    const T* low = r_.waiting_volume(row - 1, k);
    const T* far_high = r_.waiting_volume(row + 1, k);
    const T* low_reciprocal = r_.waiting_reciprocal(row - 1, k);
    const T* high_reciprocal = r_.waiting_reciprocal(row, k);
    const T* low_bound = r_.y_cell_bound(row - 1, k);
    const T* high_bound = r_.y_cell_bound(row, k);
    const T* flux = r_.fields.y_volume_flux.row(k, row) + r_.i0 - margin;
    const T* low_flux = r_.fields.y_volume_flux.row(k, row - 1) + r_.i0 - margin;
    const T* exchange = r_.y_exchange(row, k);
#pragma omp simd
    for (int i = 0; i < r_.y_width(); ++i) {
      r_.keep(i, face_weights(flux[i] * r_.dt, far_low[i], far_high[i], low_reciprocal[i],
                              high_reciprocal[i], low_bound[i], high_bound[i]));
      if constexpr (Rows::diffuse) r_.exchange[i] = exchange[i];
      new_volume[i] = low[i] - (flux[i] * r_.dt - low_flux[i] * r_.dt);
      new_reciprocal[i] = reciprocal_or_zero(new_volume[i]);
    }
  }

  Rows& r_;
  TileSweepX<Rows> x_;
};

}  // namespace halocline
