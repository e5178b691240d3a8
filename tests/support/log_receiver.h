// Takes the log's messages while it lives.
#pragma once

#include <gtest/gtest.h>

#include "vkdispatch.h"

namespace vd::test {

class LogReceiver {
 public:
  explicit LogReceiver(vd_log_fn callback, void* user = nullptr, vd_log_level level = VD_LOG_WARNING) {
    EXPECT_EQ(vd_log_add(level, callback, user, nullptr, &receiver_), VD_OK) << vd_last_error();
  }
  LogReceiver(const LogReceiver&) = delete;
  LogReceiver& operator=(const LogReceiver&) = delete;
  ~LogReceiver() { remove(); }

  void remove() {
    if (receiver_ == 0) return;
    EXPECT_EQ(vd_log_remove(receiver_), VD_OK) << vd_last_error();
    receiver_ = 0;
  }

 private:
  vd_log_receiver receiver_ = 0;
};

}  // namespace vd::test
