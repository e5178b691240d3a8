// A program of the C API's in which each call of the driver's fails in turn: what fails ends in a status with the call's
// name or does not matter to the result, every ticket and fetched byte comes, nothing is left, and the next context works.
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <thread>

#include "api/support.h"
#include "backends/vulkan/debug.h"
#include "core/object.h"
#include "support/failing_vulkan/controls.h"
#include "support/samples.h"
#include "support/scratch_folder.h"
#include "unit/vulkan/fixture.h"

namespace vd::vulkan {
namespace {

// Read by the loader when the first instance is made. The layer passes everything on until a test sets a failure.
[[maybe_unused]] const int kFailingLayer = [] {
  setenv("VK_INSTANCE_LAYERS", "VK_LAYER_VD_failing", 1);
  setenv("NODEVICE_SELECT", "1", 1);  // a layer of Mesa's, which crashes where a device does not tell its extensions
  return setenv("VK_ADD_LAYER_PATH", test::layer_folder().c_str(), 1);
}();

// Takes a ticket's callback.
class Told {
 public:
  static void call(vd_status status, const char* message, void* user) {
    auto& told = *static_cast<Told*>(user);
    const std::lock_guard lock(told.mutex_);
    ++told.times_;
    told.status_ = status;
    told.message_ = message != nullptr ? message : "";
    told.called_.notify_all();
  }
  // False: it was not called within 20 s.
  bool wait() {
    std::unique_lock lock(mutex_);
    return called_.wait_for(lock, std::chrono::seconds(20), [&] { return times_ != 0; }) && times_ == 1;
  }
  // Once it was called.
  vd_status status() const { return status_; }
  const std::string& message() const { return message_; }

 private:
  std::mutex mutex_;
  std::condition_variable called_;
  int times_ = 0;
  vd_status status_ = VD_OK;
  std::string message_;
};

constexpr uint64_t kLongest = 20'000'000'000;  // what takes longer hangs

// A program that stops at its first failure.
class Program {
 public:
  explicit Program(bool debug, std::string cache) : debug_(debug), cache_(std::move(cache)) {}

  // Checks the results, where the program comes to its end.
  void run() {
    status_ = VD_OK;
    message_.clear();
    Told told;
    bool notified = false;
    {
      api::Context ctx;
      everything(ctx, told, notified);
    }
    if (notified) {
      EXPECT_TRUE(told.wait()) << "a ticket's callback was not called, or twice";
    }
  }
  vd_status status() const { return status_; }
  const std::string& message() const { return message_; }

