#pragma once
#include <algorithm>
#include <cstring>
#include <memory>
#include <new>

#include "numerics/sinking.hpp"
#include "numerics/tracer_advection.hpp"
#include "numerics/vertical_diffusion.hpp"
#include "view.hpp"

namespace halocline {

/// What the fused sweep reads and writes.
template <class T>
struct TransportFields {
  View4<const T> tracer;
  View3<const T> volume, x_volume_flux, y_volume_flux, z_volume_flux, vertical_diffusivity;
  View2<const T> x_conductance, y_conductance, area;
  View1<const T> thickness, spacing, sinking_speed;
  View4<T> new_tracer;
};

/// A growing, aligned scratch of one thread, cut into rows.
template <class T>
class Scratch {
 public:
  void reserve(std::size_t values) {
    if (values > capacity_) {
      data_.reset(static_cast<T*>(::operator new(values * sizeof(T), alignment)));
      capacity_ = values;
    }
    std::fill_n(data_.get(), values, T(0));
    used_ = 0;
  }
  T* take(std::size_t values) {
    T* begin = data_.get() + used_;
    used_ += values;
    return begin;
  }

 private:
  static constexpr std::align_val_t alignment{64};
  struct Free {
    void operator()(T* data) const { ::operator delete(data, alignment); }
  };
  std::unique_ptr<T[], Free> data_;
  std::size_t capacity_ = 0, used_ = 0;
};

/// Cells [i0, i1) x [j0, j1) of a padded plane.
struct TileBox {
  int i0, i1, j0, j1;
};

/// What a tile reads around itself, two cells deep, as it was before any tile was computed: in a
/// field that is computed in its own place other tiles write there. Of each plane it has the rows
/// south and north of the tile, and of every row between both ends.
template <class T>
class TileFrame {
 public:
  TileFrame() = default;
  TileFrame(T* values, TileBox tile, int levels)
      : values_(values), tile_(tile), length_(tile.i1 - tile.i0 + 4), levels_(levels) {}

  static std::size_t size(TileBox tile) {
    return 4 * static_cast<std::size_t>(tile.i1 - tile.i0 + 4 + tile.j1 - tile.j0);
  }
  explicit operator bool() const { return values_ != nullptr; }

  void keep(View4<const T> tracer, int t) const {
    for (int k = 0; k < levels_; ++k) {
      for (int row : {tile_.j0 - 2, tile_.j0 - 1, tile_.j1, tile_.j1 + 1})
        std::memcpy(outside(t, k, row), tracer.row(t, k, row) + tile_.i0 - 2, length_ * sizeof(T));
      for (int row = tile_.j0; row < tile_.j1; ++row) {
        const T* from = tracer.row(t, k, row);
        T* to = ends(t, k, row);
        std::copy_n(from + tile_.i0 - 2, 2, to);
        std::copy_n(from + tile_.i1, 2, to + 2);
      }
    }
  }

  /// A row with two cells more on both sides; `tracer` is where it begins in the field.
  void copy_row(const T* tracer, int t, int k, int row, T* copy) const {
    if (row < tile_.j0 || row >= tile_.j1) {
      std::memcpy(copy, outside(t, k, row), length_ * sizeof(T));
      return;
    }
    const T* from = ends(t, k, row);
    std::copy_n(from, 2, copy);
    std::memcpy(copy + 2, tracer + 2, (length_ - 4) * sizeof(T));
    std::copy_n(from + 2, 2, copy + length_ - 2);
  }

 private:
  T* plane(int t, int k) const {
    return values_ + (static_cast<std::size_t>(t) * levels_ + k) * size(tile_);
  }
  T* outside(int t, int k, int row) const {
    return plane(t, k) + (row < tile_.j0 ? row - tile_.j0 + 2 : row - tile_.j1 + 2) * length_;
  }
  T* ends(int t, int k, int row) const { return plane(t, k) + 4 * (length_ + row - tile_.j0); }

