// The kernels of a broad list of plans, as hashes: a change of the generator's shape leaves them as they are, and one
// that is meant to change kernels shows which. tests/kernels/fft_plans has a file for each device, with a hash for each
// family of plans; `--update` rewrites it. With VD_FFT_KERNELS=FOLDER every length is planned, and a line for each plan
// written there, to compare two builds: the hash of its kernels and of what explain() says, and that of its constants.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "core/hash.h"
#include "devices.h"
#include "fft/block.h"
#include "fft/transform.h"
#include "ir/text.h"
#include "support/same_order.h"
#include "support/samples.h"

namespace vd::fft::test {
namespace {

// Devices as their drivers describe them. Nothing is compiled. Sanitizers, which are slow, find faults in one device's
// plans as in another's.
struct Described {
  const char* name;
  vd_device_info info;
  friend void PrintTo(const Described& device, std::ostream* out) { *out << device.name; }
};

std::vector<Described> described_devices() {
  vd_device_info host = h200(VD_BACKEND_HOST), small = h200(VD_BACKEND_VULKAN);
  host.max_shared_memory_size = 32768;
  small.registers_per_multiprocessor = small.multiprocessor_count = small.shared_memory_per_multiprocessor = 0;
  small.max_shared_memory_size = 16384;
  small.max_workgroup_invocations = small.max_workgroup_size[0] = 128;
  if (vd::test::kSanitized) return {{"small", small}};
  return {{"cuda", h200(VD_BACKEND_CUDA)},
          {"vulkan", h200(VD_BACKEND_VULKAN)},
          {"opencl", h200(VD_BACKEND_OPENCL)},
          {"host", host},
          {"small", small}};
}

struct Plan {
  std::string family, name;
  vd_fft_desc desc = VD_FFT_DESC_INIT;
  uint32_t shared = 0;  // bytes of shared memory at most; 0: the device's
  std::string tuning;
};

vd_fft_desc array(const std::vector<uint64_t>& shape, const std::vector<int32_t>& axes) {
  vd_fft_desc desc = VD_FFT_DESC_INIT;
  desc.rank = static_cast<uint32_t>(shape.size());
  desc.axis_count = static_cast<uint32_t>(axes.size());
  std::ranges::copy(shape, desc.shape);
  std::ranges::copy(axes, desc.axes);
  return desc;
}

class Plans {
 public:
  explicit Plans(bool all) : all_(all) {
    lengths();
    shapes();
    reals();
    convolutions();
    options();
    unturned();
    maps();
    orders();
  }
  std::vector<Plan> list;

 private:
  Plan& add(const char* family, const std::string& name, const vd_fft_desc& desc) {
    list.push_back({family, name, desc, 0, ""});
    return list.back();
  }
  // Short lengths whole, others one in some.
  bool takes(uint64_t n, uint64_t step) const { return all_ || n <= 17 || n % step == 0; }