 private:
  void stop(vd_status status, std::string message) {
    status_ = status;
    message_ = std::move(message);
  }
  bool ok(vd_status status) {
    if (status == VD_OK) return true;
    stop(status, status == VD_TIMEOUT ? "a wait took longer than 20 s" : vd_last_error());
    return false;
  }

#define VD_DO(call)        \
  do {                     \
    if (!ok(call)) return; \
  } while (false)
  void everything(api::Context& ctx, Told& told, bool& notified) {
    const api::Kernel kernel = api::mix_kernel();
    vd_context_desc open = VD_CONTEXT_DESC_INIT;
    open.backend = VD_BACKEND_VULKAN;
    open.flags = VD_CONTEXT_USE_CPU | (debug_ ? VD_CONTEXT_DEBUG : 0);
    open.cache_dir = cache_.c_str();
    VD_DO(vd_context_create(&open, ctx.out()));

    const std::vector<uint32_t> ones(64, 1), twos(64, 2);
    api::Buffer a, b, mapped, read_back;
    vd_buffer_desc memory = VD_BUFFER_DESC_INIT;
    memory.size = 256;
    memory.label = "a";
    memory.data = ones.data();
    VD_DO(vd_buffer_create(ctx, &memory, a.out()));
    memory.data = nullptr;
    memory.label = "b";
    VD_DO(vd_buffer_create(ctx, &memory, b.out()));
    memory.flags = VD_BUFFER_HOST;
    VD_DO(vd_buffer_create(ctx, &memory, mapped.out()));
    VD_DO(vd_buffer_write(b, 0, twos.data(), 256, 0));
    api::Mapping mapping;
    VD_DO(vd_buffer_map(mapped, 0, VD_WHOLE_SIZE, VD_MAP_WRITE, 0, mapping.out()));
    vd_mapping_info view = VD_MAPPING_INFO_INIT;
    VD_DO(vd_mapping_get_info(mapping, &view));
    std::memcpy(view.data, twos.data(), 256);
    VD_DO(vd_mapping_end(mapping));

    api::Image image, other;
    vd_image_desc texels = VD_IMAGE_DESC_INIT;
    texels.format = VD_FORMAT_R32_U32;
    texels.dimensions = 2;
    texels.extent[0] = texels.extent[1] = 8;
    VD_DO(vd_image_create(ctx, &texels, image.out()));
    VD_DO(vd_image_create(ctx, &texels, other.out()));
    VD_DO(vd_image_write(image, nullptr, twos.data(), 256, 0));

    vd_plan_desc how = VD_PLAN_DESC_INIT;
    how.kernel = kernel;
    api::Plan mix;
    VD_DO(vd_plan_create(ctx, &how, mix.out()));
    api::Blob words;
    VD_DO(vd_plan_explain(mix, words.out()));  // what a driver does not tell is left out
    api::Launch launch(64, {{a, 0, 0}, {b, 0, 0}}, 5);
    VD_DO(vd_plan_launch(mix, &launch.desc, nullptr));  // a: 1 * 3 + 2 + 5
    api::Launch twice(64, {{a, 0, 0}, {mapped, 0, 0}}, 1);
    vd_ticket second = 0;
    VD_DO(vd_plan_launch(mix, &twice.desc, &second));  // 10 * 3 + 2 + 1
    VD_DO(vd_ticket_notify(ctx, second, &Told::call, &told));
    notified = true;

    // The host sets a value that a launch waits for; that sets the next.
    api::Semaphore semaphore;
    VD_DO(vd_semaphore_create(ctx, nullptr, semaphore.out()));
    const vd_semaphore_point one{semaphore, 1, 0}, two{semaphore, 2, 0};
    vd_order_desc order = VD_ORDER_DESC_INIT;
    order.wait_semaphores = &one;
    order.signal_semaphores = &two;
    order.wait_semaphore_count = order.signal_semaphore_count = 1;
    VD_DO(vd_semaphore_signal(semaphore, 1));
    vd_ticket behind = 0;
    VD_DO(vd_buffer_fill(b, 0, VD_WHOLE_SIZE, 0, 0, &order, &behind));
    VD_DO(vd_ticket_wait(ctx, behind, kLongest));
    VD_DO(vd_semaphore_wait(semaphore, 2, kLongest));
    VD_DO(vd_buffer_write(b, 0, twos.data(), 256, 0));
    // 33 * 3 + 2 - 68
    vd_buffer* const both[] = {a, b};
    const uint32_t less = static_cast<uint32_t>(-68);
    vd_status tried = VD_ERR_WOULD_BLOCK;
    while (tried == VD_ERR_WOULD_BLOCK)
      tried = vd_plan_try_launch(mix, nullptr, 0, 64, 1, 1, both, 2, &less, sizeof(less));
    VD_DO(tried);

    api::Profile profile;
    VD_DO(vd_profile_create(ctx, nullptr, profile.out()));
    api::Graph graph;
    VD_DO(vd_graph_create(ctx, nullptr, graph.out()));
    api::Launch recorded(64, {{a, 0, 0}, {b, 0, 0}}, 0);
    VD_DO(vd_graph_launch(graph, mix, &recorded.desc, nullptr));  // 33 * 3 + 2
    VD_DO(vd_graph_copy_buffer_to_image(graph, other, nullptr, a, 0, nullptr));
    VD_DO(vd_graph_copy_image_to_buffer(graph, other, nullptr, b, 0, nullptr));
    VD_DO(vd_graph_fill(graph, mapped, 0, VD_WHOLE_SIZE, 7, nullptr));
    VD_DO(vd_graph_submit(graph, nullptr, nullptr));
    vd_submit_desc again = VD_SUBMIT_DESC_INIT;
    again.repeat = 2;
    vd_ticket last = 0;
    VD_DO(vd_graph_submit(graph, &again, &last));  // 101 * 4 = 404, 404 * 4 = 1616

    api::Blob blob;
    vd_ticket fetched = 0;
    VD_DO(vd_buffer_fetch(a, 0, VD_WHOLE_SIZE, 0, nullptr, blob.out(), &fetched));
    VD_DO(vd_buffer_send(b, 0, ones.data(), 256, 0, nullptr, nullptr));
    VD_DO(vd_image_copy(image, nullptr, other, nullptr, 0, nullptr, nullptr));
    VD_DO(vd_ticket_wait(ctx, fetched, kLongest));
    std::vector<uint32_t> found(64), pixels(64), sent(64), filled(64);
    VD_DO(vd_buffer_read(a, 0, 256, 0, found.data()));
    VD_DO(vd_buffer_read(b, 0, 256, 0, sent.data()));
    VD_DO(vd_buffer_read(mapped, 0, 256, 0, filled.data()));
    VD_DO(vd_image_read(other, nullptr, 256, 0, pixels.data()));
    VD_DO(vd_profile_stop(profile, kLongest));
    VD_DO(vd_context_wait_idle(ctx, VD_QUEUE_ALL, kLongest));
    const auto all = [](uint32_t value) { return std::vector<uint32_t>(64, value); };
    EXPECT_EQ(found, all(1616));
    EXPECT_EQ(sent, ones);
    EXPECT_EQ(filled, all(7));
    EXPECT_EQ(pixels, twos);
    // They ask the driver, too.
    const void* bytes = vd_blob_data(blob, nullptr);
    if (bytes == nullptr) return stop(VD_ERR_STATE, vd_last_error());
    EXPECT_EQ(std::memcmp(bytes, found.data(), 256), 0);
    ASSERT_TRUE(told.wait()) << "a ticket's callback was not called, or twice";
    if (told.status() != VD_OK) stop(told.status(), told.message());
  }
#undef VD_DO

