// Recording begins with MPI_Init (or the first session) and ends with MPI_Finalize.
#pragma once

#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <string_view>

#include "clocks.hpp"
#include "collectives.hpp"
#include "dying.hpp"
#include "sampling.hpp"

namespace halocline {

/// One program's life with MPI.
struct Life {
  Recorder* all = nullptr;
  int opened = 0;  ///< MPI_Init and sessions that are not closed
  pid_t process = 0;
  std::int64_t identity = 0;  ///< of the program on all ranks
  std::string version;
  std::string left;  ///< the file that the recording is kept in; "": it is in no file
  bool has_world = false;
  Clocks clocks;
};

inline Life life;
inline std::mutex life_mutex;

inline void say(const std::string& words) {
  std::fprintf(stderr, "halocline lab record: %s\n", words.c_str());
}

inline std::size_t from_environment(const char* name, std::size_t otherwise) {
  const char* const text = std::getenv(name);
  return text != nullptr && *text != '\0' ? std::strtoull(text, nullptr, 10) : otherwise;
}

/// How many events a rank keeps: as told, else fewer where there are many ranks.
inline std::size_t most_events(std::size_t size) {
  constexpr std::size_t each = 1 << 16, all_ranks = 1 << 22, least = 1 << 12;
  return from_environment("HALOCLINE_RECORD_EVENTS",
                          std::max(least, std::min(each, all_ranks / size)));
}

/// What a recording and its story are made in, if that can be: a file beside the parts.
inline void map_memory() {
  std::array<char, 320> name{};
  gethostname(name.data(), 256);
  life.left = std::string(std::getenv("HALOCLINE_RECORDING")) + "/starting-" + name.data() + "." +
              std::to_string(getpid()) + ".left";
  mapped_memory = MappedMemory::create(life.left);
  if (mapped_memory == nullptr) life.left.clear();
}

template <class T, class... Arguments>
T* made_lasting(Arguments&&... arguments) {
  return new (Lasting<T>().allocate(1)) T(std::forward<Arguments>(arguments)...);
}

inline Recorder* new_recorder() {
  RecordingLimits limits;
  limits.whole = true;
  map_memory();
  auto& recording = *made_lasting<Recording>(limits);
  auto* const all = new Recorder(recording, *made_lasting<Story>(recording));
  all->threads = from_environment("HALOCLINE_RECORD_THREADS", 1) != 0;
  return all;
}

inline bool library_fits(const std::string& version) {
#if defined(OMPI_MAJOR_VERSION)
  const std::string wanted = "Open MPI v" + std::to_string(OMPI_MAJOR_VERSION) + ".";
#elif defined(I_MPI_VERSION)
  const std::string wanted = "Intel(R) MPI";
#elif defined(MPICH_VERSION)
  const std::string wanted = "MPICH";
#else
  const std::string wanted;
#endif
  if (version.find(wanted) != std::string::npos) return true;
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"}) {
    const char* const rank = std::getenv(name);
    if (rank != nullptr && std::string_view(rank) != "0") return false;  // rank 0 says it for all
  }
  say("the program runs with '" + version + "', the recorder was built for '" + wanted +
      "'. Name the mpicc of the program's MPI with --mpicc. Nothing is recorded.");
  return false;
}

/// Make the names of the MPI library known to all, and load what needs them.
inline bool find_handles(Handles& handles) {
  Dl_info info;
  void* const function = next_or_end("PMPI_Get_library_version", nullptr);
  if (dladdr(function, &info) != 0) dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_GLOBAL);
  if (dladdr(own_object(), &info) == 0) return false;
  std::string path = info.dli_fname;
  path = path.substr(0, path.rfind('/') + 1) + "handles.so";
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* const fill = library != nullptr ? dlsym(library, "halocline_handles") : nullptr;
  if (fill == nullptr) {
    say(std::string("the constants of MPI cannot be read (") + dlerror() +
        "). Nothing is recorded.");
    return false;
  }
  reinterpret_cast<void (*)(Handles*)>(fill)(&handles);
  return true;
}

