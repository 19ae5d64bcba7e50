// What is told of a rank besides its recording, in memory that outlives the process.
#pragma once

#include <atomic>

#include "recording.hpp"

namespace halocline {

struct Story {
  explicit Story(Recording& one) : recording(one) {}

  Recording& recording;
  int rank = 0, size = 1;
  LastingString facts;          ///< members of a JSON object
  LastingString communicators;  ///< rows of a JSON list, as are the next
  LastingString clock, notes;
  std::atomic<int> signal{0};              ///< the last one that came
  std::atomic<std::int64_t> signalled{0};  ///< when it came [ns]

  void note(const std::string& words) {
    notes.append(notes.empty() ? "" : ", ").append(quoted(words));
  }

  /// The text of the rank's part.
  std::string about() const {
    const std::string_view first = clock;
    std::string text = "{";
    text.append(facts).append(", \"communicators_of_rank\": [").append(communicators).append("]");
    text.append(", \"signal\": ").append(std::to_string(signal));
    if (!first.empty()) {
      const bool once = first.find("], [") == std::string_view::npos;
      text.append(", \"clock\": [").append(first).append(once ? ", " : "");
      text.append(once ? first : "").append("]");
    }
    return text.append(", \"notes\": [").append(notes).append("]}");
  }

  bool write(const std::string& path) const {
    return recording.write(path, static_cast<std::uint32_t>(rank), static_cast<std::uint32_t>(size),
                           about());
  }
};

}  // namespace halocline
