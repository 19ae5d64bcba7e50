#pragma once
#include <algorithm>
#include <cstddef>
#include <vector>

#include "atmosphere/dynamics/row_lack.hpp"
#include "numerics/row_waves.hpp"
#include "schedules.hpp"
#include "view.hpp"

/// The filter of neighbouring whole rows near a pole, of fields (k, j, i), in 64 bits.
namespace halocline::air {

/// What remains of the waves of these rows is theirs. Two layers of a row are the real and the
/// imaginary part of one transform, which what remains, real and the same for both directions,
/// keeps apart; packs have such pairs of any rows in their lanes.
class PolarRows {
  using V = pack<double, lanes<double>>;
  static constexpr int width = width_of<V>;

 public:
  /// @param remaining  of waves 0 to columns / 2 [1], (row, wave)
  PolarRows(int columns, View2<const double> remaining)
      : waves_(columns), rows_(static_cast<int>(remaining.extent[0])) {
    for (int j = 0; j < rows_; ++j)
      for (const int wave : waves_.order())
        left_.push_back(remaining(j, std::min(wave, columns - wave)) / columns);
  }

  /// Filter values on their own.
  template <class T>
  void filter(View3<T> values) const {
    over_rows(
        values.extent[0], [] { return nothing; },
        [&](int k, int j, double* to, auto&) {
          const T* row = values.row(k, j);
          for (int i = 0; i < waves_.count(); ++i) to[i * width] = static_cast<double>(row[i]);
        },
        [&](int k, int j, const double* from, auto&) {
          T* row = values.row(k, j);
          for (int i = 0; i < waves_.count(); ++i) row[i] = static_cast<T>(from[i * width]);
        });
  }

  /// Filter a change of heat less what the change of mass has of the mean of each row.
  ///
  /// @param heat   mass times potential temperature since the state of the stage [Pa K]
  /// @param theta  its potential temperature [K]
  /// @param mass   that columns have gained since then [Pa], `c1` how much of it layers have [1]
  template <class T>
  void filter_heat(View3<T> heat, View3<const T> theta, View2<const T> mass,
                   View1<const double> c1) const {
    over_rows(
        heat.extent[0], [] { return nothing; },
        [&](int k, int j, double* to, auto&) {
          const double kept = mean(theta.row(k, j)) * c1(k);
          const T *row = heat.row(k, j), *more = mass.row(j);
          for (int i = 0; i < waves_.count(); ++i)
            to[i * width] = static_cast<double>(row[i]) - kept * static_cast<double>(more[i]);
        },
        [&](int k, int j, const double* from, auto&) {
          const double kept = mean(theta.row(k, j)) * c1(k);
          T* row = heat.row(k, j);
          const T* more = mass.row(j);
          for (int i = 0; i < waves_.count(); ++i)
            row[i] = static_cast<T>(from[i * width] + kept * static_cast<double>(more[i]));
        });
  }

