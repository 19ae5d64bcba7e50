#pragma once
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "numerics/row_loops.hpp"
#include "view.hpp"

/// Direct solution of a symmetric positive definite system of cells and their neighbours.
///
/// Nested dissection (George 1973, SIAM J. Numerical Analysis 10, 345): a line of cells parts the
/// others into two sides that do not touch, and is eliminated after them; sides are parted again.
/// Cells that are eliminated together make a front (Duff and Reid 1983, ACM Trans. Math. Software
/// 9, 302): with A11 their own matrix after all that was eliminated before and A12 their couplings
/// with later cells, A11^-1 and -A11^-1 A12 are kept.
namespace halocline {

/// A system: row p is diagonal(p) x(p) - the sum of coupling(p, n) x(neighbour(p, n)).
struct CellSystem {
  View1<const double> diagonal;
  View2<const double> coupling;
  /// Numbers of cells; -1 for none. Every pair is in the rows of both of its cells.
  View2<const std::int32_t> neighbour;
  /// Row and column of every cell: lines that part the cells go along them.
  View2<const std::int32_t> place;
};

/// Later cells that eliminated ones are coupled with, and what these add to their matrix.
struct OpenFront {
  std::vector<std::int32_t> later;
  std::vector<double> matrix;
};

/// The factors, in the precision P.
template <class P>
class Dissection {
 public:
  explicit Dissection(const CellSystem& system) : system_(system) {
    const auto count = static_cast<std::size_t>(system.diagonal.extent[0]);
    order_.reserve(count);
    here_.assign(count, -1);
    side_.assign(count, 0);
    done_.assign(count, 0);
    std::vector<std::int32_t> cells(count);
    std::iota(cells.begin(), cells.end(), 0);
    dissect(cells.data(), cells.data() + count);
    finish();
  }

  /// Put the numbers of cells in the order of their elimination.
  void order(View1<std::int32_t> cells) const {
    std::copy(order_.begin(), order_.end(), cells.data);
  }
  /// How many numbers are kept.
  std::size_t size() const { return values_.size() * partial; }

  /// Replace a right side by the solution; both in the order of elimination.
  void solve(View1<P> x) {
    for (const Front& front : fronts_) forward(front, x.data);
    for (auto front = fronts_.rbegin(); front != fronts_.rend(); ++front) backward(*front, x.data);
  }

 private:
  /// Fronts of this many cells are not parted.
  static constexpr std::ptrdiff_t small = 24;
  /// Sums along rows have so many partial sums, whatever the processor; rows are padded to them.
  static constexpr int partial = 16;
  /// Rows that are taken together.
  static constexpr int together = 4;

  struct alignas(64) Line {
    P value[partial];
  };
  /// Places in the order of elimination and in what is kept.
  struct Front {
    std::ptrdiff_t first, cells, later, line, numbers;
    std::ptrdiff_t lines() const { return lines_of(later + cells); }
  };
  static std::ptrdiff_t lines_of(std::ptrdiff_t count) { return (count + partial - 1) / partial; }

  CellSystem system_;
  std::vector<std::int32_t> order_, numbers_;
  std::vector<Front> fronts_;
  std::vector<Line> values_, row_;
  // only while factors are made
  std::vector<std::int32_t> here_, side_;
  std::vector<char> done_;
  std::vector<double> matrix_;
  std::int32_t sides_ = 0;

  /// Eliminate cells. What they add to the matrix of others comes back.
  std::vector<OpenFront> dissect(std::int32_t* begin, std::int32_t* end) {
    const auto [axis, line] = end - begin > small ? best_cut(begin, end) : Cut{-1, 0};
    if (axis < 0) return eliminate(begin, end, {});
    const auto before = [&, axis = axis, line = line](std::int32_t cell) {
      return system_.place(cell, axis) < line;
    };
    std::int32_t* middle = std::stable_partition(begin, end, before);
    const std::int32_t mark = ++sides_;
    std::for_each(begin, middle, [&](std::int32_t cell) { side_[cell] = mark; });
    const auto apart = [&](std::int32_t cell) {
      const std::int32_t* others = system_.neighbour.row(cell);
      return std::none_of(others, others + system_.neighbour.extent[1],
                          [&](std::int32_t other) { return other >= 0 && side_[other] == mark; });
    };
    std::int32_t* between = std::stable_partition(middle, end, apart);
    std::vector<OpenFront> open = dissect(begin, middle);
    for (OpenFront& front : dissect(middle, between)) open.push_back(std::move(front));
    return eliminate(between, end, std::move(open));
  }

  /// Before which row (axis 0) or column (1) cells are cut; axis -1: nowhere.
  struct Cut {
    int axis;
    std::int32_t line;
  };