  T* values_ = nullptr;
  TileBox tile_{};
  int length_ = 0, levels_ = 0;
};

/// Which sweep of a step is the first; in turn, the error of splitting is of second order.
enum class First { x, y };

/// One pass over the rows of a tile of columns [i0, i1) for a few tracers: x, y and z sweeps,
/// sinking and vertical diffusion, each tracer read and written once. Row r is read (and swept
/// along x, if that is the first sweep), then face r - 1 is passed along y, then row r - 2 is
/// finished: what waits in between fits the cache of a core. Nothing reads row r - 2 after that, so
/// that the new tracer may lie where the tracer does, if the tile has its frame.
template <class T, First first_sweep, bool Limited, bool Diffuse>
class TransportTile {
 public:
  TransportTile(const TransportFields<T>& fields, TileBox tile, const TileFrame<T>& frame,
                int first, int count, double dt, Scratch<T>& scratch)
      : f_(fields),
        tile_(tile),
        frame_(frame),
        i0_(tile.i0),
        width_(tile.i1 - tile.i0),
        levels_(static_cast<int>(fields.volume.extent[0])),
        first_(first),
        count_(count),
        pitch_((width_ + 2 * margin + 32) / 16 * 16),
        plane_(static_cast<std::ptrdiff_t>(pitch_) * (levels_ + 4)),
        dt_(static_cast<T>(dt)) {
    scratch.reserve(static_cast<std::size_t>(pitch_ * (13 + count_) + plane_ * (26 + 6 * count_)));
    for (T** row : {&flux_, &ahead_, &behind_, &bound_, &exchange_, &content_, &reciprocal_,
                    &cell_bound_, &row_reciprocal_})
      *row = scratch.take(pitch_);
    row_volume_ = scratch.take(2 * pitch_) + 16;
    row_tracer_ = scratch.take(2 * pitch_) + 16;
    y_row_ = scratch.take(count_ * pitch_);
    for (T** plane :
         {&volume_, &volume_reciprocal_, &z_flux_, &z_ahead_, &z_behind_, &z_bound_, &z_cell_bound_,
          &z_reciprocal_, &pivot_, &above_, &below_, &interface_, &z_conductance_, &solved_})
      *plane = scratch.take(plane_);
    waiting_volume_ = scratch.take(slots * plane_);
    waiting_reciprocal_ = scratch.take(slots * plane_);
    y_cell_bound_ = scratch.take(2 * plane_);
    y_exchange_ = scratch.take(2 * plane_);
    waiting_ = scratch.take(count_ * slots * plane_);
    y_content_ = scratch.take(count_ * plane_);
    swept_ = scratch.take(count_ * plane_);
  }

  void pass() {
    const int j0 = tile_.j0, j1 = tile_.j1;
    for (int row = j0 - 2; row < j1 + 2; ++row) {
      for (int k = 0; k < levels_; ++k) {
        read_row(k, row);
        if (Diffuse && row >= j0 - 1) y_exchanges(k, row);
        if (row >= j0) y_bounds(k, row - 1);
        if (row > j0) y_face(k, row - 1, row - 1 > j0);
      }
      if (row - 2 >= j0) finish_row(row - 2);
    }
  }

 private:
  using V = pack<T, lanes<T>>;
  static constexpr int step = lanes<T>;
  static constexpr int slots = 4;  // rows that wait for the sweep along y, a power of two
  static constexpr int margin = first_sweep == First::y ? 2 : 0;  // columns that x still needs

  int y_width() const { return width_ + 2 * margin; }
  /// Row k of a plane; two rows below and two above hold zeros (land).
  T* at(T* plane, int k) const { return plane + static_cast<std::ptrdiff_t>(k + 2) * pitch_; }
  T* at(T* planes, int slot, int k) const { return at(planes + slot * plane_, k); }
  T* waiting_volume(int row, int k) const { return at(waiting_volume_, row & (slots - 1), k); }
  T* waiting_reciprocal(int row, int k) const {
    return at(waiting_reciprocal_, row & (slots - 1), k);
  }
  T* y_cell_bound(int row, int k) const { return at(y_cell_bound_, row & 1, k); }
  T* y_exchange(int row, int k) const { return at(y_exchange_, row & 1, k); }
  T* waiting(int t, int row, int k) const {
    return at(waiting_, slots * t + (row & (slots - 1)), k);
  }

