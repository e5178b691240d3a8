// A turn on the device among processes that measure side by side: while one of them compiles, another measures.
#pragma once

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <stdexcept>
#include <string>

namespace bench {

class Turn {
 public:
  // Waits for the lock of a file. Empty: there are no others.
  explicit Turn(const std::string& path) {
    if (path.empty()) return;
    file_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (file_ < 0 || ::flock(file_, LOCK_EX) != 0) throw std::runtime_error(path + " cannot be locked");
  }
  // Closing it gives the lock back.
  ~Turn() {
    if (file_ >= 0) ::close(file_);
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  int file_ = -1;
};

}  // namespace bench
