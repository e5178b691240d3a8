// Transforms that differ in their number of lines, and in where these lie: the numbers are a launch's, so that plans
// share kernels.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "api/fft_support.h"

namespace api {
namespace {

class FftBatches : public FftTest, public testing::WithParamInterface<vd_backend> {
 protected:
  // Lines of a rank-2 array, by their count, their length, and where they lie.
  struct Rows {
    uint64_t count, n;
    uint64_t pitch = 0;  // elements from one line to the next; 0: they are packed
    uint64_t offset = 0;
    vd_fft_desc desc() const {
      vd_fft_desc desc = rows(count, n);
      desc.in_offset = offset;
      if (pitch != 0) desc.in_strides[0] = static_cast<int64_t>(pitch), desc.in_strides[1] = 1;
      return desc;
    }
    uint64_t first(uint64_t line) const { return offset + line * (pitch != 0 ? pitch : n); }
    uint64_t end() const { return first(count - 1) + n; }
  };

  void SetUp() override {
    // One of this suite's alone: kernels of other tests would not be compiled again.
    Context& own = contexts_[GetParam()];
    if (own == nullptr) own = open_context(GetParam());
    if (own == nullptr) GTEST_SKIP() << vd_last_error();
    vd_context_retain(own);
    context_ = Context(own.get());
    known_ = kernels();
  }

  static void TearDownTestSuite() { contexts_.clear(); }

  Plan make(const vd_fft_desc& desc) {
    Plan plan;
    EXPECT_OK(vd_plan_create_fft(context_, &desc, plan.out()));
    return plan;
  }
  // Kernels that were made until now, by a compiler or from the disk cache.
  uint64_t kernels() {
    vd_context_info info = VD_CONTEXT_INFO_INIT;
    EXPECT_OK(vd_context_get_info(context_, &info));
    return info.kernels_compiled + info.cache_hits;
  }
  // The words of explain() on the passes' shapes: all but the numbers that follow from the count of lines.
  std::string shape(vd_plan* plan) {
    static const std::regex numbers(", [0-9]+ workgroups?|, reads .*|workspace: .*");
    return std::regex_replace(text_of(plan), numbers, "");
  }
  // A new plan has a new kernel for each pass whose shape no plan before had, and no other. A pass whose code spills registers
  // is compared with two candidates at most, which the count of lines decides on. `part`: of the shape, besides its words.
  void expect_kernel_per_shape(vd_plan* plan, const std::string& part = "") {
    static const std::regex spills(", [1-9][0-9]* bytes spilled|spills fewer registers");
    const std::string words = shape(plan);
    std::istringstream lines(words);
    uint64_t passes = 0, added = 0;
    for (std::string line; std::getline(lines, line);) {
      if (line.find(" per workgroup") == std::string::npos) continue;
      ++passes;
      if (shapes_.insert(line + part).second) ++added;
    }
    const uint64_t made = kernels() - known_, compared = std::regex_search(words, spills) ? 2 * passes : 0;
    known_ += made;
    EXPECT_GE(made, added) << words;
    EXPECT_LE(made, added + compared) << words;
  }
  // Lines of a workgroup of a plan of one pass.
  static uint64_t lines_of(const std::string& shape) {
    std::smatch found;
    EXPECT_TRUE(std::regex_search(shape, found, std::regex("and ([0-9]+) lines? per workgroup"))) << shape;
    return found.empty() ? 1 : std::stoull(found[1]);
  }

  void launch(vd_plan* plan, const Numbers& data, Numbers& got) {
    Buffer b = buffer(data);
    ASSERT_OK(launch_whole(plan, {b}));
    got = read(b, data.size());
  }
  // Transforms numbers in place, and compares some of the lines with the definition, and all that is no line's.
  void expect_transform(vd_plan* plan, const Rows& r) {
    SCOPED_TRACE(fmt::format("{} lines of {}, pitch {}, from {}", r.count, r.n, r.pitch, r.offset));
    const Numbers data = numbers(r.end() + 3);
    Numbers got;
    ASSERT_NO_FATAL_FAILURE(launch(plan, data, got));
    for (const uint64_t line : {uint64_t{0}, r.count / 2, r.count - 1}) {
      const auto at = static_cast<ptrdiff_t>(r.first(line)), n = static_cast<ptrdiff_t>(r.n);
      expect_near({got.begin() + at, got.begin() + at + n}, dft({data.begin() + at, data.begin() + at + n}, -1));
    }
    for (uint64_t line = 0; line < r.count; ++line)
      std::copy_n(data.begin() + static_cast<ptrdiff_t>(r.first(line)), r.n,
                  got.begin() + static_cast<ptrdiff_t>(r.first(line)));
    EXPECT_EQ(got, data);
  }