  /// The cut with few cells on the line and many on both of its sides.
  Cut best_cut(const std::int32_t* begin, const std::int32_t* end) const {
    const auto count = static_cast<double>(end - begin);
    double least = 0.0;
    Cut best{-1, 0};
    for (int axis = 0; axis < 2; ++axis) {
      const auto at = [&](std::int32_t cell) { return system_.place(cell, axis); };
      const auto [low, high] = std::minmax_element(
          begin, end, [&](std::int32_t a, std::int32_t b) { return at(a) < at(b); });
      const std::int32_t first = at(*low);
      std::vector<int> on_line(static_cast<std::size_t>(at(*high) - first + 1), 0);
      std::for_each(begin, end, [&](std::int32_t cell) { ++on_line[at(cell) - first]; });
      double before = 0.0;
      for (std::size_t line = 0; line < on_line.size(); ++line) {
        const double on = on_line[line], after = count - before - on;
        const double cost = on / (before * after);
        if (before > 0.0 && after > 0.0 && (best.axis < 0 || cost < least)) {
          least = cost;
          best = {axis, first + static_cast<std::int32_t>(line)};
        }
        before += on;
      }
    }
    return best;
  }

  /// Eliminate these cells, after those of the open fronts. What all add to others comes back.
  std::vector<OpenFront> eliminate(const std::int32_t* begin, const std::int32_t* end,
                                   std::vector<OpenFront> open) {
    if (begin == end) return open;
    std::vector<std::int32_t> cells(begin, end);
    const std::ptrdiff_t own = end - begin;
    for (std::ptrdiff_t at = 0; at < own; ++at) here_[cells[at]] = static_cast<std::int32_t>(at);
    const auto touching = std::stable_partition(open.begin(), open.end(), [&](const auto& front) {
      return std::none_of(front.later.begin(), front.later.end(),
                          [&](std::int32_t cell) { return here_[cell] >= 0; });
    });
    const auto meet = [&](std::int32_t cell) {
      if (cell < 0 || done_[cell] || here_[cell] >= 0) return;
      here_[cell] = static_cast<std::int32_t>(cells.size());
      cells.push_back(cell);
    };
    for (std::ptrdiff_t at = 0; at < own; ++at)
      for (std::ptrdiff_t n = 0; n < system_.neighbour.extent[1]; ++n)
        meet(system_.neighbour(cells[at], n));
    for (auto front = touching; front != open.end(); ++front)
      std::for_each(front->later.begin(), front->later.end(), meet);
    assemble(cells, own);
    for (auto front = touching; front != open.end(); ++front) add(*front, cells.size());
    open.erase(touching, open.end());
    const auto size = static_cast<std::ptrdiff_t>(cells.size());
    for (std::ptrdiff_t at = 0; at < own; ++at) take_out(at, own, size);
    keep(cells, own);
    OpenFront left{{cells.begin() + own, cells.end()}, {}};
    for (std::ptrdiff_t row = own; row < size; ++row) {
      const double* from = matrix_.data() + row * size;
      left.matrix.insert(left.matrix.end(), from + own, from + size);
    }
    for (const std::int32_t cell : cells) here_[cell] = -1;
    std::for_each(begin, end, [&](std::int32_t cell) { done_[cell] = 1; });
    if (!left.later.empty()) open.push_back(std::move(left));
    return open;
  }

  /// The rows and columns of a front's own cells before anything is eliminated.
  void assemble(const std::vector<std::int32_t>& cells, std::ptrdiff_t own) {
    const std::size_t size = cells.size();
    matrix_.assign(size * size, 0.0);
    for (std::ptrdiff_t at = 0; at < own; ++at) {
      matrix_[at * size + at] += system_.diagonal(cells[at]);
      for (std::ptrdiff_t n = 0; n < system_.neighbour.extent[1]; ++n) {
        const std::int32_t other = system_.neighbour(cells[at], n);
        if (other < 0 || here_[other] < 0) continue;
        const double coupling = system_.coupling(cells[at], n);
        matrix_[at * size + here_[other]] -= coupling;
        if (here_[other] >= own) matrix_[here_[other] * size + at] -= coupling;
      }
    }
  }

  /// Add what an earlier front left.
  void add(const OpenFront& front, std::size_t size) {
    const std::size_t count = front.later.size();
    for (std::size_t row = 0; row < count; ++row) {
      double* to = matrix_.data() + here_[front.later[row]] * size;
      const double* from = front.matrix.data() + row * count;
      for (std::size_t column = 0; column < count; ++column)
        to[here_[front.later[column]]] += from[column];
    }
  }

  /// Gauss and Jordan's step for one cell, in place: in the end A11^-1 and A11^-1 A12 stand in the
  /// rows of the front's own cells, and what is left of A22 in those of later ones.
  void take_out(std::ptrdiff_t pivot, std::ptrdiff_t own, std::ptrdiff_t size) {
    double* line = matrix_.data() + pivot * size;
    const double inverse = 1.0 / line[pivot];
    line[pivot] = 1.0;
    for (std::ptrdiff_t column = 0; column < size; ++column) line[column] *= inverse;
    for (std::ptrdiff_t row = 0; row < size; ++row) {
      double* to = matrix_.data() + row * size;
      const double factor = -to[pivot];
      if (row == pivot || factor == 0.0) continue;
      to[pivot] = 0.0;
      over_row<double>(row < own ? 0 : pivot, size, [&]<class V>(Lane<V>, std::ptrdiff_t column) {
        store<V>(to + column,
                 multiply_add(load<V>(line + column), splat<V>(factor), load<V>(to + column)));
      });
    }
  }