  void lengths() {
    for (uint64_t n = 1; n <= 2100; ++n) {
      if (takes(n, 89)) add("lines", fmt::format("{}", n), array({7, n}, {1}));
      if (takes(n, 139)) add("columns", fmt::format("{}", n), array({3, n, 40}, {1}));
    }
    for (uint64_t n = 2; n <= uint64_t{1} << (all_ ? 27 : 20); n *= 2) {
      const uint64_t count = std::max<uint64_t>((uint64_t{1} << 22) / n, 1);
      add("powers", fmt::format("{}", n), array({count, n}, {1}));
      add("powers", fmt::format("{} alone", n), array({n}, {0}));
      if (n <= 1 << 14) add("powers", fmt::format("{} columns", n), array({2, n, 1024}, {1}));
    }
    for (const uint64_t n :
         {3000u, 3125u, 4096u * 3, 6561u, 10000u, 15015u, 30030u, 46656u, 100000u, 531441u, 1000000u, 2985984u})
      add("mixed", fmt::format("{}", n), array({4, n}, {1}));
    for (const uint64_t n : {2053u, 2070u, 4099u, 8191u, 10007u, 65537u})
      if (n < 10000 || all_) add("primes", fmt::format("{}", n), array({4, n}, {1}));
  }
  void shapes() {
    for (const uint64_t n : {4, 17, 60, 64, 128, 256, 1000, 1024}) {
      add("planes", fmt::format("{}", n), array({4, n, n}, {1, 2}));
      add("planes", fmt::format("{} columns first", n), array({4, n, n}, {2, 1}));
      if (n <= 256) add("cubes", fmt::format("{}", n), array({n, n, n}, {0, 1, 2}));
    }
    add("planes", "8192", array({8192, 8192}, {0, 1}));
    for (const uint64_t n : {16, 60, 1024, 20000}) {
      vd_fft_desc strided = array({3, n, 5}, {1});
      const auto pitch = static_cast<int64_t>(5 * n + 11);
      const int64_t strides[] = {pitch, 5, 1}, apart[] = {static_cast<int64_t>(10 * n), 10, 2};
      std::ranges::copy(strides, strided.in_strides);
      strided.in_offset = 3;
      add("strides", fmt::format("{}", n), strided);
      std::ranges::copy(apart, strided.out_strides);
      strided.out_offset = 4;
      strided.flags = VD_FFT_OUT_OF_PLACE;
      add("strides", fmt::format("{} apart", n), strided);
      add("strides", fmt::format("{} first axis", n), array({n, 131072}, {0}));
    }
    add("strides", "many lines", array({uint64_t{1} << 27, 8}, {1}));
  }
  void reals() {
    for (const vd_fft_kind kind : {VD_FFT_KIND_R2C, VD_FFT_KIND_C2R}) {
      const char* way = kind == VD_FFT_KIND_R2C ? "r2c" : "c2r";
      for (const uint64_t n : {1, 2, 9, 16, 17, 60, 256, 512, 600, 1000, 1001, 1024, 2048, 4096, 8192, 65536, 1009}) {
        for (const bool apart : {false, true}) {
          vd_fft_desc desc = array({6, n}, {1});
          desc.kind = kind;
          desc.flags = apart ? VD_FFT_OUT_OF_PLACE : 0;
          add("real", fmt::format("{} {}{}", way, n, apart ? " apart" : ""), desc);
          desc = array({2, 12, n}, {2, 1});
          if (kind == VD_FFT_KIND_C2R) std::swap(desc.axes[0], desc.axes[1]);
          desc.kind = kind;
          desc.flags = apart ? VD_FFT_OUT_OF_PLACE : 0;
          add("real", fmt::format("{} {} planes{}", way, n, apart ? " apart" : ""), desc);
        }
      }
    }
  }
  void convolutions() {
    for (const uint64_t n : {1, 8, 17, 60, 256, 502, 1000, 1024, 4096, 30000}) {
      for (const uint32_t filters : {1u, 3u}) {
        for (const vd_fft_flags flags : {vd_fft_flags{VD_FFT_CONVOLVE | VD_FFT_OUT_OF_PLACE},
                                         vd_fft_flags{VD_FFT_CONVOLVE | VD_FFT_SHARED_FILTER | VD_FFT_CONJUGATE}}) {
          if (filters > 1 && (flags & VD_FFT_OUT_OF_PLACE) == 0) continue;
          vd_fft_desc desc = array({5, n}, {1});
          desc.flags = flags;
          desc.filter_count = filters;
          const std::string name = fmt::format("{} filters {} flags {}", n, filters, flags);
          add("convolutions", name, desc);
          desc.kind = VD_FFT_KIND_R2C;
          if ((flags & VD_FFT_OUT_OF_PLACE) != 0) add("convolutions", name + " real", desc);
          desc = array({3, n, 16}, {1});
          desc.flags = flags;
          desc.filter_count = filters;
          add("convolutions", name + " columns", desc);
          if (n > 1024) continue;
          desc = array({2, 30, n}, {2, 1});
          desc.flags = flags;
          desc.filter_count = filters;
          add("convolutions", name + " planes", desc);
        }
      }
    }
  }
  void options() {
    for (const uint64_t n : {15, 60, 64, 97, 256, 1024, 4096, 20000}) {
      vd_fft_desc desc = array({5, n}, {1});
      desc.direction = VD_FFT_DIRECTION_INVERSE;
      desc.norm = VD_FFT_NORM_ORTHO;
      add("options", fmt::format("{} inverse", n), desc);
      desc.in_low[1] = n / 5, desc.in_high[1] = n - n / 4;
      desc.out_low[1] = n / 3;
      add("options", fmt::format("{} padded", n), desc);
      desc = array({n, 9, 24}, {0, 1});
      desc.in_high[0] = (n + 7) / 8, desc.in_high[1] = 4, desc.out_high[0] = n - 1;
      add("options", fmt::format("{} padded planes", n), desc);
      for (const vd_type type : {VD_TYPE_COMPLEX_F64, VD_TYPE_COMPLEX_F16}) {
        desc = array({5, n}, {1});
        desc.in_type = desc.out_type = type;
        add("options", fmt::format("{} {}", n, type == VD_TYPE_COMPLEX_F64 ? "f64" : "f16"), desc);
        desc.flags = VD_FFT_OUT_OF_PLACE;
        desc.out_type = VD_TYPE_COMPLEX_F32;
        add("options", fmt::format("{} {} to f32", n, type == VD_TYPE_COMPLEX_F64 ? "f64" : "f16"), desc);
      }
      desc = array({5, n}, {1});
      desc.max_registers = 8;
      add("options", fmt::format("{} few registers", n), desc);
      for (const uint32_t shared : {128u, 1024u}) {
        add("parts", fmt::format("{} in {}", n, shared), array({5, n}, {1})).shared = shared;
        add("parts", fmt::format("{} columns in {}", n, shared), array({3, n, 8}, {1})).shared = shared;
        for (const vd_fft_kind kind : {VD_FFT_KIND_R2C, VD_FFT_KIND_C2R}) {
          desc = array({3, n}, {1});
          desc.kind = kind;
          add("parts", fmt::format("{} real {} in {}", n, static_cast<int>(kind), shared), desc).shared = shared;
        }
        desc = array({3, n}, {1});
        desc.flags = VD_FFT_CONVOLVE | VD_FFT_OUT_OF_PLACE;
        desc.filter_count = 2;
        add("parts", fmt::format("{} convolution in {}", n, shared), desc).shared = shared;
      }
      for (const char* words :
           {"staged_in=1,staged_out=1", "staged_in=1,staged_out=0", "staged_in=0,staged_out=1", "planar=1,swizzle=0",
            "planar=0", "registers=32,lines=3", "registers=8,threads=256", "butterflies=fewest"})
        if (n <= 1024) add("tuned", fmt::format("{} {}", n, words), array({7, n}, {1})).tuning = words;
    }
  }
  void unturned() {
    for (const uint64_t n : {15015, 65536, 1000000})
      add("unturned", fmt::format("{}", n), array({3, n}, {1})).tuning = "turned=0";
  }
  void maps() {
    constexpr vd_fft_flags kIn = VD_FFT_MAP_INPUT, kOut = VD_FFT_MAP_OUTPUT, kFilter = VD_FFT_MAP_FILTER;
    for (const uint64_t n : {1, 12, 16, 17, 60, 256, 1000, 4096, 20000}) {
      for (const vd_fft_flags flags :
           {kIn | kOut, vd_fft_flags{kIn | VD_FFT_OUT_OF_PLACE}, vd_fft_flags{kOut | VD_FFT_OUT_OF_PLACE}}) {
        vd_fft_desc desc = array({3, n}, {1});
        desc.flags = flags;
        add("maps", fmt::format("{} flags {}", n, flags), desc);
        desc = array({2, n, 6}, {1, 2});
        desc.flags = flags;
        add("maps", fmt::format("{} flags {} planes", n, flags), desc);
      }
      for (const vd_fft_flags flags : {kFilter, kFilter | kOut, kFilter | kIn | kOut, kOut}) {
        for (const uint32_t filters : {1u, 3u}) {
          vd_fft_desc desc = array({3, n}, {1});
          desc.flags = flags | VD_FFT_CONVOLVE | VD_FFT_OUT_OF_PLACE;
          desc.filter_count = filters;
          add("maps", fmt::format("{} convolution flags {} filters {}", n, flags, filters), desc);
          if (n <= 256) {
            desc = array({2, n, 10}, {2, 1});
            desc.flags = flags | VD_FFT_CONVOLVE | VD_FFT_OUT_OF_PLACE;
            desc.filter_count = filters;
            add("maps", fmt::format("{} convolution of planes flags {} filters {}", n, flags, filters), desc);
          }
          if (n > 1000) add("maps", fmt::format("{} parts flags {} filters {}", n, flags, filters), desc).shared = 1024;
        }
      }
    }
  }

