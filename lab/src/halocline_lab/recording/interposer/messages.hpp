// Messages between two ranks: blocking, non-blocking, persistent, matched probes.
#pragma once

#include "languages.hpp"

namespace halocline {

/// What a send tells.
template <class L, class Count, class Type, class Rank, class Comm>
Told told_of(const Call& call, Count count, Type type, Rank partner, Rank tag, Comm comm) {
  const Communicator& one = call.all().communicators.of(L::communicator(comm));
  const int rank = static_cast<int>(L::number(partner));
  const std::int64_t bytes = rank == MPI_PROC_NULL ? 0 : size<L>(count, type);
  const int whom = rank == MPI_ANY_SOURCE ? anybody : one.partner(rank);
  const bool gaps = bytes > 0 && has_gaps<L>(count, type);
  return {bytes, whom, static_cast<int>(L::number(tag)), 0, one.number, gaps};
}

/// What arrived, as the status tells it.
inline Told arrived(const Call& call, const Communicator* communicator, const MPI_Status& status) {
  int bytes = 0;
  Told told;
  pmpi::Get_count(&status, call.all().handles.byte, &bytes);
  told.bytes = bytes;
  if (bytes == MPI_UNDEFINED) {
    MPI_Count large = 0;
    pmpi::Get_elements_x(&status, call.all().handles.byte, &large);
    told.bytes = large;
  }
  if (communicator != nullptr) {
    told.partner = communicator->partner(status.MPI_SOURCE);
    told.communicator = communicator->number;
  }
  if (status.MPI_SOURCE == MPI_PROC_NULL) told.bytes = 0;
  told.tag = status.MPI_TAG;
  return told;
}

template <class L, class Forward, class Count, class Type, class Rank, class Comm>
int sending(const Function& function, const void* address, Forward forward, Count count, Type type,
            Rank to, Rank tag, Comm comm) {
  Call call(function, address);
  const int error = forward();
  if (call) {
    call.over();
    call.add(told_of<L>(call, count, type, to, tag, comm));
  }
  return error;
}

template <class L, class Forward, class Count, class Type, class Rank, class Comm, class Status>
int receiving(const Function& function, const void* address, Forward forward, Count count,
              Type type, Rank, Rank, Comm comm, Status* status) {
  Call call(function, address);
  Statuses<L> here(call, status);
  const int error = forward(here.pointer());
  if (call) {
    call.over();
    const Communicator& one = call.all().communicators.of(L::communicator(comm));
    Told told = arrived(call, &one, here.at(0));
    told.gaps = told.bytes > 0 && has_gaps<L>(count, type);
    call.add(told);
  }
  return error;
}

/// Note an operation that has been started; its event is added by the caller.
template <class L, class Handle>
void started(const Call& call, Deed deed, Told& told, MPI_Comm comm, const Handle* request,
             bool twin = false) {
  told.request = call.all().requests.next_number();
  call.all().requests.add(L::request(*request),
                          {call.site(), &call.all().communicators.of(comm), told, deed, twin});
}

template <class L, class Forward, class Count, class Type, class Rank, class Comm, class Handle>
int starting(Deed deed, const Function& function, const void* address, Forward forward, Count count,
             Type type, Rank partner, Rank tag, Comm comm, const Handle* request) {
  Call call(function, address);
  const int error = forward();
  if (call) {
    call.over();
    Told told = told_of<L>(call, count, type, partner, tag, comm);
    if (error == MPI_SUCCESS) started<L>(call, deed, told, L::communicator(comm), request);
    call.add(told);
  }
  return error;
}

template <class L, class... Rest>
int starting_send(const Function& function, Rest... rest) {
  return starting<L>(Deed::start_send, function, rest...);
}

template <class L, class... Rest>
int starting_receive(const Function& function, Rest... rest) {
  return starting<L>(Deed::start_receive, function, rest...);
}

/// A persistent request is made; its starts are recorded, this is not.
template <class L, class Forward, class Count, class Type, class Rank, class Comm, class Handle>
int preparing(Deed deed, const Function& function, const void* address, Forward forward,
              Count count, Type type, Rank partner, Rank tag, Comm comm, const Handle* request) {
  Call call(function, address);
  const int error = forward();
  if (call && error == MPI_SUCCESS) {
    call.all().requests.prepare(L::request(*request),
                                {call.site(), &call.all().communicators.of(L::communicator(comm)),
                                 told_of<L>(call, count, type, partner, tag, comm), deed, false});
  }
  return error;
}

template <class L, class... Rest>
int preparing_send(const Function& function, Rest... rest) {
  return preparing<L>(Deed::start_send, function, rest...);
}

template <class L, class... Rest>
int preparing_receive(const Function& function, Rest... rest) {
  return preparing<L>(Deed::start_receive, function, rest...);
}

/// A send and a receive in one call: both are started at its begin and complete at its end.
template <class L, class Forward, class Count, class Type, class Rank, class Comm, class Status>
int sending_receiving(const Function& function, const void* address, Forward forward, Count count,
                      Type type, Rank to, Rank tag, Count receive_count, Type receive_type,
                      Rank from, Rank receive_tag, Comm comm, Status* status) {
  Call call(function, address);
  Statuses<L> here(call, status);
  const int error = forward(here.pointer());
  if (call) {
    call.over();
    Told sent = told_of<L>(call, count, type, to, tag, comm);
    Told received = told_of<L>(call, receive_count, receive_type, from, receive_tag, comm);
    sent.request = call.all().requests.next_number();
    received.request = call.all().requests.next_number();
    call.add_at_begin(Deed::start_send, sent);
    call.add_at_begin(Deed::start_receive, received);
    const Communicator& one = call.all().communicators.of(L::communicator(comm));
    Told came = arrived(call, &one, here.at(0));
    came.request = received.request;
    call.add_at_end(*call.site(), Deed::completion, sent);
    call.add_at_end(*call.site(), Deed::completion, came);
    Told both = sent;
    both.bytes += came.bytes;
    both.request = 0;
    both.gaps = sent.gaps || received.gaps;
    call.add(both);
  }
  return error;
}

template <class L, class Forward, class Count, class Type, class Rank, class Comm, class Status>
int exchanging(const Function& function, const void* address, Forward forward, Count count,
               Type type, Rank to, Rank tag, Rank from, Rank receive_tag, Comm comm,
               Status* status) {
  return sending_receiving<L>(function, address, forward, count, type, to, tag, count, type, from,
                              receive_tag, comm, status);
}

template <class L, class Forward, class Count, class Type, class Rank, class Comm, class Handle>
int starting_both(const Function& function, const void* address, Forward forward, Count count,
                  Type type, Rank to, Rank tag, Count receive_count, Type receive_type, Rank from,
                  Rank receive_tag, Comm comm, const Handle* request) {
  Call call(function, address);
  const int error = forward();
  if (call) {
    call.over();
    Told sent = told_of<L>(call, count, type, to, tag, comm);
    Told received = told_of<L>(call, receive_count, receive_type, from, receive_tag, comm);
    if (error == MPI_SUCCESS) {
      started<L>(call, Deed::start_send, sent, L::communicator(comm), request, true);
      started<L>(call, Deed::start_receive, received, L::communicator(comm), request);
    }
    call.add_at_begin(Deed::start_send, sent);
    call.add_at_begin(Deed::start_receive, received);
    call.add();
  }
  return error;
}

template <class L, class Forward, class Count, class Type, class Rank, class Comm, class Handle>
int starting_exchange(const Function& function, const void* address, Forward forward, Count count,
                      Type type, Rank to, Rank tag, Rank from, Rank receive_tag, Comm comm,
                      const Handle* request) {
  return starting_both<L>(function, address, forward, count, type, to, tag, count, type, from,
                          receive_tag, comm, request);
}

/// Who was found by a probe.
template <class L, class Comm>
void add_probe(Call& call, Comm comm, const MPI_Status& status) {
  const Communicator& one = call.all().communicators.of(L::communicator(comm));
  Told told = arrived(call, &one, status);
  told.bytes = 0;
  call.add(told);
}

template <class L, class Forward, class Rank, class Comm, class Status>
int probing(const Function& function, const void* address, Forward forward, Rank, Rank, Comm comm,
            Status* status) {
  Call call(function, address);
  Statuses<L> here(call, status);
  const int error = forward(here.pointer());
  if (call) {
    call.over();
    add_probe<L>(call, comm, here.at(0));
  }
  return error;
}

template <class L, class Forward, class Rank, class Comm, class Status>
int probing_once(const Function& function, const void* address, Forward forward, Rank, Rank,
                 Comm comm, const int* flag, Status* status) {
  Call call(function, address);
  Statuses<L> here(call, status);
  const int error = forward(here.pointer());
  if (call) {
    call.over();
    if (*flag != 0)
      add_probe<L>(call, comm, here.at(0));
    else
      call.add();
  }
  return error;
}

template <class L, class Forward, class Rank, class Comm, class Handle, class Status>
int matching_once(const Function& function, const void* address, Forward forward, Rank, Rank,
                  Comm comm, const int* flag, const Handle* message, Status* status) {
  Call call(function, address);
  Statuses<L> here(call, status);
  const int error = forward(here.pointer());
  if (call) {
    call.over();
    if (*flag != 0) {
      Communicator& one = call.all().communicators.of(L::communicator(comm));
      const MPI_Status found = here.at(0);
      call.all().requests.match(L::message(*message), one, one.partner(found.MPI_SOURCE),
                                found.MPI_TAG);
      add_probe<L>(call, comm, found);
    } else {
      call.add();
    }
  }
  return error;
}

template <class L, class Forward, class Rank, class Comm, class Handle, class Status>
int matching(const Function& function, const void* address, Forward forward, Rank from, Rank tag,
             Comm comm, const Handle* message, Status* status) {
  const int found = 1;
  return matching_once<L>(function, address, forward, from, tag, comm, &found, message, status);
}

template <class L, class Forward, class Count, class Type, class Handle, class Status>
int receiving_matched(const Function& function, const void* address, Forward forward, Count, Type,
                      const Handle* message, Status* status) {
  Call call(function, address);
  const MPI_Message before = L::message(*message);
  Statuses<L> here(call, status);
  const int error = forward(here.pointer());
  if (call) {
    call.over();
    const auto matched = call.all().requests.take_matched(before);
    call.add(arrived(call, matched.communicator, here.at(0)));
  }
  return error;
}

template <class L, class Forward, class Count, class Type, class Handle, class RequestHandle>
int starting_matched(const Function& function, const void* address, Forward forward, Count count,
                     Type type, const Handle* message, const RequestHandle* request) {
  Call call(function, address);
  const MPI_Message before = L::message(*message);
  const int error = forward();
  if (call) {
    call.over();
    const auto matched = call.all().requests.take_matched(before);
    const std::uint16_t number =
        matched.communicator == nullptr ? std::uint16_t{0} : matched.communicator->number;
    const std::int64_t bytes = size<L>(count, type);
    Told told{bytes, matched.partner, matched.tag, 0, number, has_gaps<L>(count, type)};
    if (error == MPI_SUCCESS) {
      told.request = call.all().requests.next_number();
      call.all().requests.add(L::request(*request), {call.site(), matched.communicator, told,
                                                     Deed::start_receive, false});
    }
    call.add(told);
  }
  return error;
}

}  // namespace halocline