  /// Ask for a row of the tile before its use: there are too many streams for the hardware to see.
  template <int Write>
  void prefetch(const T* row) const {
    constexpr int line = 64 / sizeof(T);
    for (int i = 0; i < width_; i += line) __builtin_prefetch(row + i, Write);
  }

  void keep(int i, FaceWeights<T> face) {
    flux_[i] = face.flux;
    ahead_[i] = face.ahead;
    behind_[i] = face.behind;
    bound_[i] = face.bound;
  }
  FaceWeights<V> kept(int i) const {
    return {load<V>(flux_ + i), load<V>(ahead_ + i), load<V>(behind_ + i), load<V>(bound_ + i)};
  }
  V exchanged(int i) const {
    if constexpr (Diffuse) return load<V>(exchange_ + i);
    return V{};
  }

  void read_row(int k, int row) {
    const T* volume = f_.volume.row(k, row) + i0_;
    if (k + 1 < levels_) {
      prefetch<0>(f_.volume.row(k + 1, row) + i0_);
      prefetch<0>(f_.x_volume_flux.row(k + 1, row) + i0_);
      prefetch<0>(f_.y_volume_flux.row(k + 1, row) + i0_);
    }
    if constexpr (first_sweep == First::x) {
      std::memcpy(row_volume_ - 2, volume - 2, (width_ + 4) * sizeof(T));
      x_weights(k, row, waiting_volume(row, k), waiting_reciprocal(row, k));
    } else {
      T* copy = waiting_volume(row, k);
      T* reciprocal = waiting_reciprocal(row, k);
      std::memcpy(copy, volume - 2, (width_ + 4) * sizeof(T));
#pragma omp simd
      for (int i = 0; i < y_width(); ++i) reciprocal[i] = reciprocal_or_zero(copy[i]);
    }
    for (int t = 0; t < count_; ++t) {
      const T* tracer = f_.tracer.row(first_ + t, k, row) + i0_ - 2;
      T* copy = first_sweep == First::x ? row_tracer_ - 2 : waiting(t, row, k);
      if (frame_)
        frame_.copy_row(tracer, first_ + t, k, row, copy);
      else
        std::memcpy(copy, tracer, (width_ + 4) * sizeof(T));
      if (k + 1 < levels_) prefetch<0>(f_.tracer.row(first_ + t, k + 1, row) + i0_);
      if constexpr (first_sweep == First::x)
        x_sweep(row_tracer_, waiting_reciprocal(row, k), waiting(t, row, k));
    }
  }

  /// Sweep a row of one tracer along x: faces i0 .. i1, with the weights at hand.
  void x_sweep(const T* tracer, const T* reciprocal, T* out) {
    for (int i = 0; i <= width_; i += step)
      store<V>(content_ + i, face_content<Limited>(kept(i), exchanged(i), load<V>(tracer + i - 2),
                                                   load<V>(tracer + i - 1), load<V>(tracer + i),
                                                   load<V>(tracer + i + 1)));
    for (int i = 0; i < width_; i += step)
      store<V>(out + i, swept(load<V>(row_volume_ + i), load<V>(tracer + i), load<V>(content_ + i),
                              load<V>(content_ + i + 1), load<V>(reciprocal + i)));
  }

