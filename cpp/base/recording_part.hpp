// The part of a record that one process makes: a JSON text and tables, in one row of bytes.
// `runtime/record/run_record_parts.py` joins the parts of all ranks.
#pragma once

#include <sched.h>

#include "recording.hpp"  // IWYU pragma: keep

namespace halocline {

/// A text as JSON, quotes included.
inline std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char letter : text) {
    const auto code = static_cast<unsigned char>(letter);
    if (letter == '"' || letter == '\\') {
      out += '\\';
      out += letter;
    } else if (code < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", code);
      out += escape;
    } else {
      out += letter;
    }
  }
  out += '"';
  return out;
}

/// The numbers of the processors that this process may use, as a list of JSON.
inline std::string allowed_processors() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return "[]";
  std::string found = "[";
  for (std::size_t at = 0; at < CPU_SETSIZE; ++at) {
    if (!CPU_ISSET(at, &allowed)) continue;
    if (found.size() > 1) found += ", ";
    found += std::to_string(at);
  }
  return found + "]";
}

/// What one call of the recorder takes [ns], measured on a recording of its own.
inline double recording_cost() {
  constexpr int calls = 4000;
  Recording some;
  const std::uint32_t region = some.region("cost", "send");
  const std::int64_t begin = now_ns();
  for (int at = 0; at < calls; ++at) {
    some.begin(region);
    some.end({8, 0});
  }
  return static_cast<double>(now_ns() - begin) / calls;
}

inline void Recording::keep_tail(std::int64_t now) {
  if (limits_.whole && written_ == ring_.size() && written_ <= limits_.kept) {
    const std::int64_t first_step = steps_ == 0 ? -1 : 0;
    kept_ = ring_;
    kept_spans_ = {{0, begin_, now, first_step, static_cast<std::uint32_t>(steps_)}};
    return;
  }
  if (steps_ == 0) {
    if (in_window_) keep(window_mark_, written_, window_begin_, now, -1);
    in_window_ = false;
    const std::uint64_t most = std::min<std::uint64_t>(limits_.window, ring_.size());
    const std::uint64_t first = written_ > most ? written_ - most : 0;
    if (first < written_ && first >= copied_)
      keep(first, written_, ring_[first % ring_.size()].begin, now, -1);
    return;
  }
  close_step(now);
  for (std::int64_t step = std::max<std::int64_t>(0, steps_ - limits_.tail_steps); step < steps_;
       ++step) {
    const Tail& one = tail_[static_cast<std::size_t>(step % most_tail)];
    const bool already = std::any_of(kept_spans_.begin(), kept_spans_.end(),
                                     [step](const SpanRow& span) { return span.step == step; });
    if (!already) keep(one.first, one.last, one.begin, one.end, step);
  }
}

inline void Recording::ended(std::int64_t end) {
  mutex_.unlock();
  looked_ = std::numeric_limits<std::int64_t>::max() - looking;
  std::int64_t last = written_ > 0 ? ring_[(written_ - 1) % ring_.size()].end : begin_;
  last = std::max({last, step_begin_, steady_begin_, steady_end_});
  for_each_thread([&last](const Thread& thread) {
    if (thread.call.region != no_region) last = std::max(last, thread.call.begin);
    if (!thread.open.empty()) last = std::max(last, thread.open.back().begin);
  });
  ended_ = std::max(end, last);
  for_each_thread([this](Thread& thread) {
    const Open call = thread.call;
    if (call.region != no_region) finish(thread, call.region, call.begin, ended_, 0, {});
    while (!thread.open.empty()) {
      const Open left = thread.open.back();
      thread.open.pop_back();
      finish(thread, left.region, left.begin, ended_, left.inside, {});
    }
  });
}

