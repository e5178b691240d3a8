#include "core/options.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <thread>
#include <utility>
#include <vector>

#include "core/error.h"
#include "support/error_of.h"

namespace {

using vd::test::error_of;

struct OptionsTest : testing::Test {
  ~OptionsTest() override { unsetenv("VKDISPATCH_FFT_TUNE"); }
  vd::Options options;
};

TEST_F(OptionsTest, WhatIsSetGoesBeforeTheEnvironment) {
  setenv("VKDISPATCH_FFT_TUNE", "theirs", 1);
  EXPECT_EQ(options.source("fft_tune"), "VKDISPATCH_FFT_TUNE");
  options.set("fft_tune", "mine");
  options.set("fft_tune", "mine after all");
  EXPECT_EQ(options.source("fft_tune"), "option \"fft_tune\"");
  EXPECT_EQ(options.get("fft_tune"), "mine after all");
}

TEST_F(OptionsTest, TheEnvironmentCountsWhereNothingIsSet) {
  EXPECT_EQ(options.get("fft_tune"), std::nullopt);
  setenv("VKDISPATCH_FFT_TUNE", "theirs", 1);
  EXPECT_EQ(options.get("fft_tune"), "theirs") << "it is asked each time";
}

TEST_F(OptionsTest, ASwitchIsZeroOrOne) {
  for (const bool otherwise : {false, true}) {
    EXPECT_EQ(vd::switch_option("opencl_cache", otherwise), otherwise);
    for (const auto& [text, value] : {std::pair{"0", false}, {"1", true}, {"yes", otherwise}, {"01", otherwise}}) {
      setenv("VKDISPATCH_OPENCL_CACHE", text, 1);
      EXPECT_EQ(vd::switch_option("opencl_cache", otherwise), value) << text;
    }
    unsetenv("VKDISPATCH_OPENCL_CACHE");
  }
}

TEST_F(OptionsTest, NullLeavesItToTheEnvironmentAndAnEmptyTextIsNone) {
  setenv("VKDISPATCH_FFT_TUNE", "theirs", 1);
  options.set("fft_tune", "mine");
  options.set("fft_tune", nullptr);
  EXPECT_EQ(options.get("fft_tune"), "theirs");
  vd::Options other;
  other.set("fft_tune", "");
  EXPECT_EQ(other.get("fft_tune"), std::nullopt);
}

TEST_F(OptionsTest, NoneIsSetAfterItsUse) {
  options.get("cache_dir");
  EXPECT_EQ(error_of(VD_ERR_STATE, [&] { options.set("cache_dir", "x"); }),
            "option \"cache_dir\" is in use already; set it before its first use");
  options.set("fft_tune", "x");  // another one may still be
}

TEST_F(OptionsTest, NamesAndValuesAreChecked) {
  EXPECT_EQ(error_of(VD_ERR_INVALID, [&] { options.set("col\nour", "red"); }),
            "name (\"col\\nour\") is not one of backend, device, cache_dir, log, host_isa, nvrtc, nvrtc_path, "
            "opencl_library, opencl_options, opencl_images, opencl_cache, fft_tune, "
            "fft_records, hold_clock, vulkan_limits");
  EXPECT_EQ(error_of(VD_ERR_INVALID, [&] { options.set("log", "loud"); }),
            "value (\"loud\") of option \"log\" is not one of verbose, info, warning, error, off");
  for (const char* wrong : {"avx", "avx2,", "base, avx2", " base"}) {
    error_of(VD_ERR_INVALID, [&] { options.set("host_isa", wrong); });
  }
  for (const char* name : {"device", "cache_dir", "nvrtc", "nvrtc_path", "opencl_library", "opencl_options"}) {
    options.set(name, "any text");
    EXPECT_EQ(options.get(name), "any text");
  }
  for (const char* level : {"verbose", "info", "warning", "error", "off"}) options.set("log", level);
  for (const char* backend : {"cuda", "dummy", "host", "opencl", "vulkan"}) options.set("backend", backend);
  for (const char* hold : {"0", "1"}) options.set("hold_clock", hold);
  for (const char* isa : {"base", "avx2", "avx512", ""}) options.set("host_isa", isa);
}

// Many threads set and one uses: what it gets is what one of them set, and stays.
TEST_F(OptionsTest, ThreadsAgreeOnAValue) {
  std::atomic<bool> go{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      while (!go) std::this_thread::yield();
      try {
        for (int turn = 0; turn < 1000; ++turn) options.set("device", std::to_string(i).c_str());
      } catch (const vd::Error&) {
      }
    });
  }
  go = true;
  const auto first = options.get("device");
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(options.get("device"), first);
}

}  // namespace
