// Waiting for room to send a write through, behind work that does not end: on every backend.
#include "api/gate.h"
#include "api/shared_context.h"

namespace {

using testing::HasSubstr;

class Writable : public testing::TestWithParam<vd_backend> {
 protected:
  void SetUp() override {
    ctx_ = api::shared_context(GetParam());
    if (ctx_ == nullptr) GTEST_SKIP() << vd_last_error();
  }
  vd_status wait(uint64_t size, uint64_t timeout = 0, uint32_t queue = 0) {
    return vd_context_wait_writable(ctx_, queue, size, timeout);
  }
  // The host takes writes of any size at once.
  bool has_limits() const { return GetParam() != VD_BACKEND_HOST; }

  static constexpr uint64_t kHuge = uint64_t{1} << 40;
  api::Context ctx_;
};

TEST_P(Writable, WhileThereIsRoomAndElseBehindOtherWork) {
  // PoCL fetches larger ones itself.
  const std::vector<uint8_t> bytes(GetParam() == VD_BACKEND_OPENCL ? 64 << 10 : 8 << 20, 5);
  const api::Buffer filled = api::make_buffer(ctx_, 64), written = api::make_buffer(ctx_, bytes.size());
  const auto write = [&] { return vd_buffer_write(written, 0, bytes.data(), bytes.size(), 0); };
  ASSERT_OK(write());  // the memory is there, which a driver may not make while work runs
  ASSERT_OK(vd_context_wait_idle(ctx_, 0, VD_WAIT_FOREVER));
  api::Gate gate(ctx_);
  if (!gate.works()) GTEST_SKIP() << "no kernel of this device can be held";
  ASSERT_OK(vd_buffer_fill(filled, 0, 64, 1, 0, nullptr, nullptr));
  api::Watchdog watchdog(gate);

  int writes = 0;
  for (; writes < 8 || (has_limits() && writes < 10'000); ++writes) {
    if (wait(bytes.size()) != VD_OK) break;
    ASSERT_OK(write());
  }
  EXPECT_FALSE(watchdog.barked()) << "write " << writes << " waited";
  EXPECT_GT(writes, 0);
  const vd_status full = has_limits() ? VD_TIMEOUT : VD_OK;
  EXPECT_EQ(wait(bytes.size()), full) << writes;
  EXPECT_EQ(wait(kHuge), full);
  EXPECT_EQ(wait(kHuge, 0, VD_QUEUE_ALL), full);
  gate.open();
  EXPECT_OK(wait(bytes.size(), VD_WAIT_FOREVER));
  EXPECT_OK(wait(kHuge, VD_WAIT_FOREVER, VD_QUEUE_ALL));
  ASSERT_OK(write());
  EXPECT_EQ(api::read<uint8_t>(written, bytes.size()), bytes);
}

// A write of any size waits for earlier ones itself, and shortly.
TEST_P(Writable, BehindWritesAlone) {
  const std::vector<uint8_t> bytes(96 << 20, 6);
  const api::Buffer written = api::make_buffer(ctx_, bytes.size());
  ASSERT_OK(vd_context_wait_idle(ctx_, 0, VD_WAIT_FOREVER));
  ASSERT_OK(vd_buffer_write(written, 0, bytes.data(), bytes.size(), 0));
  EXPECT_OK(wait(kHuge));
  ASSERT_OK(vd_buffer_write(written, 0, bytes.data(), bytes.size(), 0));
  EXPECT_OK(wait(kHuge));
}

TEST_P(Writable, Refuses) {
  EXPECT_EQ(wait(1, 0, 99), VD_ERR_INVALID);
  EXPECT_THAT(vd_last_error(), HasSubstr("vd_context_wait_writable: queue (99)"));
}

INSTANTIATE_TEST_SUITE_P(All, Writable, api::each_backend(), api::backend_name);

}  // namespace