  /// Weights of the faces i0 .. i1 of a row along x, from the volumes in `row_volume_`.
  void x_weights(int k, int row, T* new_volume, T* new_reciprocal) {
    const T* volume = row_volume_;
    const T* flux = f_.x_volume_flux.row(k, row) + i0_;
    const T* conductance = f_.x_conductance.row(row) + i0_;
    const T thickness_dt = f_.thickness(k) * dt_;
    const auto exchange = [=](int i) {
      return Diffuse ? exchanged_volume(conductance[i], thickness_dt, volume[i - 1], volume[i])
                     : T(0);
    };
    if constexpr (Diffuse) {
#pragma omp simd
      for (int i = 0; i <= width_ + 1; ++i) exchange_[i] = exchange(i);
    }
#pragma omp simd
    for (int i = 0; i <= width_; ++i) {
      cell_bound_[i] = outflow_bound(volume[i], flux[i] * dt_, flux[i + 1] * dt_,
                                     Diffuse ? exchange_[i] + exchange_[i + 1] : T(0));
      reciprocal_[i] = reciprocal_or_zero(volume[i]);
    }
    const T west_bound =
        outflow_bound(volume[-1], flux[-1] * dt_, flux[0] * dt_, exchange(-1) + exchange(0));
    keep(0, face_weights(flux[0] * dt_, volume[-2], volume[1], reciprocal_or_zero(volume[-1]),
                         reciprocal_[0], west_bound, cell_bound_[0]));
#pragma omp simd
    for (int i = 1; i <= width_; ++i)
      keep(i, face_weights(flux[i] * dt_, volume[i - 2], volume[i + 1], reciprocal_[i - 1],
                           reciprocal_[i], cell_bound_[i - 1], cell_bound_[i]));
#pragma omp simd
    for (int i = 0; i < width_; ++i) {
      new_volume[i] = volume[i] - (flux_[i + 1] - flux_[i]);
      new_reciprocal[i] = reciprocal_or_zero(new_volume[i]);
    }
  }

  /// Volumes exchanged through face `row` along y.
  void y_exchanges(int k, int row) {
    const T* south = waiting_volume(row - 1, k);
    const T* north = waiting_volume(row, k);
    const T* conductance = f_.y_conductance.row(row) + i0_ - margin;
    const T thickness_dt = f_.thickness(k) * dt_;
    T* exchange = y_exchange(row, k);
#pragma omp simd
    for (int i = 0; i < y_width(); ++i)
      exchange[i] = exchanged_volume(conductance[i], thickness_dt, south[i], north[i]);
  }

  /// What may leave the cells of one row along y.
  void y_bounds(int k, int row) {
    const T* volume = waiting_volume(row, k);
    const T* low = f_.y_volume_flux.row(k, row) + i0_ - margin;
    const T* high = f_.y_volume_flux.row(k, row + 1) + i0_ - margin;
    const T* low_exchange = y_exchange(row, k);
    const T* high_exchange = y_exchange(row + 1, k);
    T* out = y_cell_bound(row, k);
#pragma omp simd
    for (int i = 0; i < y_width(); ++i)
      out[i] = outflow_bound(volume[i], low[i] * dt_, high[i] * dt_,
                             Diffuse ? low_exchange[i] + high_exchange[i] : T(0));
  }

  /// Contents through face `row` along y; then, if `complete`, the cells of row - 1, which lie
  /// between it and the face before, are swept along y (and x, if that is the second sweep).
  void y_face(int k, int row, bool complete) {
    constexpr bool last = first_sweep == First::x;
    T* new_volume = last ? at(volume_, k) : row_volume_ - 2;
    T* new_reciprocal = last ? at(volume_reciprocal_, k) : row_reciprocal_;
    y_weights(k, row, new_volume, new_reciprocal);
    const T* volume = waiting_volume(row - 1, k);
    for (int t = 0; t < count_; ++t) {
      const T* far_low = waiting(t, row - 2, k);
      const T* low = waiting(t, row - 1, k);
      const T* high = waiting(t, row, k);
      const T* far_high = waiting(t, row + 1, k);
      T* content = at(y_content_, t, k);
      T* out = last ? at(swept_, t, k) : y_row_ + t * pitch_;
      for (int i = 0; i < y_width(); i += step) {
        const V before = load<V>(low + i);
        const V passed = face_content<Limited>(kept(i), exchanged(i), load<V>(far_low + i), before,
                                               load<V>(high + i), load<V>(far_high + i));
        if (complete)
          store<V>(out + i, swept(load<V>(volume + i), before, load<V>(content + i), passed,
                                  load<V>(new_reciprocal + i)));
        store<V>(content + i, passed);
      }
    }
    if (last || !complete) return;
    x_weights(k, row - 1, at(volume_, k), at(volume_reciprocal_, k));
    for (int t = 0; t < count_; ++t)
      x_sweep(y_row_ + t * pitch_ + 2, at(volume_reciprocal_, k), at(swept_, t, k));
  }

