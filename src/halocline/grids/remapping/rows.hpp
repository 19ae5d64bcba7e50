#pragma once
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "schedules.hpp"

/// Sparse rows, one for each target point: numbers of source points, ascending, and their weights.
namespace halocline::remapping {

using Term = std::pair<std::int64_t, double>;

struct Rows {
  std::vector<std::int64_t> counts, numbers;
  std::vector<double> weights;

  /// Ends a row: terms of one source point are added up in the order in which they stand.
  void add(std::vector<Term>& terms) {
    std::stable_sort(terms.begin(), terms.end(),
                     [](const Term& a, const Term& b) { return a.first < b.first; });
    const std::size_t before = numbers.size();
    for (const auto& [number, weight] : terms) {
      if (numbers.size() > before && numbers.back() == number) {
        weights.back() += weight;
      } else {
        numbers.push_back(number);
        weights.push_back(weight);
      }
    }
    counts.push_back(static_cast<std::int64_t>(numbers.size() - before));
    terms.clear();
  }
};

/// `row(target, terms)` for all targets, shares of them on the threads that are free.
template <class Row>
Rows make_rows(std::int64_t targets, const Row& row) {
  constexpr std::int64_t share = 1024;
  const auto shares = static_cast<int>((targets + share - 1) / share);
  std::vector<Rows> parts(shares);
  for_tiles(shares, 1, 1, [&](int part, int, int) {
    std::vector<Term> terms;
    const std::int64_t first = part * share, last = std::min(first + share, targets);
    for (std::int64_t target = first; target < last; ++target) {
      row(target, terms);
      parts[part].add(terms);
    }
  });
  Rows all;
  std::size_t count = 0;
  for (const auto& part : parts) count += part.numbers.size();
  all.counts.reserve(targets), all.numbers.reserve(count), all.weights.reserve(count);
  for (auto& part : parts) {
    all.counts.insert(all.counts.end(), part.counts.begin(), part.counts.end());
    all.numbers.insert(all.numbers.end(), part.numbers.begin(), part.numbers.end());
    all.weights.insert(all.weights.end(), part.weights.begin(), part.weights.end());
    part = Rows();
  }
  return all;
}

}  // namespace halocline::remapping
