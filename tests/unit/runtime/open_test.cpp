#include "runtime/open.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <cstring>

#include "core/error.h"
#include "core/log.h"
#include "core/platform.h"
#include "support/log_receiver.h"
#include "unit/runtime/fake_backend.h"

namespace {

using namespace vd;
using runtime::Wish;
using testing::AllOf;
using testing::HasSubstr;

// A machine: for each backend its devices, or why it cannot be had.
struct Machine {
  struct Fake final : backends::Backend {
    const char* name() const override { return label.c_str(); }
    const std::vector<vd_device_info>& devices() override {
      if (!reason.empty()) fail(VD_ERR_UNAVAILABLE, "{}", reason);
      return infos;
    }
    std::unique_ptr<backends::Device> make_device(uint32_t index, const backends::DeviceOptions& options) override {
      if (broken) fail(VD_ERR_UNSUPPORTED, "device {} lacks timeline semaphores", index);
      last_options = options;
      return std::make_unique<fake::Device>(*world, std::min(options.queue_count, 2u), infos.at(index),
                                            std::map<std::string, fake::Body>{});
    }
    std::string label, reason;
    std::vector<vd_device_info> infos;
    bool broken = false;
    fake::World* world = nullptr;
    backends::DeviceOptions last_options;
  };

  fake::World world;
  Fake backends[6];
  std::vector<std::string> log;
  vd::test::LogReceiver receiver{
      [](const vd_log_message* m, void* user) { static_cast<Machine*>(user)->log.push_back(m->text); }, this};

