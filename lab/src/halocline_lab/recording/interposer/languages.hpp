// The arguments of MPI as C and as Fortran pass them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "call.hpp"

namespace halocline {

template <class L>
class Statuses;
template <class L>
class Requests;

struct C {
  using Status = MPI_Status;
  static constexpr std::size_t status_length = 1;
  static constexpr int first_index = 0;

  template <class Number>
  static std::int64_t number(Number value) {
    return value;
  }
  static MPI_Datatype type(MPI_Datatype value) { return value; }
  static MPI_Comm communicator(MPI_Comm value) { return value; }
  static MPI_Comm communicator(const MPI_Comm* value) { return *value; }
  static MPI_Request request(MPI_Request value) { return value; }
  static MPI_Message message(MPI_Message value) { return value; }
  static MPI_Win window(MPI_Win value) { return value; }
  static MPI_Win window(const MPI_Win* value) { return *value; }
  static bool in_place(const void* buffer) { return buffer == MPI_IN_PLACE; }
  static bool ignored(const MPI_Status* status) {
    return status == MPI_STATUS_IGNORE || status == MPI_STATUSES_IGNORE;
  }
  static MPI_Status status(const MPI_Status* status) { return *status; }
};

struct Fortran {
  using Status = MPI_Fint;
  static constexpr std::size_t status_length = sizeof(MPI_Status) / sizeof(MPI_Fint);
  static constexpr int first_index = 1;

  static std::int64_t number(const MPI_Fint* value) { return *value; }
  static std::int64_t number(MPI_Fint value) { return value; }
  static MPI_Datatype type(const MPI_Fint* value) { return pmpi::type(*value); }
  static MPI_Datatype type(MPI_Fint value) { return pmpi::type(value); }
  static MPI_Comm communicator(const MPI_Fint* value) { return pmpi::communicator(*value); }
  static MPI_Request request(MPI_Fint value) { return pmpi::request(value); }
  static MPI_Message message(MPI_Fint value) { return pmpi::message(value); }
  static MPI_Win window(const MPI_Fint* value) { return pmpi::window(*value); }
  static bool in_place(const void* buffer) {
    const auto& places = recorder.load()->in_place;
    return std::find(places.begin(), places.end(), buffer) != places.end();
  }
  static bool ignored(const MPI_Fint* status) {
    const auto& places = recorder.load()->ignored_status;
    return std::find(places.begin(), places.end(), status) != places.end();
  }
  static MPI_Status status(const MPI_Fint* status) {
    MPI_Status result;
    pmpi::Status_f2c(const_cast<MPI_Fint*>(status), &result);
    return result;
  }
};

/// mpi_f08 of MPICH: a buffer comes as a descriptor, whose first member is its address.
struct Descriptors : Fortran {
  static bool in_place(const void* descriptor) {
    return Fortran::in_place(*static_cast<void* const*>(descriptor));
  }
};

/// Space for statuses where the caller wants none and the recorder does.
template <class L>
class Statuses {
 public:
  using Status = typename L::Status;

  Statuses(const Call& call, Status* given, std::size_t count = 1) : given_(given) {
    if (!call || !L::ignored(given)) return;
    const std::size_t length = count * L::status_length;
    if (length <= few) {
      given_ = few_;
    } else {
      many_.resize(length);
      given_ = many_.data();
    }
  }

  Status* pointer() { return given_; }
  MPI_Status at(std::size_t place) const { return L::status(given_ + place * L::status_length); }

 private:
  static constexpr std::size_t few = 8 * L::status_length;
  Status* given_;
  Status few_[few];
  std::vector<Status> many_;
};

/// The handles of requests before a call: it may change them.
template <class Handle, class L>
class RequestsBefore {
 public:
  RequestsBefore(const Call& call, const Handle* handles, std::int64_t count) {
    if (!call) return;
    for (std::int64_t at = 0; at < count; ++at) {
      const MPI_Request handle = L::request(handles[at]);
      if (at < few)
        few_[at] = handle;
      else
        many_.push_back(handle);
    }
  }
  MPI_Request operator[](std::size_t at) const { return at < few ? few_[at] : many_[at - few]; }

