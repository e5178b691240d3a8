// The dummy device: its limits, what it prints and what it refuses.
#include <gmock/gmock.h>

#include "backends/backend.h"
#include "core/error.h"
#include "ir/text.h"

namespace vd::dummy::test {
namespace {

using testing::HasSubstr;

backends::Backend& dummy() { return backends::get_backend(VD_BACKEND_DUMMY); }

class Dummy : public testing::Test {
 protected:
  template <class F>
  static Error refused(F&& f) {
    try {
      f();
    } catch (const Error& e) {
      return e;
    }
    return Error(VD_OK, "nothing was thrown");
  }
};

TEST_F(Dummy, HasTheDefaultLimits) {
  const vd_device_info& info = dummy().devices()[0];
  EXPECT_STREQ(info.name, "VKDispatch Web Dummy GPU");
  EXPECT_EQ(info.type, VD_DEVICE_DISCRETE_GPU);
  EXPECT_EQ(info.max_workgroup_size[2], 64u);
  EXPECT_EQ(info.max_workgroup_count[1], 65535u);
  EXPECT_EQ(info.max_shared_memory_size, 65536u);
  EXPECT_EQ(info.queue_count, 12u);
  EXPECT_FALSE(dummy().runs_kernels());
}

TEST_F(Dummy, ADeviceHasTheLimitsItIsMadeWith) {
  backends::DeviceOptions options;
  options.dummy_device = dummy().devices()[0];
  options.dummy_device->subgroup_size = 8;
  options.dummy_device->backend = VD_BACKEND_VULKAN;  // not the caller's to say
  const auto device = dummy().make_device(0, options);
  EXPECT_EQ(device->info().subgroup_size, 8u);
  EXPECT_EQ(device->info().backend, VD_BACKEND_DUMMY);
  EXPECT_EQ(dummy().make_device(0, {})->info().subgroup_size, 32u);
  options.dummy_device->max_workgroup_size[1] = 0;
  EXPECT_EQ(refused([&] { dummy().make_device(0, options); }).status(), VD_ERR_INVALID);
}

TEST_F(Dummy, PrintsKernelsAndRunsNothing) {
  backends::DeviceOptions options;
  options.queue_count = 2;
  auto device = dummy().make_device(0, options);
  EXPECT_EQ(device->queue_count(), 2u);
  const ir::Kernel kernel = ir::parse_text(
      "kernel \"one\"\nargument 0 buffer f32 \"data\"\n{\n%0: storage f32 = index @0, u32 0\nstore %0, f32 1\n}\n");
  EXPECT_THAT(device->make_module({&kernel, nullptr, {64, 1, 1}, "one"})->source(), HasSubstr("#version"));
  EXPECT_TRUE(device->queue(0).wait(device->queue(0).completed(), 0));
  for (const Error& e :
       {refused([&] { device->make_memory(4, false, "x"); }), refused([&] { device->queue(0).submit({}); }),
        refused([&] { device->make_executable({}); })}) {
    EXPECT_EQ(e.status(), VD_ERR_UNSUPPORTED);
    EXPECT_THAT(e.what(), HasSubstr("codegen-only"));
  }
}

}  // namespace
}  // namespace vd::dummy::test
