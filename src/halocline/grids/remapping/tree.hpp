#pragma once
#include <cstddef>
#include <limits>
#include <numeric>
#include <vector>

#include "grids/remapping/vectors.hpp"

/// A search tree over boxes in space.
namespace halocline::remapping {

/// A box with sides along the axes.
struct SpaceBox {
  static constexpr double far = std::numeric_limits<double>::infinity();
  Vector low{far, far, far}, high{-far, -far, -far};

  void take(Vector point) {
    low = {std::min(low.x, point.x), std::min(low.y, point.y), std::min(low.z, point.z)};
    high = {std::max(high.x, point.x), std::max(high.y, point.y), std::max(high.z, point.z)};
  }
  void take(const SpaceBox& other) { take(other.low), take(other.high); }
  void widen(double by) {
    low = low - Vector{by, by, by};
    high = high + Vector{by, by, by};
  }
  bool touches(const SpaceBox& other) const {
    return low.x <= other.high.x && other.low.x <= high.x && low.y <= other.high.y &&
           other.low.y <= high.y && low.z <= other.high.z && other.low.z <= high.z;
  }
  /// Square of the distance of a point, 0 inside.
  double squared_distance(Vector p) const {
    const double x = std::max({low.x - p.x, 0.0, p.x - high.x});
    const double y = std::max({low.y - p.y, 0.0, p.y - high.y});
    const double z = std::max({low.z - p.z, 0.0, p.z - high.z});
    return x * x + y * y + z * z;
  }
};

/// Boxes in halves by the middle of the longest side; a node's first half follows it.
class BoxTree {
 public:
  BoxTree() = default;
  /// Over the boxes with these numbers.
  BoxTree(const std::vector<SpaceBox>& boxes, std::vector<std::int64_t> numbers)
      : order_(std::move(numbers)) {
    if (order_.empty()) return;
    nodes_.reserve(2 * (order_.size() / leaf + 1));
    grow(boxes, 0, order_.size());
    boxes_.reserve(order_.size());
    for (const auto number : order_) boxes_.push_back(boxes[number]);
  }

  /// `found(number)` for every box that touches another one, in no order that means anything.
  template <class Found>
  void each_touching(const SpaceBox& box, const Found& found) const {
    std::size_t stack[64], depth = 0;
    if (!nodes_.empty()) stack[depth++] = 0;
    while (depth > 0) {
      const std::size_t at = stack[--depth];
      const Node& node = nodes_[at];
      if (!node.box.touches(box)) continue;
      if (node.second) {
        stack[depth++] = node.second;
        stack[depth++] = at + 1;
        continue;
      }
      for (auto one = node.begin; one < node.end; ++one)
        if (boxes_[one].touches(box)) found(order_[one]);
    }
  }

  /// The box nearest to a point, of those equally far the one with the lowest number; -1 if there
  /// is none.
  std::int64_t nearest(Vector point) const {
    double best = SpaceBox::far;
    std::int64_t number = -1;
    if (!nodes_.empty()) look(0, point, best, number);
    return number;
  }

 private:
  static constexpr std::size_t leaf = 4;
  struct Node {
    SpaceBox box;
    std::uint32_t second = 0, begin = 0, end = 0;
  };

  void grow(const std::vector<SpaceBox>& boxes, std::size_t begin, std::size_t end) {
    const std::size_t own = nodes_.size();
    nodes_.emplace_back();
    SpaceBox all, middles;
    for (auto at = begin; at < end; ++at) {
      const SpaceBox& box = boxes[order_[at]];
      all.take(box);
      middles.take(box.low + box.high);
    }
    nodes_[own].box = all;
    nodes_[own].begin = static_cast<std::uint32_t>(begin);
    nodes_[own].end = static_cast<std::uint32_t>(end);
    if (end - begin <= leaf) return;
    const Vector size = middles.high - middles.low;
    const auto by = [&](auto member) {
      const auto first = order_.begin() + begin, last = order_.begin() + end;
      std::nth_element(first, first + (end - begin) / 2, last, [&](auto one, auto other) {
        const double a = boxes[one].low.*member + boxes[one].high.*member;
        const double b = boxes[other].low.*member + boxes[other].high.*member;
        return a < b || (a == b && one < other);
      });
    };
    if (size.x >= size.y && size.x >= size.z)
      by(&Vector::x);
    else if (size.y >= size.z)
      by(&Vector::y);
    else
      by(&Vector::z);
    const std::size_t middle = begin + (end - begin) / 2;
    grow(boxes, begin, middle);
    nodes_[own].second = static_cast<std::uint32_t>(nodes_.size());
    grow(boxes, middle, end);
  }

  void look(std::size_t at, Vector point, double& best, std::int64_t& number) const {
    const Node& node = nodes_[at];
    if (node.second) {
      const std::size_t one = at + 1, two = node.second;
      const double near = nodes_[one].box.squared_distance(point);
      const double far = nodes_[two].box.squared_distance(point);
      if (std::min(near, far) > best) return;
      look(near <= far ? one : two, point, best, number);
      if (std::max(near, far) <= best) look(near <= far ? two : one, point, best, number);
      return;
    }
    for (auto one = node.begin; one < node.end; ++one) {
      const double distance = boxes_[one].squared_distance(point);
      if (distance < best || (distance == best && order_[one] < number))
        best = distance, number = order_[one];
    }
  }

  std::vector<std::int64_t> order_;
  std::vector<SpaceBox> boxes_;
  std::vector<Node> nodes_;
};

}  // namespace halocline::remapping