  /// Filter the change of a mixing ratio since the beginning of the step, as that of heat.
  ///
  /// @param water     mixing ratio [1], `old` that at the beginning
  /// @param mass, old_mass, base_mass  of columns, less the base state's, and this one's [Pa]
  /// @param c1, c2    of the mass of layers
  /// @param positive  what is below 0 then is taken from the rest of the row
  template <class T>
  void filter_water(View3<T> water, View3<const T> old, View2<const T> mass,
                    View2<const T> old_mass, View2<const T> base_mass, View1<const double> c1,
                    View1<const double> c2, bool positive) const {
    struct Own {
      std::vector<double> found, after;
      RowLack lack;
    };
    const int n = waves_.count();
    const auto weight = [&](View2<const T> some, int k, int j, int i) {
      return c1(k) * (static_cast<double>(base_mass(j, i)) + static_cast<double>(some(j, i))) +
             c2(k);
    };
    const auto gained = [&](int k, int j, int i) {
      return c1(k) * (static_cast<double>(mass(j, i)) - static_cast<double>(old_mass(j, i)));
    };
    over_rows(
        water.extent[0],
        [&] {
          const auto many = static_cast<std::size_t>(n);
          return Own{std::vector<double>(many), std::vector<double>(many), {}};
        },
        [&](int k, int j, double* to, Own&) {
          const double kept = mean(old.row(k, j));
          for (int i = 0; i < n; ++i)
            to[i * width] = weight(mass, k, j, i) * static_cast<double>(water(k, j, i)) -
                            weight(old_mass, k, j, i) * static_cast<double>(old(k, j, i)) -
                            kept * gained(k, j, i);
        },
        [&](int k, int j, const double* from, Own& own) {
          const double kept = mean(old.row(k, j));
          double *found = own.found.data(), *after = own.after.data(), least = 0.0;
          for (int i = 0; i < n; ++i) {
            const double before = static_cast<double>(old(k, j, i)), more = gained(k, j, i);
            after[i] = weight(mass, k, j, i);
            found[i] = before + (from[i * width] + kept * more - before * more) / after[i];
            least = std::min(least, found[i]);
          }
          if (positive && least < 0.0) {
            for (int i = 0; i < n; ++i) found[i] *= after[i];
            own.lack.fill(found, n);
            for (int i = 0; i < n; ++i) found[i] /= after[i];
          }
          for (int i = 0; i < n; ++i) water(k, j, i) = static_cast<T>(found[i]);
        });
  }

 private:
  struct Nothing {};
  static constexpr Nothing nothing{};

  /// Of a row; exact where all its values are one.
  template <class T>
  double mean(const T* row) const {
    const double first = static_cast<double>(row[0]);
    double more = 0.0;
    for (int i = 0; i < waves_.count(); ++i) more += static_cast<double>(row[i]) - first;
    return first + more / waves_.count();
  }

  /// `fetch(k, j, to, own)` puts a row where packs are wide apart, `bring(k, j, from, own)` takes
  /// it from there, filtered; every thread has its `own`, made by `make()`.
  template <class Make, class Fetch, class Bring>
  void over_rows(std::ptrdiff_t levels, const Make& make, const Fetch& fetch,
                 const Bring& bring) const {
    const int n = waves_.count(), depth = static_cast<int>(levels), pairs = (depth + 1) / 2;
    using Own = decltype(make());
    struct Scratch {
      std::vector<V> values;
      Own own;
    };
    for_each_in_with(
        0, pairs * rows_, width,
        [&] { return Scratch{std::vector<V>(3 * static_cast<std::size_t>(n)), make()}; },
        [&](int first, Scratch& scratch) {
          V *real = scratch.values.data(), *imaginary = real + n, *left = imaginary + n;
          const int count = std::min(width, pairs * rows_ - first);
          for (int lane = 0; lane < count; ++lane) {
            const int j = (first + lane) / pairs, k = 2 * ((first + lane) % pairs);
            fetch(k, j, of(real, lane), scratch.own);
            if (k + 1 < depth)
              fetch(k + 1, j, of(imaginary, lane), scratch.own);
            else
              for (int i = 0; i < n; ++i) of(imaginary, lane)[i * width] = 0.0;
            const double* remains = left_.data() + static_cast<std::size_t>(j) * n;
            for (int at = 0; at < n; ++at) of(left, lane)[at * width] = remains[at];
          }
          waves_.forward(real, imaginary);
          for (int at = 0; at < n; ++at) real[at] *= left[at], imaginary[at] *= left[at];
          waves_.backward(real, imaginary);
          for (int lane = 0; lane < count; ++lane) {
            const int j = (first + lane) / pairs, k = 2 * ((first + lane) % pairs);
            bring(k, j, of(real, lane), scratch.own);
            if (k + 1 < depth) bring(k + 1, j, of(imaginary, lane), scratch.own);
          }
        });
  }

  /// The values of a lane, `width` apart.
  static double* of(V* packs, int lane) { return reinterpret_cast<double*>(packs) + lane; }

  RowWaves waves_;
  int rows_;
  std::vector<double> left_;  ///< what remains over n, (row, entry)
};

}  // namespace halocline::air
