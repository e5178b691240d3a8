// Another candidate in the place of one whose code spills registers as it was compiled: on the emulated CUDA driver,
// where the environment says how much that is.
#include <gmock/gmock.h>

#include <regex>
#include <string>

#include "api/fft_support.h"
#include "support/scratch_folder.h"

namespace api {
namespace {

using testing::HasSubstr;
using testing::Not;

class FftSpills : public FftTest {
 protected:
  // Bytes that kernels with so many invocations spill: "256:64,128:8".
  struct Spilling {
    explicit Spilling(const std::string& words) { setenv("VD_EMULATED_SPILLS", words.c_str(), 1); }
    ~Spilling() { unsetenv("VD_EMULATED_SPILLS"); }
    Spilling(const Spilling&) = delete;
    Spilling& operator=(const Spilling&) = delete;
  };
  struct Result {
    std::string text;
    uint64_t compiled = 0;
    // Invocations of a workgroup, and the bytes that each spills.
    int size() const { return number(R"((\d+) invocations)"); }
    int spilled() const { return number(R"((\d+) bytes spilled per invocation)"); }
    int number(const char* pattern) const {
      std::smatch found;
      return std::regex_search(text, found, std::regex(pattern)) ? std::stoi(found[1]) : -1;
    }
  };
  static constexpr const char* kChosen = "spills fewer registers than the usual choice";
  static constexpr uint64_t kLength = 720, kCount = 300;

  void SetUp() override {
    if (!open(folder_)) GTEST_SKIP() << vd_last_error();
    vd_device_info info = VD_DEVICE_INFO_INIT;
    ASSERT_OK(vd_context_get_device(context_, 0, &info));
    context_ = {};
    if (std::string(info.name).find("emulated") == std::string::npos)
      GTEST_SKIP() << "the compiler of \"" << info.name << "\" decides what spills; the emulated driver is told";
  }

  bool open(const vd::test::ScratchFolder& folder) {
    vd_context_desc desc = VD_CONTEXT_DESC_INIT;
    desc.backend = VD_BACKEND_CUDA;
    desc.cache_dir = folder.path().c_str();
    return vd_context_create(&desc, context_.out()) == VD_OK;
  }

  // Makes a plan in a context of its own. `use(plan)` is called in it.
  template <class Use>
  Result plan_of(const vd::test::ScratchFolder& folder, const vd_fft_desc& desc, Use&& use) {
    Result result;
    EXPECT_TRUE(open(folder));
    {
      Plan plan;
      EXPECT_OK(vd_plan_create_fft(context_, &desc, plan.out()));
      vd_context_info info = VD_CONTEXT_INFO_INIT;
      EXPECT_OK(vd_context_get_info(context_, &info));
      result.compiled = info.kernels_compiled;
      result.text = text_of(plan);
      use(plan);
    }
    context_ = {};
    return result;
  }
  // The same of rows, whose results are compared with the definition.
  Result run(const vd::test::ScratchFolder& folder) {
    return plan_of(folder, rows(kCount, kLength), [&](const Plan& plan) {
      const Numbers data = numbers(kCount * kLength);
      Buffer b = buffer(data);
      EXPECT_OK(launch_whole(plan, {b}));
      const Numbers got = read(b, data.size());
      const auto last = static_cast<ptrdiff_t>((kCount - 1) * kLength);
      expect_near(Numbers(got.begin() + last, got.end()), dft(Numbers(data.begin() + last, data.end()), -1));
    });
  }

  const vd::test::ScratchFolder folder_;
};

TEST_F(FftSpills, AnotherCandidateIsChosenOnce) {
  const Result usual = run(vd::test::ScratchFolder());
  EXPECT_EQ(usual.spilled(), 0) << usual.text;
  EXPECT_THAT(usual.text, Not(HasSubstr(kChosen)));
  EXPECT_EQ(usual.compiled, 1u);

  const Spilling spilling(fmt::format("{}:64", usual.size()));
  const Result other = run(folder_);
  EXPECT_THAT(other.text, HasSubstr(kChosen));
  EXPECT_NE(other.size(), usual.size()) << other.text;
  EXPECT_EQ(other.spilled(), 0);
  EXPECT_LE(other.compiled, 3u);
  EXPECT_GT(other.compiled, 1u);
  // The choice and the code are in the cache.
  const Result again = run(folder_);
  EXPECT_EQ(again.text, other.text);
  EXPECT_EQ(again.compiled, 0u);
  // And depend on nothing else.
  EXPECT_EQ(run(vd::test::ScratchFolder()).text, other.text);
}

TEST_F(FftSpills, TheUsualOneStaysWhereNoOtherSpillsLess) {
  const Result usual = run(vd::test::ScratchFolder());
  std::string all;
  for (int size = 1; size <= 1024; ++size) all += fmt::format("{}:{},", size, size == usual.size() ? 16 : 24);
  const Spilling spilling(all);
  const Result same = run(folder_);
  EXPECT_EQ(same.size(), usual.size());
  EXPECT_EQ(same.spilled(), 16);
  EXPECT_THAT(same.text, Not(HasSubstr(kChosen)));
  EXPECT_EQ(run(folder_).compiled, 0u) << "nor are the others compiled again";
}

// Their rivals are compiled at once; with the cache filled, only what was chosen.
TEST_F(FftSpills, PassesOfAPlaneEachHaveTheirOwn) {
  vd_fft_desc desc = VD_FFT_DESC_INIT;
  desc.rank = 2;
  desc.shape[0] = 1000, desc.shape[1] = 720;
  desc.axis_count = 2;
  desc.axes[0] = 0, desc.axes[1] = 1;
  const auto made = [&](const vd::test::ScratchFolder& folder) { return plan_of(folder, desc, [](const Plan&) {}); };
  const auto sizes_of = [](const std::string& text) {
    const std::regex pattern(R"((\d+) invocations)");
    std::vector<std::string> sizes;
    for (std::sregex_iterator at(text.begin(), text.end(), pattern), end; at != end; ++at) sizes.push_back((*at)[1]);
    return sizes;
  };
  const Result usual = made(vd::test::ScratchFolder());
  const std::vector<std::string> sizes = sizes_of(usual.text);
  ASSERT_EQ(sizes.size(), 2u) << usual.text;
  const Spilling spilling(sizes[0] == sizes[1] ? sizes[0] + ":64" : sizes[0] + ":64," + sizes[1] + ":64");
  const Result other = made(folder_);
  const std::string::size_type first = other.text.find(kChosen);
  EXPECT_NE(first, std::string::npos) << other.text;
  EXPECT_NE(other.text.find(kChosen, first + 1), std::string::npos) << other.text;
  const Result again = made(folder_);
  EXPECT_EQ(again.text, other.text);
  EXPECT_EQ(again.compiled, 0u);
}

TEST_F(FftSpills, WhatTheCallerChoseStays) {
  const Result usual = run(vd::test::ScratchFolder());
  const Spilling spilling(fmt::format("{}:64", usual.size()));
  const Tuned tuned(fmt::format("threads={}", usual.size()).c_str());
  const Result same = run(folder_);
  EXPECT_EQ(same.size(), usual.size());
  EXPECT_EQ(same.spilled(), 64);
  EXPECT_EQ(same.compiled, 1u);
}

}  // namespace
}  // namespace api
