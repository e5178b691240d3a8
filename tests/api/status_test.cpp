#include <atomic>
#include <chrono>
#include <thread>

#include "api/support.h"

namespace {

TEST(Version, IsTheHeaders) {
  EXPECT_EQ(vd_version(), VD_VERSION_MAJOR * 1000000u + VD_VERSION_MINOR * 1000u + VD_VERSION_PATCH);
}

TEST(Status, HasNames) {
  EXPECT_STREQ(vd_status_name(VD_ERR_WOULD_BLOCK), "VD_ERR_WOULD_BLOCK");
  EXPECT_STREQ(vd_status_name(VD_ERR_KERNEL), "VD_ERR_KERNEL");
  EXPECT_STREQ(vd_status_name(static_cast<vd_status>(1000)), "VD_STATUS_UNKNOWN");
}

TEST(LastError, NamesTheFunctionAndStaysThroughSuccess) {
  EXPECT_FAILS(vd_log_set_level(static_cast<vd_log_level>(9)), VD_ERR_INVALID,
               "vd_log_set_level: level (9) is not between 0 and 4.");
  EXPECT_OK(vd_log_set_level(VD_LOG_WARNING));
  EXPECT_STREQ(vd_last_error(), "vd_log_set_level: level (9) is not between 0 and 4.");
  std::thread([] { EXPECT_STREQ(vd_last_error(), ""); }).join();
}

TEST(Log, GoesToItsReceivers) {
  api::Log log;
  EXPECT_OK(vd_log_write(VD_LOG_ERROR, "50% %s {}"));
  EXPECT_OK(vd_log_write(VD_LOG_INFO, "quiet"));
  EXPECT_OK(vd_log_set_level(VD_LOG_INFO));  // of standard error
  EXPECT_EQ(vd_log_get_level(), VD_LOG_INFO);
  EXPECT_OK(vd_log_write(VD_LOG_INFO, "still quiet"));
  EXPECT_OK(vd_log_set_level(VD_LOG_WARNING));
  EXPECT_EQ(log.lines, (std::vector<std::string>{"50% %s {}"}));
}

TEST(Log, RefusesWhatIsNoReceiver) {
  const vd_log_fn callback = [](const vd_log_message*, void*) {};
  vd_log_receiver receiver = 7;
  EXPECT_FAILS(vd_log_add(static_cast<vd_log_level>(9), callback, nullptr, nullptr, &receiver), VD_ERR_INVALID,
               "vd_log_add: level (9) is not between 0 and 4.");
  EXPECT_EQ(receiver, 0u);
  EXPECT_FAILS(vd_log_add(VD_LOG_INFO, nullptr, nullptr, nullptr, &receiver), VD_ERR_INVALID,
               "vd_log_add: callback is NULL.");
  EXPECT_FAILS(vd_log_remove(0), VD_ERR_INVALID, "vd_log_remove: receiver (0) is unknown or was removed before.");
  ASSERT_OK(vd_log_add(VD_LOG_INFO, callback, nullptr, nullptr, &receiver));
  EXPECT_OK(vd_log_remove(receiver));
  EXPECT_EQ(vd_log_remove(receiver), VD_ERR_INVALID) << "the same one twice";
}

TEST(Log, RemovingOnceMoreWaitsForTheCallback) {
  struct Shared {
    vd_log_receiver receiver = 0;
    std::atomic<bool> removed{false};
    std::atomic<bool> asked{false};
    std::atomic<bool> ended{false};
  } shared;
  const vd_log_fn callback = [](const vd_log_message*, void* user) {
    auto& s = *static_cast<Shared*>(user);
    EXPECT_EQ(vd_log_remove(s.receiver), VD_OK);  // in a callback: does not wait
    s.removed = true;
    s.removed.notify_all();
    s.asked.wait(false);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // time in which a call that does not wait returns
    s.ended = true;
  };
  ASSERT_OK(vd_log_add(VD_LOG_INFO, callback, &shared, nullptr, &shared.receiver));
  std::thread writer([] { EXPECT_OK(vd_log_write(VD_LOG_INFO, "one")); });
  shared.removed.wait(false);
  shared.asked = true;
  shared.asked.notify_all();
  EXPECT_EQ(vd_log_remove(shared.receiver), VD_ERR_INVALID);
  EXPECT_TRUE(shared.ended);
  writer.join();
  EXPECT_EQ(vd_log_remove(shared.receiver), VD_ERR_INVALID);
}

TEST(Loading, TheLibraryTellsItsPromise) { EXPECT_EQ(vd_abi(), static_cast<uint32_t>(VD_ABI)); }

[[noreturn]] void set_options() {
  bool right = vd_option_set("colour", "red") == VD_ERR_INVALID;
  right &= std::string(vd_last_error()).starts_with("vd_option_set: name (\"colour\") is not one of backend, device, ");
  right &= vd_option_set("backend", "gpu") == VD_ERR_INVALID;
  right &= std::string(vd_last_error()) ==
           "vd_option_set: value (\"gpu\") of option \"backend\" is not one of cuda, dummy, host, opencl, vulkan.";
  right &= vd_option_set("backend", "dummy") == VD_OK;
  vd_context* ctx = nullptr;
  right &= vd_context_create(nullptr, &ctx) == VD_OK;
  vd_context_info info = VD_CONTEXT_INFO_INIT;
  right &= vd_context_get_info(ctx, &info) == VD_OK && info.backend == VD_BACKEND_DUMMY;
  vd_context_release(ctx);
  right &= vd_option_set("backend", nullptr) == VD_ERR_STATE;
  right &= std::string(vd_last_error()) ==
           "vd_option_set: option \"backend\" is in use already; set it before its first use.";
  right &= vd_option_set("nvrtc", nullptr) == VD_OK;
  if (!right) std::fprintf(stderr, "%s\n", vd_last_error());
  std::exit(right ? 0 : 1);
}

// Options are set before anything reads them, so this runs in a process of its own.
TEST(OptionDeathTest, AreSetBeforeTheirFirstUse) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(set_options(), testing::ExitedWithCode(0), "");
}

TEST(Log, RefusesWhatIsNoLevel) {
  EXPECT_FAILS(vd_log_write(VD_LOG_OFF, "x"), VD_ERR_INVALID, "vd_log_write: level (4) is not between 0 and 3.");
  EXPECT_FAILS(vd_log_write(VD_LOG_ERROR, nullptr), VD_ERR_INVALID, "vd_log_write: message is NULL.");
}

TEST(Release, TakesNull) {
  vd_blob_retain(nullptr), vd_blob_release(nullptr);
  vd_context_retain(nullptr), vd_context_release(nullptr);
  vd_buffer_retain(nullptr), vd_buffer_release(nullptr);
  vd_builder_retain(nullptr), vd_builder_release(nullptr);
  vd_kernel_retain(nullptr), vd_kernel_release(nullptr);
  vd_plan_retain(nullptr), vd_plan_release(nullptr);
  vd_graph_retain(nullptr), vd_graph_release(nullptr);
  vd_image_retain(nullptr), vd_image_release(nullptr);
  vd_sampler_retain(nullptr), vd_sampler_release(nullptr);
  uint64_t size = 7;
  EXPECT_EQ(vd_blob_data(nullptr, &size), nullptr);
  EXPECT_STREQ(vd_last_error(), "vd_blob_data: blob is NULL.");
  EXPECT_EQ(size, 0u);
  EXPECT_EQ(vd_plan_get_source(nullptr, nullptr), nullptr);
}

}  // namespace
