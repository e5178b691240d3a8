// The one place that calls the operating system: shared libraries, environment, directories, processes and threads.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

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

// Where a user's programs keep what can be made again; "" if there is no such place.
std::filesystem::path user_cache_directory();
uint64_t process_id() noexcept;

// A folder of this user's or of root's that nobody else may write to, so that its files can be believed. It is held
// open: what happens to its path afterwards does not lead elsewhere, and no file in it is reached through a link.
class PrivateFolder {
 public:
  struct Entry {
    std::string name;
    uint64_t size;
    std::chrono::system_clock::time_point used;
  };
  class File {
   public:
    File() noexcept = default;
    File(File&& other) noexcept
        : handle_(std::exchange(other.handle_, -1)), size_(other.size_), written_(other.written_) {}
    File& operator=(File&&) = delete;
    ~File();
    explicit operator bool() const noexcept { return handle_ >= 0; }
    uint64_t size() const noexcept { return size_; }
    bool read(void* to, size_t size) const noexcept;  // the next `size` bytes, all of them
    void mark_used() const noexcept;                  // its time becomes now; at most once a minute, to spare the disk

   private:
    friend class PrivateFolder;
    int handle_ = -1;
    uint64_t size_ = 0;
    std::chrono::system_clock::time_point written_;
  };

  PrivateFolder() noexcept = default;
  PrivateFolder(PrivateFolder&& other) noexcept : handle_(std::exchange(other.handle_, -1)) {}
  PrivateFolder& operator=(PrivateFolder&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~PrivateFolder();

  // Opens `path`, and makes it and its parents where they are missing. On failure the result is empty and `why` a
  // sentence's end ("belongs to another user (uid 7)"). A link is followed if it is this user's or root's.
  static PrivateFolder open(const std::filesystem::path& path, std::string& why);
  explicit operator bool() const noexcept { return handle_ >= 0; }

  // A file of this user's or of root's that nobody else may write to; empty if there is none.
  File open_file(const std::string& name) const noexcept;
  // Makes a file for this user alone. False, and no file, on failure; `exists`: since something has the name.
  bool make_file(const std::string& name, std::span<const std::span<const std::byte>> parts,
                 bool& exists) const noexcept;
  // Puts `from` in the place of `to` in one step, so that nobody sees half a file. A folder called `to` is removed if
  // it is empty, else renamed to `aside`. False on failure.
  bool replace(const std::string& from, const std::string& to, const std::string& aside) const noexcept;
  bool remove(const std::string& name) const noexcept;
  std::vector<Entry> files() const;

 private:
  int handle_ = -1;
};

// Processors that this process may use, at least 1.
uint32_t processor_count() noexcept;
// Bytes of main memory that this process may have: the machine's, or less where a control group of Linux (a
// container's) says so; 0 where unknown. Read anew each time, below `root`.
uint64_t memory_size(const std::filesystem::path& root = "/") noexcept;
// Names the calling thread in debuggers; at most 15 characters are kept.
void name_thread(const char* name) noexcept;

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