  bool debug_;
  std::string cache_;
  vd_status status_ = VD_OK;
  std::string message_;
};

bool nothing_lives() {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (live_objects() != 0 && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  return live_objects() == 0;
}

// With the validation layer, and without: then threads block where they poll otherwise.
class VulkanCalls : public testing::TestWithParam<bool> {};

TEST_P(VulkanCalls, EachMayFail) {
  const test::ScratchFolder cache;
  Program program(GetParam(), cache.path());
  program.run();
  if (program.status() == VD_ERR_UNAVAILABLE) GTEST_SKIP() << program.message();
  ASSERT_EQ(program.status(), VD_OK) << program.message();
  const test::LayerControls controls;
  if (controls.count == nullptr) GTEST_SKIP() << "no layer in " << test::layer_folder() << ", where the build puts it";
  const bool full = test::full_form();
  const unsigned turns = full ? 1000 : 2;
  const auto before = validation_counts();
  unsigned failures = 0;
  for (unsigned call = 0; call < controls.count(); ++call) {
    bool more = true;
    for (unsigned nth = 1; more && nth <= turns; ++nth) {
      for (unsigned place = 0; more && controls.result(call, place) != 0 && (full || nth == 1 || place == 0); ++place) {
        const std::string name = controls.name(call);
        const auto result = static_cast<VkResult>(controls.result(call, place));
        SCOPED_TRACE(testing::Message() << "call " << nth << " of " << name << ": " << result_name(result));
        std::filesystem::remove_all(cache.path());
        controls.set(call, nth, result);
        program.run();
        more = controls.met() != 0;
        controls.set(call, 0, 0);
        if (more) ++failures;
        if (program.status() != VD_OK) {
          EXPECT_TRUE(more);
          // Calls of the allocator's and of the loader's are named by ours of them; of a device that is lost, another
          // thread's call may have told first.
          const std::string& told = program.message();
          const bool allocator = name.starts_with("vkCreate") || name.starts_with("vkBind");
          const bool named = told.find(name) != std::string::npos ||
                             (allocator && told.find("vmaCreate") != std::string::npos) ||
                             (name.starts_with("vkEnumerate") && told.find("vkCreateDevice") != std::string::npos);
          EXPECT_TRUE(named || (result == VK_ERROR_DEVICE_LOST && told.find("was lost") != std::string::npos) ||
                      (result == VK_ERROR_DEVICE_LOST && told.find("DEVICE_LOST") != std::string::npos))
              << told;
        }
        ASSERT_TRUE(nothing_lives());
        const auto after = validation_counts();
        ASSERT_EQ(after.errors - after.races, before.errors - before.races) << last_validation_message();
        ASSERT_EQ(after.warnings, before.warnings) << last_validation_message();
      }
    }
  }
  EXPECT_GT(failures, 60u);
  program.run();
  EXPECT_EQ(program.status(), VD_OK) << program.message();
}

// The host's signal, for which the device waits, is given again.
TEST_F(VulkanTest, AFailedSignalHoldsNothingUpForEver) {
  const test::LayerControls controls;
  if (controls.count == nullptr) GTEST_SKIP() << "no layer in " << test::layer_folder() << ", where the build puts it";
  const unsigned call = controls.number_of("vkSignalSemaphore");
  const auto open = queue().hold();
  const uint64_t value = queue().submit(backends::CommandList{});
  controls.set(call, 1, VK_ERROR_OUT_OF_HOST_MEMORY);
  open();
  EXPECT_NE(controls.met(), 0);
  controls.set(call, 0, 0);
  const bool done = queue().wait(value, kLongest);
  EXPECT_TRUE(done);
  if (!done) open();
}

INSTANTIATE_TEST_SUITE_P(Layers, VulkanCalls, testing::Bool(),
                         [](const auto& info) { return info.param ? "Validated" : "Plain"; });

}  // namespace
}  // namespace vd::vulkan
