// Code that programs share: by its key, and out of a cache.
#include "fft/program_code.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "devices.h"
#include "fft/code_store.h"
#include "fft/transform.h"
#include "unit/fft/support.h"

namespace vd::fft::test {
namespace {

Ref<ir::Builder> plain_builder(const vd_builder_desc& desc) { return make_ref<ir::Builder>(desc); }

Program write_program(const Problem& problem, const Limits& limits, CodeStore* store) {
  ProgramWriter writer(problem, limits, plain_builder, 0, store);
  Element element;
  EXPECT_FALSE(writer.next(element));
  return writer.finish();
}

Hash128 code_of(const Program& program) {
  Hasher hasher;
  for (const Pass& pass : program.passes) hasher.add(pass.kernel->hash).add(pass.kernel->code.name);
  hasher.add(program.constants->size);
  for (const Constants::Part& part : program.constants->parts) hasher.add(part.offset).add(std::span(part.bytes));
  for (const DeviceChirp& chirp : program.constants->chirps) hasher.add(chirp.first).add(chirp.n);
  return hasher.finish();
}

// All that a launch gets of it.
std::string launch_of(const Program& program) {
  std::string text = program.text();
  for (const Pass& pass : program.passes) {
    text += fmt::format("{} {} {}:", pass.layout.workgroups[0], pass.layout.workgroups[1], pass.layout.workgroups[2]);
    for (const std::byte byte : pass.values) text += fmt::format(" {}", static_cast<int>(byte));
  }
  return text;
}

// Transforms of one kind by their counts, pitches and offsets.
std::vector<vd_fft_desc> variations(vd_fft_desc desc, uint64_t n) {
  std::vector<vd_fft_desc> all;
  for (const uint64_t count : vd::test::some({1, 50, 1024, 3000, 70000})) {
    desc.shape[0] = count;
    all.push_back(desc);
    if (desc.rank != 2 || count > 50) continue;
    for (const uint64_t pitch : {n, n + 6, uint64_t{1} << 33}) {
      for (const uint64_t offset : {uint64_t{0}, uint64_t{6}, uint64_t{1} << 32}) {
        vd_fft_desc other = desc;
        other.flags |= VD_FFT_OUT_OF_PLACE;
        other.in_strides[0] = static_cast<int64_t>(pitch), other.in_strides[1] = 1;
        other.in_offset = offset;
        all.push_back(other);
        other.out_offset = offset;
        all.push_back(other);
      }
    }
  }
  return all;
}

std::vector<vd_fft_desc> kinds(uint64_t n) {
  vd_fft_desc desc = VD_FFT_DESC_INIT;
  desc.rank = 2;
  desc.shape[1] = n;
  std::vector<vd_fft_desc> all{desc};
  desc.kind = VD_FFT_KIND_R2C;
  all.push_back(desc);
  desc.kind = VD_FFT_KIND_C2R;
  all.push_back(desc);
  desc = all.front();
  desc.direction = VD_FFT_DIRECTION_INVERSE;
  desc.norm = VD_FFT_NORM_ORTHO;
  desc.out_high[1] = n / 2 + 1;
  all.push_back(desc);
  desc = all.front();
  desc.flags = VD_FFT_CONVOLVE | VD_FFT_OUT_OF_PLACE;
  all.push_back(desc);
  desc.filter_count = 2;
  desc.flags |= VD_FFT_SHARED_FILTER;
  all.push_back(desc);
  desc = all.front();
  desc.rank = 3;
  desc.shape[2] = 12;
  desc.axis_count = 1;
  desc.axes[0] = 1;
  all.push_back(desc);
  desc.axis_count = 2;
  desc.axes[1] = 2;
  all.push_back(desc);
  return all;
}

// Programs of one key have the same code, and those that get it from a cache are as if they were written.
TEST(ProgramCode, IsThatOfItsKey) {
  size_t programs = 0, keys = 0;
  for (const vd_backend backend : {VD_BACKEND_HOST, VD_BACKEND_CUDA}) {
    const Limits limits = device_limits(h200(backend), 0);
    for (const uint64_t n : vd::test::some({256, 20000, 97})) {
      for (const vd_fft_desc& kind : kinds(n)) {
        std::map<Hash128, Hash128> known;
        runtime::WrittenCache cache;
        CodeStore store(cache);
        for (const vd_fft_desc& desc : variations(kind, n)) {
          std::vector<Problem> problems;
          try {
            problems = read_transform(desc, limits);
          } catch (const Error&) {
            continue;  // other strides are needed
          }
          for (const Problem& problem : problems) {
            Table table;
            const Hash128 key = key_of(problem, make_plan(problem, limits, table), table, 0);
            const Program written = write_program(problem, limits, nullptr);
            const auto [at, fresh] = known.try_emplace(key, code_of(written));
            ASSERT_EQ(at->second, code_of(written)) << written.text();
            const Program shared = write_program(problem, limits, &store);
            ASSERT_EQ(code_of(shared), code_of(written)) << written.text();
            ASSERT_EQ(launch_of(shared), launch_of(written));
            ++programs;
            keys += fresh ? 1 : 0;
          }
        }
      }
    }
  }
  EXPECT_LT(10 * keys, 9 * programs);  // others have code that is there
}

TEST(ProgramCode, IsKeptForTheLastPlans) {
  runtime::WrittenCache cache;
  const auto added = std::make_shared<const int>(1);
  const auto key = [](uint64_t number) { return Hash128{number, 0}; };
  cache.add(key(0), added);
  EXPECT_EQ(cache.find(key(0)), added);
  EXPECT_EQ(cache.find(key(1)), nullptr);
  for (uint64_t i = 1; i < 64; ++i) cache.add(key(i), std::make_shared<const int>(0));
  EXPECT_EQ(cache.find(key(0)), added);
  cache.add(key(64), added);
  EXPECT_EQ(cache.find(key(0)), nullptr);
  EXPECT_EQ(cache.find(key(64)), added);
}

}  // namespace
}  // namespace vd::fft::test
