#pragma once
#include <algorithm>

#include "numerics/sinking.hpp"
#include "numerics/tile_rows.hpp"
#include "numerics/vertical_diffusion.hpp"

namespace halocline {

/// What passes the interfaces of the columns of a row: the sweep along z, sinking, diffusion.
template <class Rows>
class TileColumns {
  using T = typename Rows::Value;
  using V = typename Rows::V;
  static constexpr int step = Rows::step, margin = Rows::margin;

 public:
  explicit TileColumns(Rows& rows) : r_(rows) {}

  void finish(int row) {
    for (T* some : {r_.z_flux, r_.z_cell_bound, r_.z_conductance, r_.interface, r_.pivot, r_.above})
      std::fill_n(r_.in_ring(some, r_.levels), r_.pitch, T(0));
    std::fill_n(r_.z_content, r_.group, T(0));
    std::fill_n(r_.sunk, r_.group, T(0));
    for (int k = r_.levels - 1; k >= r_.lowest(row); --k) {
      z_level(k, row);
      if (k + 1 < r_.levels) finish_level(k + 1, row);
    }
    if (r_.lowest(row) < r_.levels) {
      for (T* some : {r_.z_ahead, r_.z_behind, r_.z_bound})
        std::fill_n(r_.in_ring(some, r_.lowest(row)), r_.pitch, T(0));
      finish_level(r_.lowest(row), row);
    }
    write_row(row);
  }

 private:
  /// From the top down: interface k, cell k with its elimination, and the weights of face k + 1.
  void z_level(int k, int row) {
    const T* area = r_.fields.area.row(row) + r_.i0;
    const T* z_volume_flux = r_.fields.z_volume_flux.row(k, row) + r_.i0;
    const T* diffusivity = r_.fields.vertical_diffusivity.row(k, row) + r_.i0;
    if (k > 0) {
      r_.prefetch(r_.fields.z_volume_flux.row(k - 1, row) + r_.i0);
      r_.prefetch(r_.fields.vertical_diffusivity.row(k - 1, row) + r_.i0);
    }
    const T open_dt = k > 0 ? r_.dt : T(0);
    const T inverse = k > 0 ? T(1) / r_.fields.spacing(k) : T(0);
    const T* volume = r_.at(r_.volume, k) + margin;
    const T* low_volume = r_.at(r_.volume, k - 1) + margin;
    const T* far_high_volume = r_.at(r_.volume, k + 2) + margin;
    const T* volume_reciprocal = r_.at(r_.volume_reciprocal, k) + margin;
    const T* high_reciprocal = r_.at(r_.volume_reciprocal, k + 1) + margin;
    const T* high_flux = r_.in_ring(r_.z_flux, k + 1) + margin;
    const T* high_cell_bound = r_.in_ring(r_.z_cell_bound, k + 1) + margin;
    const T* high_conductance = r_.in_ring(r_.z_conductance, k + 1) + margin;
    const T* next_below = r_.at(r_.below, k + 1) + margin;
    T* low_flux = r_.in_ring(r_.z_flux, k) + margin;
    T* cell_bound = r_.in_ring(r_.z_cell_bound, k) + margin;
    T* conductance = r_.in_ring(r_.z_conductance, k) + margin;
    T* interface = r_.in_ring(r_.interface, k) + margin;
    T* reciprocal = r_.in_ring(r_.z_reciprocal, k) + margin;
    T* ahead = r_.in_ring(r_.z_ahead, k + 1) + margin;
    T* behind = r_.in_ring(r_.z_behind, k + 1) + margin;
    T* bound = r_.in_ring(r_.z_bound, k + 1) + margin;
    T* pivot = r_.in_ring(r_.pivot, k) + margin;
    T* above = r_.in_ring(r_.above, k) + margin;
    T* below = r_.at(r_.below, k) + margin;
#pragma omp simd
    for (int i = 0; i < r_.width; ++i) {
      const T low = z_volume_flux[i] * open_dt;
      const T high = high_flux[i];
      const T own_bound = outflow_bound(volume[i], low, high, T(0));
      const T own_reciprocal = reciprocal_or_zero(volume[i] - (high - low));
      interface[i] = open_interface(area[i], r_.dt, low_volume[i], volume[i]);
      conductance[i] = interface[i] * (diffusivity[i] * inverse);
      const Elimination<T> level =
          eliminate(conductance[i], high_conductance[i], own_reciprocal, next_below[i]);
      const FaceWeights<T> face =
          face_weights(high, low_volume[i], far_high_volume[i], volume_reciprocal[i],
                       high_reciprocal[i], own_bound, high_cell_bound[i]);
      low_flux[i] = low;
      cell_bound[i] = own_bound;
      reciprocal[i] = own_reciprocal;
      pivot[i] = level.pivot;
      above[i] = level.above;
      below[i] = level.below;
      ahead[i] = face.ahead;
      behind[i] = face.behind;
      bound[i] = face.bound;
    }
  }

