#pragma once
#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

#include "pack.hpp"

/// Waves of rows of any length: Fourier transforms of many rows, one in each lane.
namespace halocline {

/// Transforms of complex rows of n values, in place: forward by decimation in frequency, which
/// leaves wave `order()[at]` in entry `at`; backward is the adjoint, n times the inverse, which
/// begins with that order (Gentleman and Sande 1966, AFIPS Conf. Proc. 29, 563). A lane computes
/// what it would compute alone.
class RowWaves {
 public:
  explicit RowWaves(int count) : count_(count) {
    int length = count;
    for (const int radix : {4, 2, 3, 5})
      while (length % radix == 0) take(radix, length);
    for (int radix = 7; length > 1; radix += 2)
      while (length % radix == 0) take(radix, length);
    for (int at = 0; at < count; ++at) {
      const double angle = 2.0 * std::numbers::pi * at / count;
      cosine_.push_back(std::cos(angle));
      sine_.push_back(-std::sin(angle));
    }
  }

  int count() const { return count_; }

  /// The wave in every entry after `forward`.
  std::vector<int> order() const {
    std::vector<int> waves(static_cast<std::size_t>(count_));
    for (int at = 0; at < count_; ++at) {
      int rest = at, wave = 0, step = 1;
      for (const Stage& stage : stages_) {
        wave += step * (rest / stage.part);
        rest %= stage.part;
        step *= stage.radix;
      }
      waves[static_cast<std::size_t>(at)] = wave;
    }
    return waves;
  }

  /// The real and the imaginary parts of `count()` packs become those of waves.
  template <class V>
  void forward(V* real, V* imaginary) const {
    for (const Stage& stage : stages_)
      in_stage(stage, [&]<class Radix>(Radix radix, int first, int turn) {
        Radix::transform(radix, *this, real + first, imaginary + first, stage.part);
        for (int of = 1; of < radix.size; ++of)
          turned(real[first + of * stage.part], imaginary[first + of * stage.part], of * turn);
      });
  }

  /// Waves, as `forward` leaves them, become n times the row.
  template <class V>
  void backward(V* real, V* imaginary) const {
    for (auto stage = stages_.rbegin(); stage != stages_.rend(); ++stage)
      in_stage(*stage, [&]<class Radix>(Radix radix, int first, int turn) {
        // conjugates turn and transform as parts that have changed places do
        for (int of = 1; of < radix.size; ++of)
          turned(imaginary[first + of * stage->part], real[first + of * stage->part], of * turn);
        Radix::transform(radix, *this, imaginary + first, real + first, stage->part);
      });
  }

 private:
  struct Stage {
    int radix, part;  ///< parts of a row that it makes, and how many entries these have
  };

  struct Two {
    static constexpr int size = 2;
    template <class V>
    INLINE static void transform(Two, const RowWaves&, V* re, V* im, std::ptrdiff_t part) {
      const V a = re[0], b = im[0], c = re[part], d = im[part];
      re[0] = a + c, im[0] = b + d, re[part] = a - c, im[part] = b - d;
    }
  };
  struct Four {
    static constexpr int size = 4;
    template <class V>
    INLINE static void transform(Four, const RowWaves&, V* re, V* im, std::ptrdiff_t part) {
      const V even_re = re[0] + re[2 * part], even_im = im[0] + im[2 * part];
      const V half_re = re[0] - re[2 * part], half_im = im[0] - im[2 * part];
      const V odd_re = re[part] + re[3 * part], odd_im = im[part] + im[3 * part];
      const V side_re = re[part] - re[3 * part], side_im = im[part] - im[3 * part];
      re[0] = even_re + odd_re, im[0] = even_im + odd_im;
      re[part] = half_re + side_im, im[part] = half_im - side_re;
      re[2 * part] = even_re - odd_re, im[2 * part] = even_im - odd_im;
      re[3 * part] = half_re - side_im, im[3 * part] = half_im + side_re;
    }
  };
  /// By sums of all; `Given` holds the real and imaginary parts of so many entries.
  template <class V, class Given>
  INLINE static void sums(const RowWaves& waves, int size, Given& given, V* re, V* im,
                          std::ptrdiff_t part) {
    V *given_re = &given[0], *given_im = &given[static_cast<std::size_t>(size)];
    for (int of = 0; of < size; ++of) given_re[of] = re[of * part], given_im[of] = im[of * part];
    for (int of = 0; of < size; ++of) {
      V sum_re = given_re[0], sum_im = given_im[0];
      for (int from = 1; from < size; ++from) {
        const auto turn = static_cast<std::size_t>(of * from % size * (waves.count_ / size));
        const double c = waves.cosine_[turn], s = waves.sine_[turn];
        sum_re += c * given_re[from] - s * given_im[from];
        sum_im += c * given_im[from] + s * given_re[from];
      }
      re[of * part] = sum_re, im[of * part] = sum_im;
    }
  }
  template <int Size>
  struct Few {
    static constexpr int size = Size;
    template <class V>
    static void transform(Few, const RowWaves& waves, V* re, V* im, std::ptrdiff_t part) {
      V given[2 * Size];
      sums(waves, Size, given, re, im, part);
    }
  };
  struct Many {
    int size;
    template <class V>
    static void transform(Many radix, const RowWaves& waves, V* re, V* im, std::ptrdiff_t part) {
      std::vector<V> given(2 * static_cast<std::size_t>(radix.size));
      sums(waves, radix.size, given, re, im, part);
    }
  };

  void take(int radix, int& length) {
    length /= radix;
    stages_.push_back({radix, length});
  }

  /// Multiply by exp(-2 pi i turn / n).
  template <class V>
  INLINE void turned(V& real, V& imaginary, int turn) const {
    const double c = cosine_[static_cast<std::size_t>(turn)],
                 s = sine_[static_cast<std::size_t>(turn)];
    const V re = c * real - s * imaginary;
    imaginary = c * imaginary + s * real;
    real = re;
  }

  /// `body(radix, first, turn)` for the first entry of all transforms of a stage.
  template <class Body>
  void in_stage(const Stage& stage, const Body& body) const {
    const int length = stage.radix * stage.part, turn = count_ / length;
    const auto all = [&](auto radix) {
      for (int block = 0; block < count_; block += length)
        for (int at = 0; at < stage.part; ++at) body(radix, block + at, at * turn);
    };
    if (stage.radix == 4) return all(Four{});
    if (stage.radix == 2) return all(Two{});
    if (stage.radix == 3) return all(Few<3>{});
    if (stage.radix == 5) return all(Few<5>{});
    all(Many{stage.radix});
  }

  int count_;
  std::vector<Stage> stages_;
  std::vector<double> cosine_, sine_;  ///< of exp(-2 pi i at / n)
};

}  // namespace halocline