  void y_weights(int k, int row, T* new_volume, T* new_reciprocal) {
    const T* far_low = waiting_volume(row - 2, k);
    const T* low = waiting_volume(row - 1, k);
    const T* far_high = waiting_volume(row + 1, k);
    const T* low_reciprocal = waiting_reciprocal(row - 1, k);
    const T* high_reciprocal = waiting_reciprocal(row, k);
    const T* low_bound = y_cell_bound(row - 1, k);
    const T* high_bound = y_cell_bound(row, k);
    const T* flux = f_.y_volume_flux.row(k, row) + i0_ - margin;
    const T* low_flux = f_.y_volume_flux.row(k, row - 1) + i0_ - margin;
    const T* exchange = y_exchange(row, k);
#pragma omp simd
    for (int i = 0; i < y_width(); ++i) {
      keep(i, face_weights(flux[i] * dt_, far_low[i], far_high[i], low_reciprocal[i],
                           high_reciprocal[i], low_bound[i], high_bound[i]));
      if constexpr (Diffuse) exchange_[i] = exchange[i];
      new_volume[i] = low[i] - (flux[i] * dt_ - low_flux[i] * dt_);
      new_reciprocal[i] = reciprocal_or_zero(new_volume[i]);
    }
  }

  void finish_row(int row) {
    for (int k = levels_ - 1; k >= 0; --k) z_level(k, row);
    for (int t = 0; t < count_; ++t) {
      const T speed = f_.sinking_speed(first_ + t);
      if (speed > T(0))
        finish_columns<true>(row, t, speed);
      else
        finish_columns<false>(row, t, speed);
    }
  }