inline std::string Recording::part(std::uint32_t rank, std::uint32_t size, std::string_view about) {
  const std::lock_guard lock(mutex_);
  const std::int64_t end = ended_ != 0 ? ended_ : now_ns();
  if (stepping_) steady_end_ = end;
  keep_tail(end);
  std::string bytes;
  std::vector<std::pair<std::string, std::size_t>> tables;
  const auto put = [&bytes, &tables](const char* name, const auto& rows) {
    tables.emplace_back(name, rows.size());
    if (!rows.empty())
      bytes.append(reinterpret_cast<const char*>(rows.data()), rows.size() * sizeof(rows[0]));
  };
  std::vector<StatisticRow> statistics;
  for_each_thread([&](const Thread& thread) {
    for (std::size_t at = 0; at < thread.statistics.size(); ++at) {
      const Statistic& one = thread.statistics[at];
      if (one.calls == 0) continue;
      const auto period = static_cast<std::uint32_t>(steps_ == 0 && stage_ == 0 ? 1 : at % 3);
      statistics.push_back(
          {rank, thread.number, static_cast<std::uint32_t>(at / 3), period, one.calls,
           1e-9 * static_cast<double>(one.nanoseconds), 1e-9 * static_cast<double>(one.own),
           1e-9 * static_cast<double>(one.shortest), 1e-9 * static_cast<double>(one.longest),
           1e-18 * one.squares, one.bytes});
    }
  });
  std::vector<MessageRow> messages;
  for (const auto& [key, one] : messages_) {
    messages.push_back({rank, static_cast<std::int32_t>(key >> 32),
                        static_cast<std::uint32_t>(key >> 6 & 0x3ffffff),
                        static_cast<std::uint32_t>(key & 63), one.count, one.bytes,
                        1e-9 * static_cast<double>(one.nanoseconds)});
  }
  for (EventRow& event : kept_) event.rank = rank;
  for (SpanRow& span : kept_spans_) span.rank = rank;
  for (StepRow& row : rows_) row.rank = rank;
  put("events", kept_);
  put("statistics", statistics);
  put("messages", messages);
  put("steps", rows_);
  put("spans", kept_spans_);
  const std::string text = header(rank, size, about, end, tables);
  const auto length = static_cast<std::uint32_t>(text.size());
  std::string part = "HALOREC1";
  part.append(reinterpret_cast<const char*>(&length), sizeof length);
  return part + text + bytes;
}

inline std::string Recording::header(
    std::uint32_t rank, std::uint32_t size, std::string_view about, std::int64_t end,
    const std::vector<std::pair<std::string, std::size_t>>& tables) {
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  std::int64_t commonest = 0;
  for (const auto& [signature, count] : patterns_) commonest = std::max(commonest, count);
  std::string text = "{";
  const auto put = [&text](const char* name, const std::string& value) {
    if (text.size() > 1) text += ", ";
    text.append(quoted(name)).append(": ").append(value);
  };
  put("rank", std::to_string(rank));
  put("size", std::to_string(size));
  put("host", quoted(host));
  put("threads", std::to_string(std::max<std::size_t>(1, threads_.size())));
  put("begin", std::to_string(begin_));
  put("end", std::to_string(end));
  put("steady_begin", std::to_string(steps_ == 0 && stage_ == 0 ? begin_ : steady_begin_));
  put("steady_end", std::to_string(steps_ == 0 && stage_ != 2 ? end : steady_end_));
  const double cpu_seconds = seconds(used.ru_utime) + seconds(used.ru_stime);
  put("cpu_seconds", std::to_string(ended_ != 0 ? cpu_seconds_ : cpu_seconds));
  const bool known = ended_ == 0;
  const std::int64_t until =
      steps_ == 0 && stage_ != 2 ? (known ? processor_ns() : 0) : steady_processor_end_;
  const std::int64_t processor = until - steady_processor_begin_;
  put("steady_processor_seconds",
      known ? std::to_string(1e-9 * static_cast<double>(processor)) : "NaN");
  put("processors", allowed_processors());
  put("peak_memory", std::to_string(ended_ != 0 ? -1 : std::int64_t{1024} * used.ru_maxrss));
  put("recording_seconds", std::to_string(1e-9 * recording_cost() * static_cast<double>(calls_)));
  put("calls", std::to_string(calls_));
  put("ended", ended_ != 0 ? "true" : "false");
  put("steps", std::to_string(steps_));
  put("commonest_pattern", std::to_string(commonest));
  put("patterns", std::to_string(patterns_.size()));
  put("not_kept", std::to_string(not_kept_));
  const auto list = [](std::string& all, std::initializer_list<std::string> items) {
    all.append(all.size() > 1 ? ", [" : "[");
    bool first = true;
    for (const std::string& item : items) {
      if (!first) all.append(", ");
      all.append(item);
      first = false;
    }
    all.append("]");
  };
  std::string regions = "[", rows = "[";
  for (const Described& one : regions_)
    list(regions, {quoted(one.name), quoted(one.kind), quoted(one.site)});
  for (const auto& [name, count] : tables) list(rows, {quoted(name), std::to_string(count)});
  put("regions", regions.append("]"));
  put("tables", rows.append("]"));
  put("about", std::string(about));
  return text.append("}");
}

}  // namespace halocline