  Machine() {
    for (int i = 1; i < 6; ++i) {
      backends[i].label = backends::backend_name(static_cast<vd_backend>(i));
      backends[i].world = &world;
      backends[i].reason = "no driver";
    }
    unsetenv("VKDISPATCH_BACKEND");
    unsetenv("VKDISPATCH_DEVICE");
    add(VD_BACKEND_HOST, "host", VD_DEVICE_CPU);
  }
  ~Machine() {
    unsetenv("VKDISPATCH_BACKEND");
    unsetenv("VKDISPATCH_DEVICE");
  }
  void add(vd_backend backend, const char* name, vd_device_type type) {
    backends[backend].reason.clear();
    vd_device_info info = fake::device_info(name, type);
    info.backend = backend;
    info.index = static_cast<uint32_t>(backends[backend].infos.size());
    info.uuid_valid = 1;
    info.uuid[0] = 0xab;
    info.uuid[15] = static_cast<uint8_t>(info.index);
    backends[backend].infos.push_back(info);
  }
  Ref<vd_context> open(const Wish& wish = {}) {
    return runtime::open_context(wish, [this](vd_backend b) -> backends::Backend& { return backends[b]; });
  }
  // "vulkan/name" of what is opened.
  std::string opened(const Wish& wish = {}) {
    auto ctx = open(wish);
    return std::string(backends::backend_name(ctx->backend())) + "/" + ctx->device(0).info().name;
  }
  std::string error(vd_status status, const Wish& wish = {}) {
    try {
      open(wish);
    } catch (const Error& error) {
      EXPECT_EQ(error.status(), status) << error.what();
      return error.what();
    }
    ADD_FAILURE() << "no error";
    return {};
  }
};

TEST(Open, WithoutAGpuTheHostAndAWarning) {
  Machine m;
  EXPECT_EQ(m.opened(), "host/host");
  ASSERT_EQ(m.log.size(), 1u);
  EXPECT_THAT(m.log[0], AllOf(HasSubstr("no GPU"), HasSubstr("vulkan: no driver"), HasSubstr("opencl: no driver")));
}

TEST(Open, GpusByBackendThenByKind) {
  Machine m;
  m.add(VD_BACKEND_OPENCL, "ocl", VD_DEVICE_DISCRETE_GPU);
  EXPECT_EQ(m.opened(), "opencl/ocl");
  m.add(VD_BACKEND_CUDA, "cu", VD_DEVICE_DISCRETE_GPU);
  EXPECT_EQ(m.opened(), "cuda/cu");
  m.add(VD_BACKEND_VULKAN, "llvmpipe", VD_DEVICE_CPU);
  EXPECT_EQ(m.opened(), "cuda/cu");
  m.add(VD_BACKEND_VULKAN, "small", VD_DEVICE_INTEGRATED_GPU);
  m.add(VD_BACKEND_VULKAN, "big", VD_DEVICE_DISCRETE_GPU);
  EXPECT_EQ(m.opened(), "vulkan/big");
  EXPECT_TRUE(m.log.empty());
}

// PoCL comes first in the loader's list on many machines.
TEST(Open, AGpuBehindACpuOfTheSameBackend) {
  Machine m;
  m.add(VD_BACKEND_OPENCL, "pocl", VD_DEVICE_CPU);
  m.add(VD_BACKEND_OPENCL, "gpu", VD_DEVICE_DISCRETE_GPU);
  EXPECT_EQ(m.opened(), "opencl/gpu");
  EXPECT_EQ(m.opened({.backend = VD_BACKEND_OPENCL}), "opencl/gpu");
  EXPECT_EQ(m.opened({.backend = VD_BACKEND_OPENCL, .flags = VD_CONTEXT_USE_CPU}), "opencl/gpu");
  EXPECT_EQ(m.opened({.backend = VD_BACKEND_OPENCL, .devices = {0}}), "opencl/pocl");
}

TEST(Open, CpusOnlyWhenAskedFor) {
  Machine m;
  m.add(VD_BACKEND_VULKAN, "llvmpipe (LLVM)", VD_DEVICE_CPU);
  EXPECT_EQ(m.opened(), "host/host");
  EXPECT_EQ(m.opened({.backend = VD_BACKEND_VULKAN}), "vulkan/llvmpipe (LLVM)");
  EXPECT_EQ(m.opened({.flags = VD_CONTEXT_USE_CPU}), "vulkan/llvmpipe (LLVM)");
  EXPECT_EQ(m.opened({.devices = {0}}), "vulkan/llvmpipe (LLVM)");
  EXPECT_EQ(m.opened({.device_name = "LLVMPIPE"}), "vulkan/llvmpipe (LLVM)");
  setenv("VKDISPATCH_BACKEND", " Vulkan ", 1);
  EXPECT_EQ(m.opened(), "vulkan/llvmpipe (LLVM)");
  EXPECT_EQ(m.opened({.backend = VD_BACKEND_HOST}), "host/host");  // what is asked for wins
  unsetenv("VKDISPATCH_BACKEND");
  setenv("VKDISPATCH_DEVICE", "llvm", 1);
  EXPECT_EQ(m.opened(), "vulkan/llvmpipe (LLVM)");
  setenv("VKDISPATCH_DEVICE", "0", 1);
  EXPECT_EQ(m.opened(), "vulkan/llvmpipe (LLVM)");
  setenv("VKDISPATCH_DEVICE", "99", 1);
  EXPECT_EQ(m.error(VD_ERR_INVALID, {.backend = VD_BACKEND_VULKAN}),
            "the vulkan backend: VKDISPATCH_DEVICE (99) is not below its devices (1)");
  EXPECT_EQ(m.error(VD_ERR_INVALID, {.backend = VD_BACKEND_VULKAN, .devices = {0, 7}}),
            "the vulkan backend: desc->devices[1] (7) is not below its devices (1)");
  EXPECT_EQ(m.error(VD_ERR_INVALID, {.devices = {3, 3}}), "desc->devices[1] (3) is the same as desc->devices[0]");
  setenv("VKDISPATCH_DEVICE", "xe", 1);
  EXPECT_EQ(m.error(VD_ERR_UNAVAILABLE, {.backend = VD_BACKEND_VULKAN}),
            "the vulkan backend: no device's name or UUID matches VKDISPATCH_DEVICE (\"xe\")");
}

TEST(Open, ByNameOrUuidInAnyBackend) {
  Machine m;
  m.add(VD_BACKEND_VULKAN, "first", VD_DEVICE_DISCRETE_GPU);
  m.add(VD_BACKEND_VULKAN, "second", VD_DEVICE_DISCRETE_GPU);
  m.add(VD_BACKEND_CUDA, "third", VD_DEVICE_DISCRETE_GPU);
  EXPECT_EQ(m.opened({.device_name = "third"}), "cuda/third");
  EXPECT_EQ(m.opened({.device_name = "AB000000-0000-0000-0000-000000000001"}), "vulkan/second");
  EXPECT_THAT(m.error(VD_ERR_UNAVAILABLE, {.device_name = "fourth"}),
              AllOf(HasSubstr("vulkan: no device's name or UUID matches desc->device_name (\"fourth\")"),
                    HasSubstr("opencl: no driver")));
}

TEST(Open, AnExplicitChoiceNeverFallsBack) {
  Machine m;
  EXPECT_EQ(m.error(VD_ERR_UNAVAILABLE, {.backend = VD_BACKEND_CUDA}), "the cuda backend: no driver");
  setenv("VKDISPATCH_BACKEND", "opencl", 1);
  EXPECT_EQ(m.error(VD_ERR_UNAVAILABLE), "the opencl backend: no driver");
  setenv("VKDISPATCH_BACKEND", "metal", 1);
  EXPECT_EQ(m.error(VD_ERR_INVALID), "VKDISPATCH_BACKEND (\"metal\") is not one of cuda, dummy, host, opencl, vulkan");
  setenv("VKDISPATCH_BACKEND", "", 1);
  EXPECT_EQ(m.opened(), "host/host");
  EXPECT_EQ(m.error(VD_ERR_INVALID, {.backend = VD_BACKEND_HOST, .devices = {3}}),
            "the host backend: desc->devices[0] (3) is not below its devices (1)");
}

TEST(Open, BrokenDriverIsPassedOver) {
  Machine m;
  m.add(VD_BACKEND_VULKAN, "old", VD_DEVICE_DISCRETE_GPU);
  m.backends[VD_BACKEND_VULKAN].broken = true;
  EXPECT_EQ(m.opened(), "host/host");
  EXPECT_THAT(m.log.at(0), HasSubstr("timeline semaphores"));
  EXPECT_THAT(m.error(VD_ERR_UNSUPPORTED, {.backend = VD_BACKEND_VULKAN}), HasSubstr("timeline semaphores"));
}

// As CUDA without NVRTC beside OpenCL: the choice may surprise, so it is logged.
TEST(Open, DevicesThatCannotBeOpenedAreToldWhenTheNextBackendIsTaken) {
  Machine m;
  m.add(VD_BACKEND_CUDA, "gpu", VD_DEVICE_DISCRETE_GPU);
  m.add(VD_BACKEND_OPENCL, "gpu", VD_DEVICE_DISCRETE_GPU);
  EXPECT_EQ(m.opened(), "cuda/gpu");
  EXPECT_TRUE(m.log.empty()) << m.log[0];
  m.backends[VD_BACKEND_CUDA].broken = true;
  EXPECT_EQ(m.opened(), "opencl/gpu");
  ASSERT_EQ(m.log.size(), 1u);
  EXPECT_EQ(m.log[0],
            "the opencl backend is used, since devices of another cannot be used (cuda: device 0 lacks timeline "
            "semaphores)");
}

TEST(Open, NothingAtAllSaysWhatWasTried) {
  Machine m;
  m.backends[VD_BACKEND_HOST].reason = "not built";
  EXPECT_EQ(m.error(VD_ERR_UNAVAILABLE),
            "no backend has a device to open (vulkan: no driver; cuda: no driver; opencl: no driver; host: not built)");
}

TEST(Open, QueuesAndSeveralDevices) {
  Machine m;
  m.add(VD_BACKEND_VULKAN, "a", VD_DEVICE_DISCRETE_GPU);
  m.add(VD_BACKEND_VULKAN, "b", VD_DEVICE_DISCRETE_GPU);
  auto ctx = m.open({.backend = VD_BACKEND_VULKAN, .devices = {1, 0}, .queue_counts = {2, 0}});
  EXPECT_EQ(ctx->device_count(), 2u);
  EXPECT_EQ(ctx->queue_count(), 3u);
  EXPECT_STREQ(ctx->device(0).info().name, "b");
  EXPECT_EQ(ctx->queue(1).device, 0u);
  EXPECT_EQ(ctx->queue(2).device, 1u);
  EXPECT_EQ(m.error(VD_ERR_UNSUPPORTED, {.backend = VD_BACKEND_VULKAN, .queue_counts = {5}}),
            "the vulkan backend: desc->queue_counts[0] (5) is more than device \"a\" has (2)");
  EXPECT_THAT(m.error(VD_ERR_INVALID, {.backend = VD_BACKEND_VULKAN, .devices = {0, 0}}), HasSubstr("same"));
}

TEST(Open, CacheDirectoryReachesTheBackend) {
  Machine m;
  m.open({.backend = VD_BACKEND_HOST, .cache_dir = "/some/where"});
  EXPECT_EQ(m.backends[VD_BACKEND_HOST].last_options.cache_dir, "/some/where");
  m.open({.backend = VD_BACKEND_HOST, .flags = VD_CONTEXT_NO_CACHE, .cache_dir = "/some/where"});
  EXPECT_EQ(m.backends[VD_BACKEND_HOST].last_options.cache_dir, "");
}

}  // namespace
