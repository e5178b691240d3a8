// Folders whose files can be trusted, since no other user may write to them. Like platform.h, this file calls the
// operating system.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace vd::platform {

// A folder of this user's or of root's that no other user may write to, so that its files can be trusted. It is held
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

  // A file of this user's or of root's that no other user may write to; empty if there is none.
  File open_file(const std::string& name) const noexcept;
  // The outcome of making a file.
  enum class Made {
    Whole,
    Exists,  // something else has the name
    NoRoom,  // on the disk, or by a quota or a limit of the process
    Failed   // for another reason
  };
  // Makes a file for this user alone.
  Made make_file(const std::string& name, std::span<const std::span<const std::byte>> parts) const noexcept;
  // Puts `from` in the place of `to` in one step, so that no process sees half a file. A folder called `to` is removed
  // if it is empty, else renamed to `aside`. False on failure.
  bool replace(const std::string& from, const std::string& to, const std::string& aside) const noexcept;
  bool remove(const std::string& name) const noexcept;
  std::vector<Entry> files() const;

 private:
  int handle_ = -1;
};

}  // namespace vd::platform
