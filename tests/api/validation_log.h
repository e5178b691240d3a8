// A log of what Vulkan's validation layer says during a test.
#pragma once

#include <mutex>
#include <string>
#include <string_view>

#include "support/log_receiver.h"
#include "vkdispatch.h"

namespace api {

// Takes what Vulkan's validation layer says while it lives, on whatever thread.
class ValidationLog {
 public:
  std::string text() {
    const std::lock_guard lock(mutex_);
    return text_;
  }

 private:
  static void receive(const vd_log_message* message, void* user) {
    if (std::string_view(message->text).find("Vulkan validation") == std::string_view::npos) return;
    auto& log = *static_cast<ValidationLog*>(user);
    const std::lock_guard lock(log.mutex_);
    log.text_ += message->text;
  }

  std::mutex mutex_;
  std::string text_;
  vd::test::LogReceiver receiver_{&receive, this};
};

}  // namespace api
