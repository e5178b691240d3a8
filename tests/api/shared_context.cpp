#include "api/shared_context.h"

#include <map>
#include <thread>
#include <tuple>

#include "api/validation_log.h"

namespace api {
namespace {

using Wish = std::tuple<vd_backend, vd_context_flags, uint32_t>;

std::map<Wish, Context>& contexts() {
  static std::map<Wish, Context> all;
  return all;
}

class Sharing : public testing::EmptyTestEventListener {
  void OnTestEnd(const testing::TestInfo& test) override {
    std::erase_if(contexts(), [&](const auto& one) {
      const std::string left = left_behind(one.second, std::chrono::seconds(20));
      EXPECT_EQ(left, "") << "in a context that tests share";
      return !left.empty() || test.result()->Failed();
    });
  }
  // Before the check for leaks.
  void OnEnvironmentsTearDownStart(const testing::UnitTest&) override {
    ValidationLog validation;
    contexts().clear();
    EXPECT_EQ(validation.text(), "") << "while contexts closed that tests share";
  }
};

[[maybe_unused]] const bool kListens = [] {
  testing::UnitTest::GetInstance()->listeners().Append(new Sharing);
  return true;
}();

}  // namespace

std::string left_behind(vd_context* ctx, std::chrono::seconds patience) {
  const auto end = std::chrono::steady_clock::now() + patience;
  const auto nanoseconds = std::chrono::duration_cast<std::chrono::nanoseconds>(patience).count();
  const vd_status status = vd_context_wait_idle(ctx, VD_QUEUE_ALL, static_cast<uint64_t>(nanoseconds));
  if (status < 0) return std::string("a failure: ") + vd_last_error();
  if (status == VD_TIMEOUT) return "work that does not end";
  vd_context_info info = VD_CONTEXT_INFO_INIT;
  for (;;) {
    if (vd_context_get_info(ctx, &info) != VD_OK) return vd_last_error();
    if (info.lost != 0) return "a lost device";
    if (info.memory_in_use == 0) return "";
    if (std::chrono::steady_clock::now() >= end) return std::to_string(info.memory_in_use) + " bytes of memory";
    std::this_thread::yield();
  }
}

Context shared_context(vd_backend backend, vd_context_flags flags, uint32_t queues) {
  const Wish wish{backend, flags, queues};
  if (const auto found = contexts().find(wish); found != contexts().end()) {
    vd_context* shared = found->second;
    vd_context_retain(shared);
    return Context(shared);
  }
  vd_context_desc desc = VD_CONTEXT_DESC_INIT;
  desc.backend = backend;
  desc.flags = flags | VD_CONTEXT_USE_CPU;
  desc.device_count = 1;
  desc.queue_counts = &queues;
  Context ctx;
  const vd_status status = vd_context_create(&desc, ctx.out());
  if (status != VD_OK) {
    EXPECT_TRUE(status == VD_ERR_UNAVAILABLE || (queues > 1 && status == VD_ERR_UNSUPPORTED))
        << vd_status_name(status) << ": " << vd_last_error();
    return ctx;
  }
  vd_context_retain(ctx);
  contexts().emplace(wish, Context(static_cast<vd_context*>(ctx)));
  return ctx;
}

}  // namespace api
