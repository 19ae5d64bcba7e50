// Collectives, one-sided operations, files, and what makes and frees communicators and windows.
#pragma once

#include "waits.hpp"

namespace halocline {

template <class L, class Bytes, class Root, class Comm>
Told told_by_all(const Call& call, Bytes bytes, Root root, Comm comm) {
  const Communicator& one = call.all().communicators.of(L::communicator(comm));
  const int rank = static_cast<int>(L::number(root));
  return {bytes(), rank >= 0 ? one.partner(rank) : nobody, 0, 0, one.number};
}

template <class L, class Forward, class Bytes, class Root, class Comm>
int collective(const Function& function, const void* address, Forward forward, Bytes bytes,
               Root root, Comm comm) {
  Call call(function, address);
  const int error = forward();
  if (call) {
    call.over();
    call.add(told_by_all<L>(call, bytes, root, comm));
  }
  return error;
}

template <class L, class Forward, class Bytes, class Root, class Comm, class Handle>
int starting_collective(const Function& function, const void* address, Forward forward, Bytes bytes,
                        Root root, Comm comm, const Handle* request) {
  Call call(function, address);
  const int error = forward();
  if (call) {
    call.over();
    Told told = told_by_all<L>(call, bytes, root, comm);
    if (error == MPI_SUCCESS)
      started<L>(call, Deed::start_collective, told, L::communicator(comm), request);
    call.add(told);
  }
  return error;
}

template <class L, class Forward, class Bytes, class Root, class Comm, class Handle>
int preparing_collective(const Function& function, const void* address, Forward forward,
                         Bytes bytes, Root root, Comm comm, const Handle* request) {
  Call call(function, address);
  const int error = forward();
  if (call && error == MPI_SUCCESS) {
    call.all().requests.prepare(
        L::request(*request),
        {call.site(), &call.all().communicators.of(L::communicator(comm)),
         told_by_all<L>(call, bytes, root, comm), Deed::start_collective, false});
  }
  return error;
}

template <class L, class Forward, class Bytes, class Target, class Window>
int remote(const Function& function, const void* address, Forward forward, Bytes bytes,
           Target target, Window window) {
  Call call(function, address);
  const int error = forward();
  if (call) {
    call.over();
    const int rank = static_cast<int>(L::number(target));
    const int partner = call.all().communicators.in_window(L::window(window), rank);
    call.add({rank == MPI_PROC_NULL ? 0 : bytes(), partner});
  }
  return error;
}

template <class L, class Forward, class Bytes>
int volume(const Function& function, const void* address, Forward forward, Bytes bytes) {
  Call call(function, address);
  const int error = forward();
  if (call) {
    call.over();
    call.add({bytes()});
  }
  return error;
}

/// A communicator is made: it gets its number now, in the order in which all its ranks make it.
template <class L, class Forward, class Handle>
int creating(const Function& function, const void* address, Forward forward,
             const Handle* created) {
  Call call(function, address);
  const int error = forward();
  if (call) {
    call.over();
    call.add();
    const MPI_Comm made = L::communicator(created);
    if (error == MPI_SUCCESS && made != call.all().handles.no_communicator)
      call.all().communicators.of(made);
  }
  return error;
}

template <class L, class Forward, class Handle>
int freeing(const Function& function, const void* address, Forward forward, const Handle* freed) {
  Call call(function, address);
  if (call) call.all().communicators.forget(L::communicator(freed));
  const int error = forward();
  if (call) {
    call.over();
    call.add();
  }
  return error;
}

template <class L, class Forward, class Handle>
int freeing_window(const Function& function, const void* address, Forward forward,
                   const Handle* window) {
  Call call(function, address);
  if (call) call.all().communicators.forget_window(L::window(window));
  const int error = forward();
  if (call) {
    call.over();
    call.add();
  }
  return error;
}

}  // namespace halocline