  void orders() {
    constexpr vd_fft_flags kConvolve = VD_FFT_CONVOLVE | VD_FFT_OUT_OF_PLACE;
    for (const uint64_t n : {4096, 30000, 65536, 1 << 18, 1 << 20}) {
      for (const vd_fft_flags flags : {vd_fft_flags{0}, vd_fft_flags{VD_FFT_OUT_OF_PLACE}, kConvolve,
                                       vd_fft_flags{kConvolve | VD_FFT_SHARED_FILTER}}) {
        for (const vd_fft_direction direction : {VD_FFT_DIRECTION_FORWARD, VD_FFT_DIRECTION_INVERSE}) {
          const std::string name = fmt::format("{} flags {} direction {}", n, flags, static_cast<int>(direction));
          for (const bool columns : {false, true}) {
            vd_fft_desc desc = columns ? array({n, 48}, {0}) : array({5, n}, {1});
            desc.spectrum = VD_FFT_SPECTRUM_ANY;
            desc.flags = flags;
            desc.direction = direction;
            add("orders", name + (columns ? " columns" : ""), desc);
          }
        }
      }
    }
  }

  const bool all_;
};

// Writes a problem's kernels; maps do what the pass would do without them, or change the element a little.
Program write(const Problem& problem, const Limits& limits, Hasher& seen) {
  ProgramWriter writer(problem, limits, [](const vd_builder_desc& d) { return make_ref<ir::Builder>(d); });
  Value buffers[3] = {};
  for (Element e; writer.next(e);) {
    seen.add(static_cast<uint32_t>(e.point)).add(e.part).add(e.id).add(e.count).add(e.instance);
    ir::Builder& b = writer.builder();
    ir::KernelWriter c(b);
    switch (e.point) {
      case Point::Arguments:
        buffers[e.part] = b.argument(VD_ARGUMENT_BUFFER, ir::Type::complex(ir::Scalar::F32), "mapped");
        break;
      case Point::Read:
        writer.generator().read(e, buffers[1], 0, e.value);
        break;
      case Point::Filter:
        if (buffers[2] != 0) writer.generator().read(e, buffers[2], e.address, e.value);
        c.store(e.value, c.load(e.value));
        break;
      case Point::Write:
        writer.generator().write(e, buffers[0], 0, e.value);
        break;
    }
  }
  return writer.finish();
}

std::pair<Hash128, Hash128> hashes(const Plan& plan, const vd_device_info& info) {
  Hasher kernels, constants;
  Limits limits = device_limits(info, plan.desc.max_registers);
  limits.tuning = Tuning::parse(plan.tuning);
  if (plan.shared != 0) limits.shared_bytes = plan.shared;
  try {
    for (const Problem& problem : read_transform(plan.desc, limits)) {
      const Program program = write(problem, limits, kernels);
      for (const Pass& pass : program.passes) {
        kernels.add(ir::print_text(pass.kernel->code, 0)).add(pass.kernel->code.name).add(uint8_t{pass.workspace});
        for (const uint32_t count : pass.layout.workgroups) kernels.add(count);
      }
      kernels.add(program.text()).add(program.workspace_size).add(program.constants->size);
      for (const Constants::Part& part : program.constants->parts) constants.add(std::span(part.bytes));
    }
  } catch (const Error& error) {
    ADD_FAILURE() << plan.family << " " << plan.name << ": " << error.what();
  }
  return {kernels.finish(), constants.finish()};
}

// A transform in a caller's kernel, there and back through shared memory.
Hash128 hash_of_block(const vd_fft_block_desc& desc) {
  const Ref<ir::Builder> builder = make_ref<ir::Builder>(vd_builder_desc VD_BUILDER_DESC_INIT);
  const vd_value data = builder->argument(VD_ARGUMENT_BUFFER, ir::Type(desc.compute_type), "data");
  const Ref<vd_fft_block> block = make_ref<vd_fft_block>(*builder, desc);
  ir::KernelWriter c(*builder);
  const auto each = [&](vd_fft_access access, auto&& body) {
    for (;;) {
      vd_fft_block_element element = VD_FFT_BLOCK_ELEMENT_INIT;
      block->next(access, element);
      if (element.value == 0) return;
      body(element);
    }
  };
  each(VD_FFT_ACCESS_READ, [&](auto& e) { c.store(e.value, c.load(c.at(data, e.index))); });
  block->execute(false);
  block->reorder(VD_FFT_ORDER_INPUT);
  block->execute(true);
  block->to_shared();
  block->from_shared(VD_FFT_ORDER_OUTPUT);
  each(VD_FFT_ACCESS_WRITE, [&](auto& e) { c.store(c.at(data, e.index), c.load(e.value)); });
  while (true) {
    vd_fft_block_remark remark = VD_FFT_BLOCK_REMARK_INIT;
    block->take_remark(remark);
    if (remark.kind == VD_FFT_BLOCK_REMARK_NONE) break;
  }
  return hash_text(ir::print_text(builder->finish(), 0));
}

// Counts of plans and hashes of families, against tests/kernels/fft_plans/NAME.txt.
class Recorded {
 public:
  explicit Recorded(const std::string& name) : name_(name), folder_(std::getenv("VD_FFT_KERNELS")) {
    if (folder_ != nullptr) list_.open(std::filesystem::path(folder_) / (name + ".txt"));
  }
  bool takes_all() const { return folder_ != nullptr; }
  void add(const std::string& family, const std::string& name, Hash128 hash, Hash128 constants) {
    auto& [count, hasher] = families_[family];
    ++count;
    hasher.add(name).add(hash);
    if (folder_ != nullptr) list_ << family << " " << name << ": " << hash.hex() << " " << constants.hex() << "\n";
  }
  void compare() {
    if (folder_ != nullptr) return;  // other plans than the recorded ones, too
    std::string text;
    for (auto& [family, of] : families_)
      text += fmt::format("{}: {} plans {}\n", family, of.first, of.second.finish().hex());
    const char* data = std::getenv("VD_TEST_DATA");
    const auto path =
        std::filesystem::path(data != nullptr ? data : "tests") / "kernels" / "fft_plans" / (name_ + ".txt");
    if (std::getenv("VD_UPDATE") != nullptr) {
      std::filesystem::create_directories(path.parent_path());
      std::ofstream(path) << text;
      return;
    }
    std::stringstream held;
    held << std::ifstream(path).rdbuf();
    if (vd::test::kSameOrder) {
      EXPECT_EQ(held.str(), text) << path << " differs; --update rewrites it";
    } else {
      EXPECT_EQ(std::ranges::count(held.str(), '\n'), std::ranges::count(text, '\n'));
    }
  }