  /// From the top down: interface k, cell k with its elimination, and the weights of face k + 1.
  void z_level(int k, int row) {
    const T* area = f_.area.row(row) + i0_;
    const T* z_volume_flux = f_.z_volume_flux.row(k, row) + i0_;
    const T* diffusivity = f_.vertical_diffusivity.row(k, row) + i0_;
    if (k > 0) {
      prefetch<0>(f_.z_volume_flux.row(k - 1, row) + i0_);
      prefetch<0>(f_.vertical_diffusivity.row(k - 1, row) + i0_);
    }
    const T open_dt = k > 0 ? dt_ : T(0);
    const T inverse = k > 0 ? T(1) / f_.spacing(k) : T(0);
    const T* volume = at(volume_, k);
    const T* low_volume = at(volume_, k - 1);
    const T* far_high_volume = at(volume_, k + 2);
    const T* volume_reciprocal = at(volume_reciprocal_, k);
    const T* high_reciprocal = at(volume_reciprocal_, k + 1);
    const T* high_flux = at(z_flux_, k + 1);
    const T* high_cell_bound = at(z_cell_bound_, k + 1);
    const T* high_conductance = at(z_conductance_, k + 1);
    const T* next_below = at(below_, k + 1);
    T* low_flux = at(z_flux_, k);
    T* cell_bound = at(z_cell_bound_, k);
    T* conductance = at(z_conductance_, k);
    T* interface = at(interface_, k);
    T* reciprocal = at(z_reciprocal_, k);
    T* ahead = at(z_ahead_, k + 1);
    T* behind = at(z_behind_, k + 1);
    T* bound = at(z_bound_, k + 1);
    T* pivot = at(pivot_, k);
    T* above = at(above_, k);
    T* below = at(below_, k);
#pragma omp simd
    for (int i = 0; i < width_; ++i) {
      const T low = z_volume_flux[i] * open_dt;
      const T high = high_flux[i];
      const T own_bound = outflow_bound(volume[i], low, high, T(0));
      const T own_reciprocal = reciprocal_or_zero(volume[i] - (high - low));
      interface[i] = open_interface(area[i], dt_, low_volume[i], volume[i]);
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

  /// Sweep the columns of one row along z, let the tracer sink and diffuse, and store it.
  template <bool Sinks>
  void finish_columns(int row, int t, T speed) {
    T* content = content_;
    T* sunk_above = cell_bound_;
    std::fill_n(content, pitch_, T(0));
    std::fill_n(sunk_above, pitch_, T(0));
    for (int k = levels_ - 1; k >= 0; --k) {
      const T* far_low = at(swept_, t, k - 2);
      const T* low = at(swept_, t, k - 1);
      const T* tracer = at(swept_, t, k);
      const T* far_high = at(swept_, t, k + 1);
      const T* flux = at(z_flux_, k);
      const T* ahead = at(z_ahead_, k);
      const T* behind = at(z_behind_, k);
      const T* bound = at(z_bound_, k);
      const T* volume = at(volume_, k);
      const T* reciprocal = at(z_reciprocal_, k);
      const T* interface = at(interface_, k);
      const T* next_interface = at(interface_, k + 1);
      const T* pivot = at(pivot_, k);
      const T* above = at(above_, k);
      const T* last = at(solved_, k + 1);
      T* solved = at(solved_, k);
      prefetch<1>(f_.new_tracer.row(first_ + t, k, row) + i0_);
      for (int i = 0; i < width_; i += step) {
        const FaceWeights<V> face{load<V>(flux + i), load<V>(ahead + i), load<V>(behind + i),
                                  load<V>(bound + i)};
        const V before = load<V>(tracer + i), inverse = load<V>(reciprocal + i);
        const V passed = face_content<Limited>(face, V{}, load<V>(far_low + i), load<V>(low + i),
                                               before, load<V>(far_high + i));
        V value = swept(load<V>(volume + i), before, passed, load<V>(content + i), inverse);
        store<V>(content + i, passed);
        if constexpr (Sinks) {
          value = sunk(value, speed * (load<V>(next_interface + i) * inverse),
                       speed * (load<V>(interface + i) * inverse), load<V>(sunk_above + i));
          store<V>(sunk_above + i, value);
        }
        store<V>(solved + i, load<V>(pivot + i) * value + load<V>(above + i) * load<V>(last + i));
      }
    }
    const T* lower = at(solved_, -1);
    for (int k = 0; k < levels_; ++k) {
      const T* below = at(below_, k);
      const T* solved = at(solved_, k);
      T* out = f_.new_tracer.row(first_ + t, k, row) + i0_;
#pragma omp simd
      for (int i = 0; i < width_; ++i) out[i] = solved[i] + below[i] * lower[i];
      lower = out;
    }
  }

  const TransportFields<T>& f_;
  TileBox tile_;
  TileFrame<T> frame_;
  int i0_, width_, levels_, first_, count_, pitch_;
  std::ptrdiff_t plane_;
  T dt_;
  T *flux_, *ahead_, *behind_, *bound_, *exchange_, *content_, *reciprocal_, *cell_bound_,
      *row_reciprocal_, *row_volume_, *row_tracer_, *y_row_;
  T *volume_, *volume_reciprocal_, *z_flux_, *z_ahead_, *z_behind_, *z_bound_, *z_cell_bound_,
      *z_reciprocal_, *pivot_, *above_, *below_, *interface_, *z_conductance_, *solved_;
  T *waiting_volume_, *waiting_reciprocal_, *y_cell_bound_, *y_exchange_, *waiting_, *y_content_,
      *swept_;
};

}  // namespace halocline