  // Drivers of CPUs take seconds to compile long lines.
  bool compiles_long() const { return GetParam() == VD_BACKEND_OPENCL; }

  std::set<std::string> shapes_;  // of all passes until now

 private:
  uint64_t known_ = 0;  // kernels that are accounted for

  static inline std::map<vd_backend, Context> contexts_;
};

// As many kernels as the counts have shapes: whether the lines fill all workgroups is a part of it.
TEST_P(FftBatches, OfOneShapeShareAKernel) {
  for (const uint64_t n : {uint64_t{16}, uint64_t{60}, uint64_t{256}}) {
    shapes_.clear();
    std::vector<Plan> plans;
    for (const uint64_t count : {1, 3, 64, 61, 1000, 960, 12345, 1001}) {
      Plan& plan = plans.emplace_back(make(rows(count, n)));
      SCOPED_TRACE(fmt::format("{} lines of {}", count, n));
      expect_kernel_per_shape(plan, count % lines_of(shape(plan)) == 0 ? "full" : "partial");
      if (count <= 1000) expect_transform(plan, {count, n});
    }
    EXPECT_LT(shapes_.size(), plans.size()) << n;
  }
}

TEST_P(FftBatches, OfLongLinesShareTheirKernels) {
  if (compiles_long()) GTEST_SKIP() << "PoCL takes seconds to compile these";
  std::vector<Plan> plans;
  for (const uint64_t count : {1, 3, 8}) {
    SCOPED_TRACE(count);
    expect_kernel_per_shape(plans.emplace_back(make(rows(count, 1 << 15))));
  }
  EXPECT_LT(shapes_.size(), 2 * plans.size());
}

// Lines with gaps, and lines that begin somewhere in their buffer.
TEST_P(FftBatches, LieAnywhereByOneKernel) {
  const uint64_t n = 256, before = kernels();
  std::vector<Plan> plans;
  for (const uint64_t pitch : {uint64_t{0}, n + 2, n + 3, 5 * n}) {
    for (const uint64_t offset : {1, 7, 100}) {
      const Rows lines{64, n, pitch, offset};
      expect_transform(plans.emplace_back(make(lines.desc())), lines);
    }
    EXPECT_EQ(kernels() - before, pitch == 0 ? 1u : 2u) << pitch;
  }
}

// Three-dimensional arrays of which the middle axis is transformed: the outermost count is the launch's.
TEST_P(FftBatches, OfColumnsShareAKernel) {
  std::vector<Plan> plans;
  for (const uint64_t count : {1, 2, 5, 300, 301}) {
    SCOPED_TRACE(count);
    const Plan& plan = plans.emplace_back(make(columns(count, 60, 24)));
    expect_kernel_per_shape(plan);
    if (count > 5) continue;
    const Numbers data = numbers(count * 60 * 24);
    Numbers got;
    ASSERT_NO_FATAL_FAILURE(launch(plan, data, got));
    for (uint64_t line = 0; line < count * 24; ++line) {
      Numbers from(60), to(60);
      for (uint64_t i = 0; i < 60; ++i) {
        const uint64_t at = line / 24 * 60 * 24 + i * 24 + line % 24;
        from[i] = data[at], to[i] = got[at];
      }
      expect_near(to, dft(from, -1));
    }
  }
  EXPECT_LT(shapes_.size(), plans.size());
}

// Several filters, each with results of its own behind those of all lines.
TEST_P(FftBatches, OfSeveralFiltersShareAKernel) {
  constexpr uint64_t kFilters = 3, kLength = 64;
  for (const vd_fft_flags flags : {vd_fft_flags{0}, vd_fft_flags{VD_FFT_SHARED_FILTER}}) {
    shapes_.clear();
    std::vector<Plan> plans;
    for (const uint64_t count : {7, 61, 1001, 999}) {
      SCOPED_TRACE(fmt::format("{} lines, flags {:#x}", count, flags));
      vd_fft_desc desc = rows(count, kLength);
      desc.flags = VD_FFT_CONVOLVE | VD_FFT_OUT_OF_PLACE | flags;
      desc.filter_count = kFilters;
      const Plan& plan = plans.emplace_back(make(desc));
      expect_kernel_per_shape(plan);
      if (count > 100) continue;
      // A filter of one number scales its lines by that.
      const uint64_t lines = flags != 0 ? 1 : count, size = count * kLength;
      const auto factor = [&](uint64_t filter, uint64_t line) {
        return static_cast<float>(filter + 1 + line % lines % 4);
      };
      Numbers filters(kFilters * lines * kLength);
      for (size_t i = 0; i < filters.size(); ++i) filters[i] = factor(i / (lines * kLength), i / kLength % lines);
      const Numbers data = numbers(size);
      const Buffer out = buffer(Numbers(kFilters * size)), in = buffer(data), filter = buffer(filters);
      ASSERT_OK(launch_whole(plan, {out, in, filter}));
      Numbers wanted(kFilters * size);
      for (size_t i = 0; i < wanted.size(); ++i) wanted[i] = factor(i / size, i / kLength % count) * data[i % size];
      expect_near(read(out, wanted.size()), wanted);
    }
    EXPECT_LT(shapes_.size(), plans.size());
  }
}

// A launch's values are what a map's indices follow from.
TEST_P(FftBatches, WithAMapShareAKernel) {
  std::vector<Plan> plans;
  for (const uint64_t count : {61, 1001, 999, 3001}) {
    vd_fft_desc desc = rows(count, 64);
    desc.flags = VD_FFT_MAP_OUTPUT | VD_FFT_OUT_OF_PLACE;
    Plan& plan = plans.emplace_back();
    ASSERT_NO_FATAL_FAILURE(
        map_output(desc, plan, [](vd_builder*, const vd_fft_element&, vd_value number) { return number; }));
    SCOPED_TRACE(count);
    expect_kernel_per_shape(plan);
  }
  EXPECT_LT(shapes_.size(), plans.size());
}

// The values of a launch are a graph's, too, beside those of other plans.
TEST_P(FftBatches, InOneGraph) {
  const Rows few{3, 60, 70, 5}, many{50, 60, 64, 1};
  const Plan first = make(few.desc()), second = make(many.desc());
  const Numbers a = numbers(few.end()), b = numbers(many.end());
  Buffer at_first = buffer(a), at_second = buffer(b);
  Graph graph;
  ASSERT_OK(vd_graph_create(context_, nullptr, graph.out()));
  for (const auto& [plan, of] : {std::pair{&first, &at_first}, {&second, &at_second}}) {
    const vd_binding binding = VD_BINDING_OF(*of, 0, VD_WHOLE_SIZE);
    vd_launch_desc launch = VD_LAUNCH_DESC_INIT;
    launch.bindings = &binding;
    launch.binding_count = 1;
    ASSERT_OK(vd_graph_launch(graph, *plan, &launch, nullptr));
  }
  ASSERT_OK(vd_graph_submit(graph, nullptr, nullptr));
  for (const auto& [r, data, of] : {std::tuple{&few, &a, &at_first}, {&many, &b, &at_second}}) {
    const Numbers got = read(*of, data->size());
    for (uint64_t line = 0; line < r->count; ++line) {
      const auto at = static_cast<ptrdiff_t>(r->first(line)), n = static_cast<ptrdiff_t>(r->n);
      expect_near({got.begin() + at, got.begin() + at + n}, dft({data->begin() + at, data->begin() + at + n}, -1));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(InTurn, FftBatches, each_backend(), backend_name);

}  // namespace
}  // namespace api
