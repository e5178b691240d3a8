#include "core/private_folder.h"

#include <fmt/format.h>

#include <cerrno>
#include <system_error>

#if !defined(_WIN32)
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

namespace vd::platform {

namespace fs = std::filesystem;

#if defined(_WIN32)
// The users that may write to a folder are not known here, so none is trusted.
PrivateFolder::File::~File() = default;
bool PrivateFolder::File::read(void*, size_t) const noexcept { return false; }
void PrivateFolder::File::mark_used() const noexcept {}
PrivateFolder::~PrivateFolder() = default;
PrivateFolder PrivateFolder::open(const fs::path&, std::string& why) {
  why = "cannot be checked on this system";
  return {};
}
PrivateFolder::File PrivateFolder::open_file(const std::string&) const noexcept { return {}; }
PrivateFolder::Made PrivateFolder::make_file(const std::string&,
                                             std::span<const std::span<const std::byte>>) const noexcept {
  return Made::Failed;
}
bool PrivateFolder::replace(const std::string&, const std::string&, const std::string&) const noexcept { return false; }
bool PrivateFolder::remove(const std::string&) const noexcept { return false; }
std::vector<PrivateFolder::Entry> PrivateFolder::files() const { return {}; }
#else

namespace {

std::chrono::system_clock::time_point time_of(const struct stat& status) {
#if defined(__APPLE__)
  const timespec& time = status.st_mtimespec;
#else
  const timespec& time = status.st_mtim;
#endif
  using namespace std::chrono;
  return system_clock::time_point(
      duration_cast<system_clock::duration>(seconds(time.tv_sec) + nanoseconds(time.tv_nsec)));
}

bool trusted(uid_t owner) { return owner == geteuid() || owner == 0; }
// With an access list, the group's bits are the most that it grants others.
bool others_write(const struct stat& status) { return (status.st_mode & (S_IWGRP | S_IWOTH)) != 0; }

// Also the parents, each for this user alone. 0, or why not.
int make_directories(const fs::path& path) {
  if (mkdir(path.c_str(), 0700) == 0 || errno == EEXIST) return 0;
  if (errno != ENOENT || !path.has_parent_path() || path.parent_path() == path) return errno;
  if (const int error = make_directories(path.parent_path()); error != 0) return error;
  return mkdir(path.c_str(), 0700) == 0 || errno == EEXIST ? 0 : errno;
}

bool is_lack_of_room(int error) { return error == ENOSPC || error == EDQUOT || error == EFBIG; }

std::string text_of(int error) { return std::generic_category().message(error); }

}  // namespace

PrivateFolder::File::~File() {
  if (handle_ >= 0) close(handle_);
}

bool PrivateFolder::File::read(void* to, size_t size) const noexcept {
  for (size_t done = 0; done < size;) {
    const ssize_t got = ::read(handle_, static_cast<char*>(to) + done, size - done);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    done += static_cast<size_t>(got);
  }
  return true;
}

void PrivateFolder::File::mark_used() const noexcept {
  if (std::chrono::system_clock::now() - written_ > std::chrono::minutes(1)) futimens(handle_, nullptr);
}

PrivateFolder::~PrivateFolder() {
  if (handle_ >= 0) close(handle_);
}

// Parent folders are not checked: a user who may rename them can put another folder of this user's here, but none of
// their own.
PrivateFolder PrivateFolder::open(const fs::path& named, std::string& why) {
  // A slash at the end would have the system look behind a link.
  const fs::path path = named.has_filename() ? named : named.parent_path();
  if (const int error = make_directories(path); error != 0) {
    why = fmt::format("cannot be made ({})", text_of(error));
    return {};
  }
  struct stat status;
  const bool link = lstat(path.c_str(), &status) == 0 && S_ISLNK(status.st_mode);
  if (link && !trusted(status.st_uid)) {
    why = fmt::format("is a link of another user (uid {})", status.st_uid);
    return {};
  }
  PrivateFolder folder;
  folder.handle_ = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | (link ? 0 : O_NOFOLLOW));
  if (!folder) {
    const int error = errno;
    why = link && error == ENOENT ? std::string("is a link to a folder that does not exist")
          : error == ENOTDIR      ? std::string("is not a folder")
                                  : fmt::format("cannot be opened ({})", text_of(error));
    return {};
  }
  if (fstat(folder.handle_, &status) != 0) {
    why = fmt::format("cannot be examined ({})", text_of(errno));
  } else if (!trusted(status.st_uid)) {
    why = fmt::format("belongs to another user (uid {})", status.st_uid);
  } else if (others_write(status)) {
    why = fmt::format("may be written by others (mode {:04o}; chmod go-w repairs that)", status.st_mode & 07777u);
  } else {
    return folder;
  }
  return {};
}

PrivateFolder::File PrivateFolder::open_file(const std::string& name) const noexcept {
  File file;
  // A pipe of this name must not hold its reader.
  file.handle_ = openat(handle_, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  struct stat status;
  if (!file || fstat(file.handle_, &status) != 0) return {};
  if (!S_ISREG(status.st_mode) || !trusted(status.st_uid) || others_write(status)) return {};
  file.size_ = static_cast<uint64_t>(status.st_size);
  file.written_ = time_of(status);
  return file;
}

PrivateFolder::Made PrivateFolder::make_file(const std::string& name,
                                             std::span<const std::span<const std::byte>> parts) const noexcept {
  const int handle = openat(handle_, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (handle < 0) return errno == EEXIST ? Made::Exists : is_lack_of_room(errno) ? Made::NoRoom : Made::Failed;
  int error = 0;
  for (const auto& part : parts) {
    for (size_t done = 0; error == 0 && done < part.size();) {
      const ssize_t put = ::write(handle, part.data() + done, part.size() - done);
      if (put > 0) {
        done += static_cast<size_t>(put);
      } else if (put == 0 || errno != EINTR) {
        error = put == 0 ? ENOSPC : errno;
      }
    }
  }
  // A file system of the network or with quotas may say it here alone.
  if (close(handle) != 0 && error == 0) error = errno;
  if (error == 0) return Made::Whole;
  remove(name);
  return is_lack_of_room(error) ? Made::NoRoom : Made::Failed;
}

bool PrivateFolder::replace(const std::string& from, const std::string& to, const std::string& aside) const noexcept {
  if (renameat(handle_, from.c_str(), handle_, to.c_str()) == 0) return true;
  if (errno != EISDIR) return false;
  if (unlinkat(handle_, to.c_str(), AT_REMOVEDIR) != 0 && renameat(handle_, to.c_str(), handle_, aside.c_str()) != 0) {
    return false;
  }
  return renameat(handle_, from.c_str(), handle_, to.c_str()) == 0;
}

bool PrivateFolder::remove(const std::string& name) const noexcept { return unlinkat(handle_, name.c_str(), 0) == 0; }

std::vector<PrivateFolder::Entry> PrivateFolder::files() const {
  std::vector<Entry> found;
  const int handle = openat(handle_, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);  // with a position of its own
  DIR* listing = handle >= 0 ? fdopendir(handle) : nullptr;
  if (listing == nullptr) {
    if (handle >= 0) close(handle);
    return found;
  }
  while (const dirent* entry = readdir(listing)) {
    struct stat status;  // another process may remove the file meanwhile
    if (fstatat(handle_, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(status.st_mode)) continue;
    found.push_back({entry->d_name, static_cast<uint64_t>(status.st_size), time_of(status)});
  }
  closedir(listing);
  return found;
}
#endif

}  // namespace vd::platform
