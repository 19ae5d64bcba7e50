#pragma once
#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <utility>
#include <vector>

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

/// Rows south and north of a part of the rows, two deep, as they were before any part was computed:
/// in a field that is computed in its own place other parts write there.
template <class T>
class RowFrame {
 public:
  RowFrame() = default;
  RowFrame(T* values, TileBox part, int levels)
      : values_(values), part_(part), length_(size(part) / 4), levels_(levels) {}

  static std::ptrdiff_t size(TileBox part) { return 4 * (part.i1 - part.i0 + 4); }
  bool has(int row) const { return values_ != nullptr && (row < part_.j0 || row >= part_.j1); }

  void keep(View4<const T> tracer, int t) const {
    for (int k = 0; k < levels_; ++k)
      for (int row : {part_.j0 - 2, part_.j0 - 1, part_.j1, part_.j1 + 1})
        std::memcpy(at(t, k, row), tracer.row(t, k, row) + part_.i0 - 2, length_ * sizeof(T));
  }
  /// A kept row, whose column i is that of the field.
  const T* row(int t, int k, int row) const { return at(t, k, row) - (part_.i0 - 2); }

 private:
  T* at(int t, int k, int row) const {
    const int kept = row < part_.j0 ? row - part_.j0 + 2 : row - part_.j1 + 2;
    return values_ + ((static_cast<std::ptrdiff_t>(t) * levels_ + k) * 4 + kept) * length_;
  }

  T* values_ = nullptr;
  TileBox part_{};
  std::ptrdiff_t length_ = 0;
  int levels_ = 0;
};

/// The two cells of every row to the west of a part of the rows: shape (row + 4, k, tracer, 2).
template <class T>
T* western_cells(View4<const T> tracer, TileBox part, int first, int count, int levels,
                 Scratch<T>& scratch) {
  const std::size_t size = 2 * static_cast<std::size_t>(part.j1 - part.j0 + 4) * levels * count;
  scratch.reserve(size);
  T* const cells = scratch.take(size);
  T* to = cells;
  for (int row = part.j0 - 2; row < part.j1 + 2; ++row)
    for (int k = 0; k < levels; ++k)
      for (int t = first; t < first + count; ++t, to += 2)
        std::copy_n(tracer.row(t, k, row) + part.i0 - 2, 2, to);
  return cells;
}