 private:
  static constexpr int few = 16;
  MPI_Request few_[few];
  std::vector<MPI_Request> many_;
};

/// Bytes of one element.
template <class L, class Type>
std::int64_t unit(Type type) {
  int size = 0;
  const MPI_Datatype handle = L::type(type);
  if (pmpi::Type_size(handle, &size) == MPI_SUCCESS && size != MPI_UNDEFINED) return size;
  MPI_Count large = 0;
  pmpi::Type_size_x(handle, &large);
  return large;
}

template <class L, class Count, class Type>
std::int64_t size(Count count, Type type) {
  const std::int64_t number = L::number(count);
  return number > 0 ? number * unit<L>(type) : 0;
}

/// Whether elements of a type have gaps, in themselves or between each other.
template <class L, class Count, class Type>
bool has_gaps(Count count, Type type) {
  const MPI_Datatype handle = L::type(type);
  MPI_Aint begin = 0, extent = 0, true_begin = 0, true_extent = 0;
  if (pmpi::Type_get_extent(handle, &begin, &extent) != MPI_SUCCESS ||
      pmpi::Type_get_true_extent(handle, &true_begin, &true_extent) != MPI_SUCCESS)
    return false;
  const std::int64_t bytes = unit<L>(type);
  return true_extent != bytes || (L::number(count) > 1 && extent != bytes);
}

/// Bytes of several counts of one type.
template <class L, class Count, class Type>
std::int64_t sum(const Count* counts, Type type, std::int64_t partners) {
  std::int64_t total = 0;
  for (std::int64_t at = 0; at < partners; ++at) total += L::number(counts[at]);
  return total * unit<L>(type);
}

/// Bytes of several counts, each of its own type.
template <class L, class Count, class Type>
std::int64_t sum_each(const Count* counts, const Type* types, std::int64_t partners) {
  std::int64_t total = 0;
  for (std::int64_t at = 0; at < partners; ++at) total += size<L>(counts[at], types[at]);
  return total;
}

/// How many ranks are on the other side of a communicator.
template <class L, class Comm>
std::int64_t partners(Comm comm) {
  const auto& one = recorder.load()->communicators.of(L::communicator(comm));
  return static_cast<std::int64_t>(one.partners.size());
}

/// Bytes of this rank's part.
template <class L, class Count, class Type, class Comm>
std::int64_t part(const Count* counts, Type type, Comm comm) {
  const auto& one = recorder.load()->communicators.of(L::communicator(comm));
  return L::number(counts[one.rank]) * unit<L>(type);
}

template <class L, class Root, class Comm>
bool is_root(Root root, Comm comm) {
  const auto& one = recorder.load()->communicators.of(L::communicator(comm));
  return one.between ? L::number(root) == MPI_ROOT : L::number(root) == one.rank;
}

/// How many neighbours a rank sends to in its topology.
template <class L, class Comm>
std::int64_t neighbours(Comm comm) {
  const MPI_Comm handle = L::communicator(comm);
  auto& one = recorder.load()->communicators.of(handle);
  if (one.neighbours < 0) {
    int topology = MPI_UNDEFINED, count = 0, in = 0, weighted = 0;
    pmpi::Topo_test(handle, &topology);
    if (topology == MPI_CART) {
      pmpi::Cartdim_get(handle, &count);
      count *= 2;
    } else if (topology == MPI_GRAPH) {
      pmpi::Graph_neighbors_count(handle, one.rank, &count);
    } else if (topology == MPI_DIST_GRAPH) {
      pmpi::Dist_graph_neighbors_count(handle, &in, &count, &weighted);
    }
    one.neighbours = count;
  }
  return one.neighbours;
}

}  // namespace halocline