  /// Sweep level k of one row along z, let the tracers sink, and eliminate for their diffusion.
  void finish_level(int k, int row) {
    const T* far_low = r_.waiting(row - 1, k - 2);
    const T* low = r_.waiting(row - 1, k - 1);
    const T* here = r_.waiting(row - 1, k);
    const T* far_high = r_.waiting(row - 1, k + 1);
    const T* last = r_.group_at(r_.solved, k + 1);
    T* solved = r_.group_at(r_.solved, k);
    T *content = r_.z_content, *sunk_above = r_.sunk;
    const View1<const T> speeds = r_.fields.sinking_speed;
    const int first = r_.first, count = r_.count;
    const std::ptrdiff_t pitch = r_.pitch;
    const int* floor = r_.floors(row);
    for (int p = 0; p < r_.packs; ++p) {
      const int c = p * step;
      if (k < floor[p]) continue;
      const auto ring_at = [=, this](T* rows, int level) {
        return load<V>(r_.in_ring(rows, level) + c);
      };
      const FaceWeights<V> face{ring_at(r_.z_flux, k), ring_at(r_.z_ahead, k),
                                ring_at(r_.z_behind, k), ring_at(r_.z_bound, k)};
      const V volume = load<V>(r_.at(r_.volume, k) + c), inverse = ring_at(r_.z_reciprocal, k);
      const V pivot = ring_at(r_.pivot, k), above = ring_at(r_.above, k);
      const V out_above = ring_at(r_.interface, k + 1) * inverse,
              out_below = ring_at(r_.interface, k) * inverse;
      for (int t = 0; t < count; ++t) {
        const std::ptrdiff_t i = t * pitch + c;
        const V before = load<V>(here + i);
        const V passed = face_content<Rows::limited>(face, load<V>(far_low + i), load<V>(low + i),
                                                     before, load<V>(far_high + i));
        V value = swept(volume, before, passed, load<V>(content + i), inverse);
        store<V>(content + i, passed);
        const T speed = speeds(first + t);
        if (speed > T(0)) {
          value = sunk(value, speed * out_above, speed * out_below, load<V>(sunk_above + i));
          store<V>(sunk_above + i, value);
        }
        store<V>(solved + i, pivot * value + above * load<V>(last + i));
      }
    }
  }

  /// Substitute from the floor up, and store the packs that have water; where the new tracer lies
  /// elsewhere, those of land too.
  void write_row(int row) {
    const int* floor = r_.floors(row);
    const bool in_place = r_.fields.new_tracer.data == r_.fields.tracer.data;
    const int count = r_.count;
    const std::ptrdiff_t pitch = r_.pitch, apart = r_.fields.new_tracer.stride[0];
    T* lower = r_.lower;
    std::fill_n(lower, r_.group, T(0));
    for (int k = in_place ? r_.lowest(row) : 0; k < r_.levels; ++k) {
      const T* below = r_.at(r_.below, k);
      const T* solved = r_.group_at(r_.solved, k);
      const T* next = r_.next_level(r_.fields.new_tracer, k, row);
      T* out = r_.fields.new_tracer.row(r_.first, k, row) + r_.i0 - margin;
      for (int p = 0; p < r_.packs; ++p) {
        if (k < floor[p] && in_place) continue;
        const int c = p * step;
        const int skip = std::max(margin - c, 0),
                  size = std::min(r_.width + margin - c, step) - skip;
        const V share = k < floor[p] ? V{} : load<V>(below + c);
        for (int t = 0; t < count; ++t) {
          const std::ptrdiff_t i = t * pitch + c;
          __builtin_prefetch(next + t * apart + c, 1, 3);
          V value{};
          if (k >= floor[p]) value = load<V>(solved + i) + share * load<V>(lower + i);
          store<V>(lower + i, value);
          if (size == step)
            store<V>(out + t * apart + c, value);
          else
            std::copy_n(lower + i + skip, std::max(size, 0), out + t * apart + c + skip);
        }
      }
    }
  }

  Rows& r_;
};

}  // namespace halocline