/// Which sweep of a step is the first; in turn, the error of splitting is of second order.
enum class First { x, y };

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
 public:
  /// @param western  what the cells i0 - 2 and i0 - 1 held before the tile to the west was
  /// computed;
  ///                 then, for the tile to the east, i1 - 2 and i1 - 1
  TransportTile(const TransportFields<T>& fields, TileBox tile, const RowFrame<T>& frame,
                T* western, int first, int count, double dt, Scratch<T>& scratch)
      : f_(fields),
        tile_(tile),
        frame_(frame),
        western_(western),
        i0_(tile.i0),
        width_(tile.i1 - tile.i0),
        levels_(static_cast<int>(fields.volume.extent[0])),
        first_(first),
        count_(count),
        packs_((width_ + 2 * margin + step - 1) / step),
        pitch_(packs_ * step),
        group_(static_cast<std::ptrdiff_t>(count_) * pitch_),
        dt_(static_cast<T>(dt)) {
    const std::ptrdiff_t row = pitch_ + 2 * lead, plane = (levels_ + 4) * pitch_,
                         planes = (levels_ + 4) * group_;
    row_pitch_ = row;
    scratch.reserve((9 + count_) * row + (step + 3 * pitch_) * count_ + 10 * ring * pitch_ +
                    (7 + 2 * slots) * plane + (2 + slots) * planes);
    for (T** some : {&flux_, &ahead_, &behind_, &bound_, &exchange_, &reciprocal_, &cell_bound_,
                     &row_volume_, &row_reciprocal_})
      *some = scratch.take(row) + lead;
    tracer_rows_ = scratch.take(count_ * row) + lead;
    for (T** some : {&z_flux_, &z_cell_bound_, &z_conductance_, &interface_, &z_reciprocal_,
                     &pivot_, &above_, &z_ahead_, &z_behind_, &z_bound_})
      *some = scratch.take(ring * pitch_);
    for (T** some : {&volume_, &volume_reciprocal_, &below_}) *some = scratch.take(plane);
    waiting_volume_ = scratch.take(slots * plane);
    waiting_reciprocal_ = scratch.take(slots * plane);
    y_cell_bound_ = scratch.take(2 * plane);
    y_exchange_ = scratch.take(2 * plane);
    waiting_ = scratch.take(slots * planes);
    for (T** some : {&y_content_, &solved_}) *some = scratch.take(planes);
    for (T** some : {&z_content_, &sunk_, &lower_}) *some = scratch.take(group_);
    passed_ = scratch.take(count_ * step);
    floors_.assign(slots * packs_, levels_);
  }

  void pass() {
    const int j0 = tile_.j0, j1 = tile_.j1;
    for (int row = j0 - 2; row < j1 + 2; ++row) {
      std::fill_n(floors(row), packs_, levels_);
      lowest(row) = levels_;
      for (int k = 0; k < levels_; ++k) {
        read_row(k, row);
        if (Diffuse && row >= j0 - 1) y_exchanges(k, row);
        if (row >= j0 && k >= lowest(row - 1)) y_bounds(k, row - 1);
        if (row > j0) y_face(k, row - 1, row - 1 > j0);
      }
      if (row - 2 >= j0) finish_row(row - 2);
    }
  }

 private:
  using V = pack<T, lanes<T>>;
  static constexpr int step = lanes<T>;
  static constexpr int lead = 16;  // values beside a row that are loaded and not used
  static constexpr int ring = 4;   // levels whose weights along z are kept, a power of two
  static constexpr int slots = 4;  // rows that wait for the sweep along y, a power of two
  static constexpr int margin = first_sweep == First::y ? 2 : 0;  // columns that x still needs

  int y_width() const { return width_ + 2 * margin; }
  /// The lowest level with water in a row, and in each of its packs.
  int& lowest(int row) { return lowest_[row & (slots - 1)]; }
  int* floors(int row) { return floors_.data() + (row & (slots - 1)) * packs_; }
  /// Row k of a plane; two rows below and two above hold zeros (land).
  T* at(T* plane, int k) const { return plane + static_cast<std::ptrdiff_t>(k + 2) * pitch_; }
  T* at(T* planes, int slot, int k) const { return at(planes, slot * (levels_ + 4) + k); }
  T* group_at(T* planes, int k) const { return planes + (k + 2) * group_; }
  T* in_ring(T* rows, int k) const { return rows + (k & (ring - 1)) * pitch_; }
  T* waiting_volume(int row, int k) const { return at(waiting_volume_, row & (slots - 1), k); }
  T* waiting_reciprocal(int row, int k) const {
    return at(waiting_reciprocal_, row & (slots - 1), k);
  }
  T* y_cell_bound(int row, int k) const { return at(y_cell_bound_, row & 1, k); }
  T* y_exchange(int row, int k) const { return at(y_exchange_, row & 1, k); }
  /// Rows of all tracers of the group.
  T* waiting(int row, int k) const {
    return group_at(waiting_, (row & (slots - 1)) * (levels_ + 4) + k);
  }

  /// Ask for a row of the tile before its use: there are too many streams for the hardware to see.
  void prefetch(const T* row) const {
    constexpr int line = 64 / sizeof(T);
    for (int i = 0; i < width_; i += line) __builtin_prefetch(row + i, 0, 2);
  }
  /// Column 0 at the next level of the group's first tracer. Of all tracers that level is asked for
  /// pack by pack, between what is computed, so that the memory is never idle.
  template <class U>
  U* next_level(const View4<U>& field, int k, int row) const {
    return field.row(first_, std::min(k + 1, levels_ - 1), row) + i0_ - margin;
  }

  void keep(int c, FaceWeights<T> face) {
    flux_[c] = face.flux;
    ahead_[c] = face.ahead;
    behind_[c] = face.behind;
    bound_[c] = face.bound;
  }
  template <class W>
  FaceWeights<W> kept(int c) const {
    return {load<W>(flux_ + c), load<W>(ahead_ + c), load<W>(behind_ + c), load<W>(bound_ + c)};
  }
  template <class W>
  static W passing(FaceWeights<W> face, W exchange, W far_low, W low, W high, W far_high) {
    if constexpr (Diffuse)
      return face_content<Limited>(face, exchange, far_low, low, high, far_high);
    return face_content<Limited>(face, far_low, low, high, far_high);
  }
  template <class W>
  W exchanged(int c) const {
    if constexpr (Diffuse) return load<W>(exchange_ + c);
    return W{};
  }
  void clear(T* rows, int c) const {
    for (int t = 0; t < count_; ++t) store<V>(rows + t * pitch_ + c, V{});
  }

  void read_row(int k, int row) {
    const T* volume = f_.volume.row(k, row) + i0_;
    if (k + 1 < levels_) {
      prefetch(f_.volume.row(k + 1, row) + i0_);
      prefetch(f_.x_volume_flux.row(k + 1, row) + i0_);
      prefetch(f_.y_volume_flux.row(k + 1, row) + i0_);
    }
    T* copy = first_sweep == First::x ? row_volume_ : waiting_volume(row, k);
    std::memcpy(copy + margin - 2, volume - 2, (width_ + 4) * sizeof(T));
    find_floors(copy, k, row);
    if (k < lowest(row)) {
      read_land(k, row);
      return;
    }
    if constexpr (first_sweep == First::x) {
      x_weights(k, row, waiting_volume(row, k), waiting_reciprocal(row, k));
    } else {
      T* reciprocal = waiting_reciprocal(row, k);
#pragma omp simd
      for (int c = 0; c < y_width(); ++c) reciprocal[c] = reciprocal_or_zero(copy[c]);
    }
    T* rows = first_sweep == First::x ? tracer_rows_ : waiting(row, k);
    const std::ptrdiff_t pitch = first_sweep == First::x ? row_pitch_ : pitch_;
    for (int t = 0; t < count_; ++t) read_tracer(t, k, row, rows + t * pitch + margin);
    if constexpr (first_sweep == First::x)
      x_sweep(k, row, waiting_reciprocal(row, k), waiting(row, k));
  }

  /// A row of one tracer with two cells more on both sides, as it was; `copy` is its column i0.
  void read_tracer(int t, int k, int row, T* copy) {
    if (frame_.has(row)) {
      std::memcpy(copy - 2, frame_.row(first_ + t, k, row) + i0_ - 2, (width_ + 4) * sizeof(T));
      return;
    }
    const T* tracer = f_.tracer.row(first_ + t, k, row) + i0_;
    T* west = west_of(t, k, row);
    std::memcpy(copy, tracer, (width_ + 2) * sizeof(T));
    std::copy_n(west, 2, copy - 2);
    std::copy_n(copy + width_ - 2, 2, west);
  }

  void read_land(int k, int row) {
    std::fill_n(waiting_volume(row, k), pitch_, T(0));
    std::fill_n(waiting_reciprocal(row, k), pitch_, T(0));
    std::fill_n(waiting(row, k), group_, T(0));
    std::fill_n(west_of(0, k, row), 2 * count_, T(0));
  }

  /// The two cells west of the tile.
  T* west_of(int t, int k, int row) const {
    return western_ +
           2 * (((row - tile_.j0 + 2) * static_cast<std::ptrdiff_t>(levels_) + k) * count_ + t);
  }

  void find_floors(const T* volume, int k, int row) {
    int* floor = floors(row);
    for (int p = 0; p < packs_; ++p) {
      if (floor[p] < k) continue;
      T most = 0;
      const int end = std::min(step, y_width() - p * step);
      for (int c = 0; c < end; ++c) most = maximum(most, volume[p * step + c]);
      if (most > T(0)) floor[p] = k;
      lowest(row) = std::min(lowest(row), floor[p]);
    }
  }

  /// Sweep a row of all tracers along x, with the weights at hand; a pack takes what passes its
  /// lowest face from the pack before.
  void x_sweep(int k, int row, const T* reciprocal, T* out) {
    const int* floor = floors(row);
    const T* next = next_level(f_.tracer, k, row);
    const std::ptrdiff_t apart = f_.tracer.stride[0];
    if (margin == 0 && k >= floor[0])
      for (int t = 0; t < count_; ++t) {
        const T* tracer = tracer_rows_ + t * row_pitch_;
        passed_[t * step + step - 1] =
            passing(kept<T>(0), exchanged<T>(0), tracer[-2], tracer[-1], tracer[0], tracer[1]);
      }
    bool connected = margin == 0;
    for (int p = 0; p < packs_; ++p) {
      const int c = p * step;
      if (k < floor[p]) {
        clear(out, c);
        connected = false;
        continue;
      }
      const FaceWeights<V> face = kept<V>(c + 1);
      const V exchange = exchanged<V>(c + 1), volume = load<V>(row_volume_ + c),
              inverse = load<V>(reciprocal + c);
      for (int t = 0; t < count_; ++t) {
        const T* tracer = tracer_rows_ + t * row_pitch_ + c;
        if constexpr (first_sweep == First::x) __builtin_prefetch(next + t * apart + c, 0, 2);
        const V before = load<V>(tracer);
        const V high = passing(face, exchange, load<V>(tracer - 1), before, load<V>(tracer + 1),
                               load<V>(tracer + 2));
        const V last = connected ? load<V>(passed_ + t * step) : V{};
        store<V>(passed_ + t * step, high);
        store<V>(out + t * pitch_ + c, swept(volume, before, one_lower(last, high), high, inverse));
      }
      connected = true;
    }
  }
  /// What passes the lower faces of a pack, from what passes the upper ones of the pack before and
  /// of its own.
  static V one_lower(V before, V own) {
    return [&]<int... lane>(std::integer_sequence<int, lane...>) {
      return __builtin_shufflevector(before, own, (step - 1 + lane)...);
    }(std::make_integer_sequence<int, step>{});
  }

  /// Weights of the faces i0 .. i1 of a row along x, from the volumes in `row_volume_`.
  void x_weights(int k, int row, T* new_volume, T* new_reciprocal) {
    const T* volume = row_volume_ + margin;
    const T* flux = f_.x_volume_flux.row(k, row) + i0_;
    const T* conductance = f_.x_conductance.row(row) + i0_;
    const T thickness_dt = f_.thickness(k) * dt_;
    T* exchanges = exchange_ + margin;
    T* cell_bound = cell_bound_ + margin;
    T* reciprocal = reciprocal_ + margin;
    new_volume += margin;
    new_reciprocal += margin;
    const auto exchange = [=](int i) {
      return Diffuse ? exchanged_volume(conductance[i], thickness_dt, volume[i - 1], volume[i])
                     : T(0);
    };
    if constexpr (Diffuse) {
#pragma omp simd
      for (int i = 0; i <= width_ + 1; ++i) exchanges[i] = exchange(i);
    }
#pragma omp simd
    for (int i = 0; i <= width_; ++i) {
      cell_bound[i] = outflow_bound(volume[i], flux[i] * dt_, flux[i + 1] * dt_,
                                    Diffuse ? exchanges[i] + exchanges[i + 1] : T(0));
      reciprocal[i] = reciprocal_or_zero(volume[i]);
    }
    const T west_bound =
        outflow_bound(volume[-1], flux[-1] * dt_, flux[0] * dt_, exchange(-1) + exchange(0));
    keep(margin, face_weights(flux[0] * dt_, volume[-2], volume[1], reciprocal_or_zero(volume[-1]),
                              reciprocal[0], west_bound, cell_bound[0]));
#pragma omp simd
    for (int i = 1; i <= width_; ++i)
      keep(margin + i, face_weights(flux[i] * dt_, volume[i - 2], volume[i + 1], reciprocal[i - 1],
                                    reciprocal[i], cell_bound[i - 1], cell_bound[i]));
    const T* fluxes = flux_ + margin;
#pragma omp simd
    for (int i = 0; i < width_; ++i) {
      new_volume[i] = volume[i] - (fluxes[i + 1] - fluxes[i]);
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
  /// between it and the face before, are swept along y (and x, if that is the second sweep). They
  /// take the place of row - 2.
  void y_face(int k, int row, bool complete) {
    constexpr bool last = first_sweep == First::x;
    if (k < lowest(row - 1) && k < lowest(row)) {
      std::fill_n(at(volume_, k), pitch_, T(0));
      std::fill_n(at(volume_reciprocal_, k), pitch_, T(0));
      std::fill_n(waiting(row - 2, k), group_, T(0));
      std::fill_n(group_at(y_content_, k), group_, T(0));
      return;
    }
    T* new_volume = last ? at(volume_, k) : row_volume_;
    T* new_reciprocal = last ? at(volume_reciprocal_, k) : row_reciprocal_;
    y_weights(k, row, new_volume, new_reciprocal);
    const T* volumes = waiting_volume(row - 1, k);
    T* far_low = waiting(row - 2, k);
    const T* low = waiting(row - 1, k);
    const T* high = waiting(row, k);
    const T* far_high = waiting(row + 1, k);
    T* content = group_at(y_content_, k);
    T* out = last ? far_low : tracer_rows_;
    const std::ptrdiff_t pitch = last ? pitch_ : row_pitch_;
    const int *floor = floors(row - 1), *next_floor = floors(row);
    const T* next = next_level(f_.tracer, k, row + 1);
    const std::ptrdiff_t apart = f_.tracer.stride[0];
    for (int p = 0; p < packs_; ++p) {
      const int c = p * step;
      if (k < floor[p]) {
        for (int t = 0; t < count_; ++t) store<V>(out + t * pitch + c, V{});
        if (k < next_floor[p]) {
          clear(content, c);
          continue;
        }
      }
      const FaceWeights<V> face = kept<V>(c);
      const V exchange = exchanged<V>(c), volume = load<V>(volumes + c),
              inverse = load<V>(new_reciprocal + c);
      const bool both = complete && k >= floor[p];
      for (int t = 0; t < count_; ++t) {
        const std::ptrdiff_t i = t * pitch_ + c;
        if constexpr (first_sweep == First::y) __builtin_prefetch(next + t * apart + c, 0, 2);
        const V before = load<V>(low + i);
        const V passed = passing(face, exchange, load<V>(far_low + i), before, load<V>(high + i),
                                 load<V>(far_high + i));
        if (both)
          store<V>(out + t * pitch + c,
                   swept(volume, before, load<V>(content + i), passed, inverse));
        store<V>(content + i, passed);
      }
    }
    if (last || !complete) return;
    x_weights(k, row - 1, at(volume_, k), at(volume_reciprocal_, k));
    x_sweep(k, row - 1, at(volume_reciprocal_, k), far_low);
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
    for (T* some : {z_flux_, z_cell_bound_, z_conductance_, interface_, pivot_, above_})
      std::fill_n(in_ring(some, levels_), pitch_, T(0));
    std::fill_n(z_content_, group_, T(0));
    std::fill_n(sunk_, group_, T(0));
    for (int k = levels_ - 1; k >= lowest(row); --k) {
      z_level(k, row);
      if (k + 1 < levels_) finish_level(k + 1, row);
    }
    if (lowest(row) < levels_) {
      for (T* some : {z_ahead_, z_behind_, z_bound_})
        std::fill_n(in_ring(some, lowest(row)), pitch_, T(0));
      finish_level(lowest(row), row);
    }
    write_row(row);
  }

  /// From the top down: interface k, cell k with its elimination, and the weights of face k + 1.
  void z_level(int k, int row) {
    const T* area = f_.area.row(row) + i0_;
    const T* z_volume_flux = f_.z_volume_flux.row(k, row) + i0_;
    const T* diffusivity = f_.vertical_diffusivity.row(k, row) + i0_;
    if (k > 0) {
      prefetch(f_.z_volume_flux.row(k - 1, row) + i0_);
      prefetch(f_.vertical_diffusivity.row(k - 1, row) + i0_);
    }
    const T open_dt = k > 0 ? dt_ : T(0);
    const T inverse = k > 0 ? T(1) / f_.spacing(k) : T(0);
    const T* volume = at(volume_, k) + margin;
    const T* low_volume = at(volume_, k - 1) + margin;
    const T* far_high_volume = at(volume_, k + 2) + margin;
    const T* volume_reciprocal = at(volume_reciprocal_, k) + margin;
    const T* high_reciprocal = at(volume_reciprocal_, k + 1) + margin;
    const T* high_flux = in_ring(z_flux_, k + 1) + margin;
    const T* high_cell_bound = in_ring(z_cell_bound_, k + 1) + margin;
    const T* high_conductance = in_ring(z_conductance_, k + 1) + margin;
    const T* next_below = at(below_, k + 1) + margin;
    T* low_flux = in_ring(z_flux_, k) + margin;
    T* cell_bound = in_ring(z_cell_bound_, k) + margin;
    T* conductance = in_ring(z_conductance_, k) + margin;
    T* interface = in_ring(interface_, k) + margin;
    T* reciprocal = in_ring(z_reciprocal_, k) + margin;
    T* ahead = in_ring(z_ahead_, k + 1) + margin;
    T* behind = in_ring(z_behind_, k + 1) + margin;
    T* bound = in_ring(z_bound_, k + 1) + margin;
    T* pivot = in_ring(pivot_, k) + margin;
    T* above = in_ring(above_, k) + margin;
    T* below = at(below_, k) + margin;
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

  /// Sweep level k of one row along z, let the tracers sink, and eliminate for their diffusion.
  void finish_level(int k, int row) {
    const T* far_low = waiting(row - 1, k - 2);
    const T* low = waiting(row - 1, k - 1);
    const T* here = waiting(row - 1, k);
    const T* far_high = waiting(row - 1, k + 1);
    const T* last = group_at(solved_, k + 1);
    T* solved = group_at(solved_, k);
    const int* floor = floors(row);
    for (int p = 0; p < packs_; ++p) {
      const int c = p * step;
      if (k < floor[p]) continue;
      const auto ring_at = [=, this](T* rows, int level) {
        return load<V>(in_ring(rows, level) + c);
      };
      const FaceWeights<V> face{ring_at(z_flux_, k), ring_at(z_ahead_, k), ring_at(z_behind_, k),
                                ring_at(z_bound_, k)};
      const V volume = load<V>(at(volume_, k) + c), inverse = ring_at(z_reciprocal_, k);
      const V pivot = ring_at(pivot_, k), above = ring_at(above_, k);
      const V out_above = ring_at(interface_, k + 1) * inverse,
              out_below = ring_at(interface_, k) * inverse;
      for (int t = 0; t < count_; ++t) {
        const std::ptrdiff_t i = t * pitch_ + c;
        const V before = load<V>(here + i);
        const V passed = face_content<Limited>(face, load<V>(far_low + i), load<V>(low + i), before,
                                               load<V>(far_high + i));
        V value = swept(volume, before, passed, load<V>(z_content_ + i), inverse);
        store<V>(z_content_ + i, passed);
        const T speed = f_.sinking_speed(first_ + t);
        if (speed > T(0)) {
          value = sunk(value, speed * out_above, speed * out_below, load<V>(sunk_ + i));
          store<V>(sunk_ + i, value);
        }
        store<V>(solved + i, pivot * value + above * load<V>(last + i));
      }
    }
  }

  /// Substitute from the floor up, and store the row.
  void write_row(int row) {
    const int* floor = floors(row);
    std::fill_n(lower_, group_, T(0));
    const bool in_place = f_.new_tracer.data == f_.tracer.data;
    for (int k = in_place ? lowest(row) : 0; k < levels_; ++k) {
      const T* below = at(below_, k);
      const T* solved = group_at(solved_, k);
      const T* next = next_level(f_.new_tracer, k, row);
      for (int p = 0; p < packs_; ++p) {
        if (k < floor[p]) continue;
        const int c = p * step;
        const V share = load<V>(below + c);
        for (int t = 0; t < count_; ++t) {
          const std::ptrdiff_t i = t * pitch_ + c;
          __builtin_prefetch(next + t * f_.new_tracer.stride[0] + c, 1, 3);
          store<V>(lower_ + i, load<V>(solved + i) + share * load<V>(lower_ + i));
        }
      }
      for (int t = 0; t < count_; ++t)
        std::memcpy(f_.new_tracer.row(first_ + t, k, row) + i0_, lower_ + t * pitch_ + margin,
                    width_ * sizeof(T));
    }
  }

  const TransportFields<T>& f_;
  TileBox tile_;
  RowFrame<T> frame_;
  T* western_;
  int i0_, width_, levels_, first_, count_, packs_;
  std::ptrdiff_t pitch_, group_, row_pitch_ = 0;
  T dt_;
  T *flux_, *ahead_, *behind_, *bound_, *exchange_, *reciprocal_, *cell_bound_, *row_volume_,
      *row_reciprocal_, *tracer_rows_, *passed_;
  T *z_flux_, *z_cell_bound_, *z_conductance_, *interface_, *z_reciprocal_, *pivot_, *above_,
      *z_ahead_, *z_behind_, *z_bound_;
  T *volume_, *volume_reciprocal_, *below_, *waiting_volume_, *waiting_reciprocal_, *y_cell_bound_,
      *y_exchange_, *waiting_, *y_content_, *solved_, *z_content_, *sunk_, *lower_;
  std::vector<int> floors_;
  int lowest_[slots];
};

}  // namespace halocline