 private:
  const std::string name_;
  const char* folder_;
  std::ofstream list_;
  std::map<std::string, std::pair<size_t, Hasher>> families_;
};

class Kernels : public testing::TestWithParam<Described> {};

TEST_P(Kernels, OfEveryPlanAreAsRecorded) {
  Recorded recorded(GetParam().name);
  const std::vector<Plan> plans = Plans(recorded.takes_all()).list;
  for (size_t i = 0; i < plans.size(); i += vd::test::kSanitized ? 7 : 1) {
    const auto [hash, constants] = hashes(plans[i], GetParam().info);
    recorded.add(plans[i].family, plans[i].name, hash, constants);
  }
  if (!vd::test::kSanitized) recorded.compare();
}

INSTANTIATE_TEST_SUITE_P(Devices, Kernels, testing::ValuesIn(described_devices()),
                         [](const auto& info) { return info.param.name; });

TEST(BlockKernels, AreAsRecorded) {
  Recorded recorded("blocks");
  for (const uint64_t n : {1, 6, 16, 60, 256, 1000, 2048}) {
    for (const uint64_t inner : {1, 32}) {
      for (const vd_type type : {VD_TYPE_COMPLEX_F32, VD_TYPE_COMPLEX_F64}) {
        vd_fft_block_desc desc = VD_FFT_BLOCK_DESC_INIT;
        desc.size = n;
        desc.inner_count = inner;
        desc.outer_count = 5;
        desc.compute_type = type;
        desc.max_invocations = 1024;
        desc.max_shared_size = 64 << 10;
        recorded.add("blocks", fmt::format("{} {} {}", n, inner, static_cast<int>(type)), hash_of_block(desc), {});
      }
    }
  }
  recorded.compare();
}

}  // namespace
}  // namespace vd::fft::test
