// Calls of the operating system: shared libraries, environment, directories, processes and threads. Folders that only
// this user can write are in private_folder.h.
#pragma once

#ifndef _WIN32
#include <csignal>
#endif
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>

namespace vd::platform {

// An environment variable; one that is set to nothing counts as not set. A process with more rights than its caller
// (set-uid, file capabilities) has none: they name libraries to load and folders to trust.
std::optional<std::string> environment(const char* name);

// A shared library that is found at run time. Closed by the destructor.
class Library {
 public:
  Library() noexcept = default;
  Library(Library&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Library& operator=(Library&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Library();

  // Opens the first of `names` that there is. On failure the result is empty and `why` holds the loader's reasons.
  static Library open(std::initializer_list<const char*> names, std::string* why = nullptr);
  static Library open(const std::string& name, std::string* why = nullptr);

  explicit operator bool() const noexcept { return handle_ != nullptr; }
  void* symbol(const char* name) const noexcept;  // null if it has none
  template <class F>
  bool get(F& function, const char* name) const noexcept {
    function = reinterpret_cast<F>(symbol(name));
    return function != nullptr;
  }

 private:
  void* handle_ = nullptr;
};

// The directory in which a user's programs keep files that can be made again; "" if there is none.
std::filesystem::path user_cache_directory();
uint64_t process_id() noexcept;
// Whether the calling thread began with the process; false where that cannot be known.
bool on_main_thread() noexcept;
// A number of the calling thread that no other has while it runs: the system's, which debuggers and languages know.
uint32_t thread_id() noexcept;

// Processors that this process may use, at least 1.
uint32_t processor_count() noexcept;
// Bytes of main memory that this process may use: the machine's, or less if a control group of Linux (a container's)
// limits it; 0 if unknown. Read anew each time, below `root`.
uint64_t memory_size(const std::filesystem::path& root = "/") noexcept;
// File descriptors; -1 where there is none such, or where the system has none.
int copy_descriptor(int descriptor) noexcept;
void close_descriptor(int descriptor) noexcept;
// Bytes of a page of memory.
uint64_t page_size() noexcept;
// Whether memory of the process has its pages already, by a look at three of them; true where that cannot be known.
bool has_pages(const void* data, uint64_t size) noexcept;
// Gives memory that is about to be written its pages, at less than a fault for each; without effect where that is not
// possible.
void make_pages(void* data, uint64_t size) noexcept;
// Names the calling thread in debuggers; at most 15 characters are kept.
void name_thread(const char* name) noexcept;

// While one lives, the thread that made it gets no signals of others, and neither do threads that it starts then.
class BlockedSignals {
 public:
  BlockedSignals() noexcept;
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;
  ~BlockedSignals();

 private:
#ifndef _WIN32
  sigset_t before_;
#endif
};

// While one lives, sleeps of the thread that made it end as soon as their time is over. Linux lets them go on for up to
// 50 us more otherwise, so that processors wake up less often.
class PreciseSleep {
 public:
  PreciseSleep() noexcept;
  PreciseSleep(const PreciseSleep&) = delete;
  PreciseSleep& operator=(const PreciseSleep&) = delete;
  ~PreciseSleep();

 private:
  int slack_ns_ = 0;  // the thread's own; 0: nothing to restore
};

}  // namespace vd::platform
