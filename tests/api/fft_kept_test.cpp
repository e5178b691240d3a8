// A transform whose code an earlier process left on disk: here, an earlier context.
#include <gmock/gmock.h>

#include <filesystem>
#include <string>

#include "api/fft_support.h"
#include "support/scratch_folder.h"

namespace api {
namespace {

class FftKept : public FftTest, public testing::WithParamInterface<vd_backend> {
 protected:
  // Texts and results of a plan of a context of its own.
  struct Result {
    std::string explained, source;
    std::vector<Numbers> numbers;
  };

  void SetUp() override {
    if (!open()) GTEST_SKIP() << vd_last_error();
  }

  bool open() {
    vd_context_desc desc = VD_CONTEXT_DESC_INIT;
    desc.backend = GetParam();
    desc.flags = VD_CONTEXT_USE_CPU;
    desc.cache_dir = folder_.path().c_str();
    return vd_context_create(&desc, context_.out()) == VD_OK;
  }

  Result run(const vd_fft_desc& desc, uint64_t elements) {
    Result result;
    EXPECT_TRUE(open());
    {
      Plan plan;
      EXPECT_OK(vd_plan_create_fft(context_, &desc, plan.out()));
      result.explained = text_of(plan);
      const char* source = vd_plan_get_source(plan, nullptr);
      result.source = source != nullptr ? source : "";
      // The second time from an element that devices do not bind at.
      for (const uint64_t first : {0, 1}) {
        Buffer b = buffer(numbers(elements + first));
        const vd_binding binding = VD_BINDING_OF(b, 8 * first, 8 * elements);
        vd_launch_desc launch = VD_LAUNCH_DESC_INIT;
        launch.bindings = &binding;
        launch.binding_count = 1;
        EXPECT_OK(vd_plan_launch(plan, &launch, nullptr));
        result.numbers.push_back(read(b, elements + first));
      }
    }
    context_ = {};
    return result;
  }

  vd::test::ScratchFolder folder_;
};

TEST_P(FftKept, IsTheSameTransform) {
  std::vector<vd_fft_desc> all{rows(17, 60), rows(3, 1024), rows(5, 97)};
  all.push_back(rows(6, 64));
  all.back().axis_count = 2;
  all.back().axes[1] = 1;
  for (const vd_fft_desc& desc : all) {
    SCOPED_TRACE(desc.shape[1]);
    const uint64_t elements = desc.shape[0] * desc.shape[1];
    const Result first = run(desc, elements), second = run(desc, elements);
    EXPECT_EQ(second.explained, first.explained);
    EXPECT_EQ(second.source, first.source);
    EXPECT_EQ(second.numbers, first.numbers);
    EXPECT_FALSE(first.explained.empty());
  }
}

INSTANTIATE_TEST_SUITE_P(All, FftKept, each_backend(), backend_name);

}  // namespace
}  // namespace api