  /// Keep the rows of a front's own cells, what concerns later cells first.
  void keep(const std::vector<std::int32_t>& cells, std::ptrdiff_t own) {
    const auto size = static_cast<std::ptrdiff_t>(cells.size());
    const Front front{static_cast<std::ptrdiff_t>(order_.size()), own, size - own,
                      static_cast<std::ptrdiff_t>(values_.size()),
                      static_cast<std::ptrdiff_t>(numbers_.size())};
    fronts_.push_back(front);
    order_.insert(order_.end(), cells.begin(), cells.begin() + own);
    numbers_.insert(numbers_.end(), cells.begin() + own, cells.end());
    values_.resize(values_.size() + static_cast<std::size_t>(own * front.lines()), Line{});
    for (std::ptrdiff_t row = 0; row < own; ++row) {
      const double* from = matrix_.data() + row * size;
      P* to = values_[front.line + row * front.lines()].value;
      for (std::ptrdiff_t column = own; column < size; ++column)
        *to++ = static_cast<P>(-from[column]);
      for (std::ptrdiff_t column = 0; column < own; ++column) *to++ = static_cast<P>(from[column]);
    }
  }

  /// Later cells by their places in the order; what only the making needs is let go.
  void finish() {
    for (std::size_t at = 0; at < order_.size(); ++at)
      here_[order_[at]] = static_cast<std::int32_t>(at);
    for (std::int32_t& number : numbers_) number = here_[number];
    std::ptrdiff_t longest = 0;
    for (const Front& front : fronts_) longest = std::max(longest, front.lines());
    row_.resize(static_cast<std::size_t>(longest));
    here_ = {}, side_ = {}, done_ = {}, matrix_ = {}, system_ = {};
  }

  using V = pack<P, lanes<P>>;

  /// A11^-1 times the right side of a front's cells in its place, and its share in later ones.
  void forward(const Front& front, P* x) {
    P *own = x + front.first, *sum = row_[0].value;
    const std::ptrdiff_t pitch = front.lines() * partial;
    const P* values = values_[front.line].value;
    std::fill(sum, sum + pitch, P(0));
    in_groups(front.cells, [&]<int Rows>(Count<Rows>, std::ptrdiff_t first) {
      const P* row = values + first * pitch;
      for (std::ptrdiff_t at = 0; at < pitch; at += lanes<P>) {
        V total = load<V>(sum + at);
        for (int n = 0; n < Rows; ++n)
          total = multiply_add(load<V>(row + n * pitch + at), splat<V>(own[first + n]), total);
        store<V>(sum + at, total);
      }
    });
    const std::int32_t* numbers = numbers_.data() + front.numbers;
    for (std::ptrdiff_t at = 0; at < front.later; ++at) x[numbers[at]] += sum[at];
    std::copy(sum + front.later, sum + front.later + front.cells, own);
  }

  /// Add to a front's cells what later ones, which are known by now, contribute.
  void backward(const Front& front, P* x) {
    const std::int32_t* numbers = numbers_.data() + front.numbers;
    const std::ptrdiff_t pitch = front.lines() * partial;
    const std::ptrdiff_t length = lines_of(front.later) * partial;
    P *own = x + front.first, *known = row_[0].value;
    for (std::ptrdiff_t at = 0; at < front.later; ++at) known[at] = x[numbers[at]];
    std::fill(known + front.later, known + length, P(0));
    const P* values = values_[front.line].value;
    in_groups(front.cells, [&]<int Rows>(Count<Rows>, std::ptrdiff_t first) {
      constexpr int packs = partial / lanes<P>;
      V sum[Rows][packs] = {};
      const P* row = values + first * pitch;
      for (std::ptrdiff_t at = 0; at < length; at += partial)
        for (int n = 0; n < Rows; ++n)
          for (int part = 0; part < packs; ++part) {
            const std::ptrdiff_t from = at + part * lanes<P>;
            sum[n][part] =
                multiply_add(load<V>(row + n * pitch + from), load<V>(known + from), sum[n][part]);
          }
      for (int n = 0; n < Rows; ++n) {
        Line parts;
        for (int part = 0; part < packs; ++part)
          store<V>(parts.value + part * lanes<P>, sum[n][part]);
        own[first + n] += folded(parts.value);
      }
    });
  }

  /// The sum of all partial sums, in one order.
  static INLINE P folded(const P* parts) {
    using Four = pack<P, 4>;
    const Four sum = (load<Four>(parts) + load<Four>(parts + 8)) +
                     (load<Four>(parts + 4) + load<Four>(parts + 12));
    return (sum[0] + sum[2]) + (sum[1] + sum[3]);
  }

  template <int Rows>
  using Count = std::integral_constant<int, Rows>;

  /// `body(how many, first)` for all rows, some at a time.
  template <class Body>
  static INLINE void in_groups(std::ptrdiff_t rows, const Body& body) {
    std::ptrdiff_t row = 0;
    for (; row + together <= rows; row += together) body(Count<together>{}, row);
    for (; row < rows; ++row) body(Count<1>{}, row);
  }
};

}  // namespace halocline