/// The places that Fortran passes for MPI_IN_PLACE and ignored statuses.
inline void find_fortran(Recorder& all) {
  const auto place = [](const char* name, std::vector<const void*>& list) {
    if (const void* const found = dlsym(RTLD_DEFAULT, name)) list.push_back(found);
  };
  const auto content = [](const char* name, std::vector<const void*>& list) {
    const void* const found = dlsym(RTLD_DEFAULT, name);
    if (found != nullptr) list.push_back(*static_cast<void* const*>(found));
  };
  for (const char* ending : {"", "_", "__"}) {
    const std::string end = ending;
    place(("mpi_fortran_in_place" + end).c_str(), all.in_place);
    place(("mpi_fortran_status_ignore" + end).c_str(), all.ignored_status);
    place(("mpi_fortran_statuses_ignore" + end).c_str(), all.ignored_status);
  }
  content("MPIR_F_MPI_IN_PLACE", all.in_place);
  place("MPIR_F08_MPI_IN_PLACE", all.in_place);
  for (const char* name : {"MPI_F_STATUS_IGNORE", "MPI_F_STATUSES_IGNORE", "MPI_F08_STATUS_IGNORE",
                           "MPI_F08_STATUSES_IGNORE"})
    content(name, all.ignored_status);
}

inline std::string library_version() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING + 1> text{};
  int length = 0;
  pmpi::Get_library_version(text.data(), &length);
  const std::string all = text.data();
  std::string first = all.substr(0, all.find('\n'));
  for (char& letter : first) letter = letter == '\t' ? ' ' : letter;
  return first;
}

/// What one wrapped call takes besides the recorder's own part [ns].
inline double wrapping_cost(Recorder& all, const Function& function, const void* address) {
  constexpr int calls = 2000;
  std::int64_t total = 0;
  inside = false;
  const std::int64_t begin = now_ns();
  for (int at = 0; at < calls; ++at) {
    Call call(function, address);
    call.over();
    total += all.recording.calls();
  }
  const std::int64_t end = now_ns();
  inside = true;
  return total < 0 ? 0.0 : static_cast<double>(end - begin) / calls;
}

/// The words that started the program, as JSON.
inline std::string arguments() {
  std::ifstream file("/proc/self/cmdline");
  std::string all = "[", word;
  while (std::getline(file, word, '\0')) all += (all.size() > 1 ? ", " : "") + quoted(word);
  return all + "]";
}

inline void note_clock(Story& story, const ClockOffset& found) {
  story.clock.append(story.clock.empty() ? "[" : ", [");
  story.clock.append(std::to_string(found.time) + ", " + std::to_string(found.offset) + "]");
}

/// Begin to record; `group` is that of all ranks.
inline void start_recording(Recorder* all, MPI_Group group) {
  Story& story = all->story;
  pmpi::Group_rank(group, &story.rank);
  pmpi::Group_size(group, &story.size);
  all->recording.keep_at_most(most_events(static_cast<std::size_t>(story.size)));
  life.process = getpid();
  life.all = all;
  all->communicators.start(group, story.communicators);
  find_fortran(*all);
  life.identity = now_ns() ^ (static_cast<std::int64_t>(life.process) << 40);
  if (life.has_world) {
    all->communicators.of(all->handles.world);
    life.clocks.start(all->handles, story.rank, story.size);
    life.identity = life.clocks.agree(life.identity);
    if (!life.clocks.one_clock()) note_clock(story, life.clocks.compare());
  } else {
    const char* const job = std::getenv("PMIX_NAMESPACE");
    life.identity = static_cast<std::int64_t>(std::hash<std::string>{}(job != nullptr ? job : ""));
    story.note("The program uses sessions and not MPI_Init: clocks of nodes were not compared.");
  }
  recorder.store(all, std::memory_order_release);
}

/// The folder of the parts of this program.
inline std::string program_folder() {
  std::array<char, 64> name{};
  std::snprintf(name.data(), name.size(), "/%016llx",
                static_cast<unsigned long long>(life.identity));
  return std::string(std::getenv("HALOCLINE_RECORDING")) + name.data();
}

/// The path of this rank's part, without its ending.
inline std::string part_path(const Story& story) {
  std::array<char, 64> name{};
  std::snprintf(name.data(), name.size(), "/rank-%08d", story.rank);
  return program_folder() + name.data();
}

/// Tell what is known from the begin on, and give what is left if this process dies its name.
inline void tell_facts(Recorder& all, const Function& function, const void* address) {
  Story& story = all.story;
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  story.facts.append("\"arguments\": ").append(arguments());
  story.facts.append(", \"mpi\": ").append(quoted(life.version));
  story.facts.append(", \"host\": ").append(quoted(host.data()));
  story.facts.append(", \"pid\": ").append(std::to_string(life.process));
  story.facts.append(", \"wrapping_ns\": ");
  story.facts.append(std::to_string(wrapping_cost(all, function, address)));
  mkdir(program_folder().c_str(), 0777);
  const std::string path = part_path(story) + "." + std::to_string(life.process) + ".left";
  if (mapped_memory == nullptr || std::rename(life.left.c_str(), path.c_str()) != 0) return;
  life.left = path;
  mapped_memory->root = &story;
}

