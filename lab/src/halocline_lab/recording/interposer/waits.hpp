// Requests: started again, waited for, tested, freed.
#pragma once

#include "messages.hpp"

namespace halocline {

inline bool was_cancelled(const MPI_Status& status) {
  int flag = 0;
  pmpi::Test_cancelled(&status, &flag);
  return flag != 0;
}

/// An operation is complete: the event of that, at the end of the call.
inline void complete(Call& call, MPI_Request handle, const MPI_Status& status) {
  Pending one;
  do {
    if (!call.all().requests.take(handle, one)) return;
    Told told = one.told;
    if (one.deed == Deed::start_receive) {
      told = arrived(call, one.communicator, status);
      if (call.all().cancels && was_cancelled(status)) told = {0, nobody};
      told.request = one.told.request;
    }
    call.add_at_end(*one.site, Deed::completion, told);
  } while (one.twin);
}

/// A persistent operation is started again.
inline void start_prepared(Call& call, MPI_Request handle, const Site& site, bool whole) {
  Pending one;
  if (!call.all().requests.prepared(handle, one)) return;
  one.told.request = call.all().requests.next_number();
  one.site = &site;
  call.all().requests.add(handle, one);
  if (whole)
    call.add_as(one.deed, one.told);
  else
    call.add_at_begin(one.deed, one.told);
}

template <class L, class Forward, class Handle>
int starting(const Function& function, const void* address, Forward forward,
             const Handle* request) {
  Call call(function, address);
  const RequestsBefore<Handle, L> before(call, request, 1);
  const int error = forward();
  if (call) {
    call.over();
    start_prepared(call, before[0], *call.site(), true);
  }
  return error;
}

template <class L, class Forward, class Count, class Handle>
int starting_all(const Function& function, const void* address, Forward forward, Count count,
                 const Handle* requests) {
  Call call(function, address);
  const std::int64_t number = L::number(count);
  const RequestsBefore<Handle, L> before(call, requests, number);
  const int error = forward();
  if (call) {
    call.over();
    for (std::int64_t at = 0; at < number; ++at)
      start_prepared(call, before[static_cast<std::size_t>(at)], *call.site(), false);
    call.add();
  }
  return error;
}

template <class L, class Forward, class Handle, class Status>
int waiting_all(const Function& function, const void* address, Forward forward, std::int64_t number,
                const Handle* requests, const int* flag, Status* statuses) {
  Call call(function, address);
  const RequestsBefore<Handle, L> before(call, requests, number);
  Statuses<L> here(call, statuses, static_cast<std::size_t>(std::max<std::int64_t>(number, 1)));
  const int error = forward(here.pointer());
  if (call) {
    call.over();
    call.add();
    for (std::size_t at = 0; *flag != 0 && at < static_cast<std::size_t>(number); ++at)
      complete(call, before[at], here.at(at));
  }
  return error;
}

inline constexpr int always = 1;

template <class L, class Forward, class Count, class Handle, class Status>
int waiting_all(const Function& function, const void* address, Forward forward, Count count,
                const Handle* requests, Status* statuses) {
  return waiting_all<L>(function, address, forward, L::number(count), requests, &always, statuses);
}

template <class L, class Forward, class Count, class Handle, class Status>
int testing_all(const Function& function, const void* address, Forward forward, Count count,
                const Handle* requests, const int* flag, Status* statuses) {
  return waiting_all<L>(function, address, forward, L::number(count), requests, flag, statuses);
}

template <class L, class Forward, class Handle, class Status>
int waiting(const Function& function, const void* address, Forward forward, const Handle* request,
            Status* status) {
  return waiting_all<L>(function, address, forward, std::int64_t{1}, request, &always, status);
}

template <class L, class Forward, class Handle, class Status>
int testing(const Function& function, const void* address, Forward forward, const Handle* request,
            const int* flag, Status* status) {
  return waiting_all<L>(function, address, forward, std::int64_t{1}, request, flag, status);
}

template <class L, class Forward, class Count, class Handle, class Status>
int testing_any(const Function& function, const void* address, Forward forward, Count count,
                const Handle* requests, const int* index, const int* flag, Status* status) {
  Call call(function, address);
  const std::int64_t number = L::number(count);
  const RequestsBefore<Handle, L> before(call, requests, number);
  Statuses<L> here(call, status);
  const int error = forward(here.pointer());
  if (call) {
    call.over();
    call.add();
    const int at = *index - L::first_index;
    if (*flag != 0 && *index != MPI_UNDEFINED && at >= 0 && at < number)
      complete(call, before[static_cast<std::size_t>(at)], here.at(0));
  }
  return error;
}

template <class L, class Forward, class Count, class Handle, class Status>
int waiting_any(const Function& function, const void* address, Forward forward, Count count,
                const Handle* requests, const int* index, Status* status) {
  return testing_any<L>(function, address, forward, count, requests, index, &always, status);
}

template <class L, class Forward, class Count, class Handle, class Status>
int waiting_some(const Function& function, const void* address, Forward forward, Count count,
                 const Handle* requests, const int* done, const int* indices, Status* statuses) {
  Call call(function, address);
  const std::int64_t number = L::number(count);
  const RequestsBefore<Handle, L> before(call, requests, number);
  Statuses<L> here(call, statuses, static_cast<std::size_t>(std::max<std::int64_t>(number, 1)));
  const int error = forward(here.pointer());
  if (call) {
    call.over();
    call.add();
    for (int at = 0; *done != MPI_UNDEFINED && at < *done; ++at) {
      const auto place = static_cast<std::size_t>(indices[at] - L::first_index);
      complete(call, before[place], here.at(static_cast<std::size_t>(at)));
    }
  }
  return error;
}

template <class L, class Forward, class Handle>
int forgetting(const Function& function, const void* address, Forward forward,
               const Handle* request) {
  Call call(function, address);
  const RequestsBefore<Handle, L> before(call, request, 1);
  const int error = forward();
  if (call) {
    call.over();
    call.all().requests.forget(before[0]);
    call.add();
  }
  return error;
}

template <class L, class Forward, class Handle>
int cancelling(const Function& function, const void* address, Forward forward, const Handle*) {
  if (Recorder* const all = recorder.load()) all->cancels = true;
  return timed<L>(function, address, forward);
}

}  // namespace halocline
