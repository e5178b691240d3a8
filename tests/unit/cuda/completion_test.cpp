// Fetched bytes and calls back where the driver fails.
#include "support/completion/failures.h"

#include "unit/cuda/fixture.h"

namespace vd::cuda {
namespace {

class CudaCompletion : public CudaFailure, public testing::WithParamInterface<bool> {
 protected:
  test::Met run() {
    Overrides overrides;
    overrides.write_values = GetParam();
    auto device = open_fresh(overrides);
    if (start_) start_();
    test::Met met = test::fetch_and_notify(std::move(device));
    for (const char* call : kCalls) control().fail(call, 0, 0);
    return met;
  }
  static constexpr const char* kCalls[] = {"cuMemAllocFromPoolAsync", "cuMemHostAlloc",     "cuMemHostGetDevicePointer",
                                           "cuMemsetD32Async",        "cuMemcpyAsync",      "cuStreamWriteValue64",
                                           "cuEventCreate",           "cuEventRecord",      "cuEventQuery",
                                           "cuStreamQuery",           "cuStreamSynchronize"};
  std::function<void()> start_;
};

TEST_P(CudaCompletion, EachCallMayFail) {
  device_.reset();
  EXPECT_TRUE(run().nothing());
  for (const char* call : kCalls) {
    for (unsigned nth = 1; nth <= 4; ++nth) {
      SCOPED_TRACE(testing::Message() << "call " << nth << " of " << call);
      uint64_t before = 0;
      start_ = [&] {
        before = control().calls(call);
        control().fail(call, nth, kInvalidValue);
      };
      const test::Met met = run();
      for (const std::string& message : met.thrown) EXPECT_NE(message.find(call), std::string::npos) << message;
      for (const std::string& message : met.called) EXPECT_NE(message.find(call), std::string::npos) << message;
      const bool reached = control().calls(call) - before >= nth;
      if (reached && std::string_view(call).starts_with("cuMem")) {
        EXPECT_FALSE(met.nothing());
      }
      ASSERT_EQ(control().live(), 0u) << "handles that nobody gave back";
    }
  }
}

TEST_P(CudaCompletion, ALostContextIsReportedToAll) {
  const auto module = affine();
  const auto buffer = words({1});
  auto ctx = test::context_over(device_);
  ListBuilder work;
  work.dispatch(*module, 1, {whole(*buffer)}, {1, 3, 0});
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<vd_status> statuses;
  vd_buffer::Desc desc;
  desc.size = 64;
  auto other = vd_buffer::create(*ctx, std::move(desc));
  control().break_next_kernel(kIllegalAddress);
  try {
    queue().submit(work.list);  // or sees the kernel fail by what it gives after it
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), VD_ERR_DEVICE_LOST) << error.what();
  }
  uint32_t asked = 0;
  for (uint32_t i = 0; i < 20; ++i) {
    try {
      const runtime::Ticket t = ctx->check_ticket(runtime::fill(*other, 0, 64, i, 0));
      ++asked;
      ctx->notify(t.queue, t.value, [&](const std::exception_ptr& failure) {
        vd_status status = VD_OK;
        try {
          if (failure) std::rethrow_exception(failure);
        } catch (const Error& error) {
          status = error.status();
        }
        const std::lock_guard lock(mutex);
        statuses.push_back(status);
        changed.notify_all();
      });
    } catch (const Error& error) {
      EXPECT_EQ(error.status(), VD_ERR_DEVICE_LOST) << error.what();
    }
  }
  {
    std::unique_lock lock(mutex);
    EXPECT_TRUE(changed.wait_for(lock, std::chrono::seconds(30), [&] { return statuses.size() >= asked; }));
  }
  other = nullptr;
  ctx = nullptr;
  EXPECT_EQ(statuses.size(), asked);
  for (const vd_status status : statuses) EXPECT_EQ(status, VD_ERR_DEVICE_LOST);
}

INSTANTIATE_TEST_SUITE_P(Marks, CudaCompletion, testing::Bool(),
                         [](const auto& info) { return info.param ? "Words" : "Events"; });

}  // namespace
}  // namespace vd::cuda