/// Write this rank's part; it has its name when it is whole.
inline void write_part() {
  const std::lock_guard lock(life_mutex);
  Recorder* const all = life.all;
  if (all == nullptr || life.process != getpid()) return;
  life.all = nullptr;
  all->sites.python.forget();
  inside = false;
  recorder.store(nullptr);
  const std::string sampled = samples().stop();
  if (!sampled.empty()) all->story.facts.append(", \"samples\": ").append(sampled);
  const std::string path = part_path(all->story);
  if (all->story.write(path + ".growing") &&
      std::rename((path + ".growing").c_str(), (path + ".part").c_str()) == 0)
    unlink(life.left.c_str());
  else
    say("rank " + std::to_string(all->story.rank) + " cannot write '" + path + ".part' (" +
        std::strerror(errno) + ").");
}

/// The first opening of MPI: what `forward` does, then recording begins.
template <class Forward, class GroupOf>
int opening(const Function& function, const void* address, Forward forward, GroupOf group_of) {
  if (inside || std::getenv("HALOCLINE_RECORDING") == nullptr) return forward();
  inside = true;
  const std::lock_guard lock(life_mutex);
  Recorder* const all = life.all != nullptr ? life.all : new_recorder();
  const std::int64_t begin = now_ns();
  const int error = forward();
  if (error == MPI_SUCCESS) ++life.opened;
  if (error == MPI_SUCCESS && life.all == nullptr) {
    life.version = library_version();
    if (library_fits(life.version) && find_handles(all->handles)) {
      start_recording(all, group_of(all->handles));
      tell_facts(*all, function, address);
      watch();
      const std::size_t interval = from_environment("HALOCLINE_RECORD_SAMPLE", 0);
      const std::size_t most = from_environment("HALOCLINE_RECORD_SAMPLES", std::size_t{1} << 17);
      if (interval > 0 && !samples().start(static_cast<std::int64_t>(interval), most))
        all->story.note("The program uses SIGPROF itself: it was not sampled.");
    } else {
      unlink(life.left.c_str());
    }
  }
  if (life.all != nullptr) {
    const std::uint32_t region = all->sites.of(function, address)->region(all->recording);
    all->recording.add(region, begin, now_ns());
    all->recording.steady_begins();
  }
  inside = false;
  return error;
}

template <class L, class Forward>
int initialising(const Function& function, const void* address, Forward forward) {
  return opening(function, address, forward, [](const Handles& handles) {
    MPI_Group group;
    pmpi::Comm_group(handles.world, &group);
    life.has_world = true;
    return group;
  });
}

template <class L, class Forward, class Session>
int opening_session(const Function& function, const void* address, Forward forward,
                    [[maybe_unused]] const Session* session) {
#ifdef HALOCLINE_HAS_SESSIONS
  if constexpr (std::is_same_v<L, C>) {
    return opening(function, address, forward, [session](const Handles&) {
      MPI_Group group;
      pmpi::Group_from_session_pset(*session, "mpi://WORLD", &group);
      return group;
    });
  }
#endif
  return forward();
}

/// The last closing of MPI: the clocks are compared again, and the part is written.
template <class Forward>
int closing(const Function& function, const void* address, Forward forward, bool of_world) {
  if (inside || life.all == nullptr) return forward();
  Recorder* const all = life.all;
  inside = true;
  if (life.opened == 1) all->recording.steady_ends();
  const std::int64_t begin = now_ns();
  if (of_world) {
    if (!life.clocks.one_clock()) note_clock(all->story, life.clocks.compare());
    life.clocks.end();
  }
  const std::uint32_t region = all->sites.of(function, address)->region(all->recording);
  const int error = forward();
  all->recording.add(region, begin, now_ns());
  inside = false;
  if (--life.opened == 0) write_part();
  return error;
}

template <class L, class Forward>
int finalising(const Function& function, const void* address, Forward forward) {
  return closing(function, address, forward, true);
}

template <class L, class Forward>
int closing_session(const Function& function, const void* address, Forward forward) {
  return closing(function, address, forward, false);
}

/// The program cannot come to MPI_Finalize any more.
inline void end_early(const std::string& why) {
  if (life.all == nullptr) return;
  Story& story = life.all->story;
  story.note("Rank " + std::to_string(story.rank) + " " + why + ".");
  write_part();
}

template <class L, class Forward>
int aborting(const Function&, const void*, Forward forward) {
  end_early("called MPI_Abort");
  return forward();
}

__attribute__((destructor)) inline void process_ends() { end_early("ended without MPI_Finalize"); }

}  // namespace halocline
