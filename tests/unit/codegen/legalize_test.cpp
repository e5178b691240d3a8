// A kernel does the same before and after it is made legal for a language: both run on the host, on the same data.
#include "codegen/legalize/legalize.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "ir/rewriter.h"
#include "ir/text.h"
#include "ir/verify.h"
#include "unit/codegen/kernels.h"
#include "unit/host/support.h"

namespace vd::test {
namespace {

using namespace ir;

struct Legal {
  const codegen::Dialect* dialect;
  Case kernel;
  bool all_types = true;  // subgroups have all of them
};
void PrintTo(const Legal& l, std::ostream* out) {
  *out << l.dialect->name << " " << l.kernel.name << (l.all_types ? "" : " by 32 bits");
}

std::vector<Legal> all() {
  std::vector<Legal> list;
  for (const codegen::Dialect* d : {&codegen::kGlsl, &codegen::kCuda, &codegen::kOpenCl})
    for (const Case& c : kernel_cases())
      if (c.name != "prints") list.push_back({d, c});  // the host fails where an assertion does
  for (const Case& c : kernel_cases())
    if (c.name == "subgroup_types") list.push_back({&codegen::kGlsl, c, false});
  return list;
}

// Numbers of a type, small enough to compute with and odd enough to be distinct.
void fill(const TypeTable& types, Type type, std::mt19937& random, std::byte* to) {
  if (type.is_array() || type.is_matrix()) {
    const Type part = type.is_array() ? types.get_array(type).element : type.component();
    const uint32_t count = type.is_array() ? types.get_array(type).count : type.count();
    for (uint32_t i = 0; i < count; ++i) fill(types, part, random, to + types.size(part) * i);
    return;
  }
  if (type.is_struct()) {
    for (const Field& f : types.get_struct(type).fields) fill(types, f.type, random, to + f.offset);
    return;
  }
  for (uint32_t i = 0; i < type.count(); ++i) {
    const Scalar s = type.scalar();
    const double x = random() % 4 == 0
                         ? std::ldexp(static_cast<double>(random() % 1000), static_cast<int>(random() % 12))
                         : static_cast<double>(random() % 64) / 4 - (type.is_unsigned() ? 0 : 4);
    uint64_t bits = scalar_bits_of(s, type.is_integer() ? std::trunc(x) : x);
    if (type.is_integer() && random() % 4 == 0)
      bits = random() % 5 == 0 ? ~uint64_t{0} : uint64_t{random()} << 29 ^ random();
    std::memcpy(to + scalar_size(s) * i, &bits, scalar_size(s));
  }
}

struct Data {
  std::vector<std::vector<std::byte>> buffers;
  std::vector<std::byte> values;
};

Data make_data(const Kernel& kernel) {
  std::mt19937 random(5);
  Data data;
  data.values.resize(kernel.values.total_size);
  for (const Argument& a : kernel.arguments) {
    if (a.kind != VD_ARGUMENT_BUFFER) {
      fill(kernel.types, a.type, random, data.values.data() + a.offset);
      continue;
    }
    const size_t size = kernel.types.size(a.type);
    data.buffers.emplace_back(size * 600);
    for (size_t i = 0; i < 600; ++i) fill(kernel.types, a.type, random, data.buffers.back().data() + size * i);
  }
  const uint32_t exec_size[] = {600, 1, 1};
  if (kernel.values.exec_size_offset != kNoOffset)
    std::memcpy(data.values.data() + kernel.values.exec_size_offset, exec_size, sizeof exec_size);
  return data;
}

Data run(host::test::Host& host, const Kernel& kernel, const Data& data) {
  const auto module = host.device().make_module({&kernel, nullptr, kernel.attributes.workgroup_size, "test"});
  std::vector<std::unique_ptr<backends::Memory>> memories;
  std::vector<backends::Memory*> pointers;
  for (const auto& bytes : data.buffers) {
    memories.push_back(host.buffer(bytes));
    pointers.push_back(memories.back().get());
  }
  host.run(*module, {1, 1, 1}, pointers, data.values);
  Data result;
  for (const auto& memory : memories) result.buffers.push_back(host.read<std::byte>(*memory));
  return result;
}

// The same bytes, but for the payload of NaNs.
bool same(Type type, const std::vector<std::byte>& a, const std::vector<std::byte>& b) {
  if (type.scalar() == Scalar::F32) {
    for (size_t i = 0; i + 4 <= a.size(); i += 4) {
      float x, y;
      std::memcpy(&x, a.data() + i, 4);
      std::memcpy(&y, b.data() + i, 4);
      if (std::memcmp(&x, &y, 4) != 0 && !(std::isnan(x) && std::isnan(y)) && x != y) return false;
    }
    return true;
  }
  return a == b;
}

// Ops that only printed code has, in ops that the host runs.
Kernel runnable(Kernel kernel) {
  return rewrite(std::move(kernel), [](Rewriter& r, ValueId id, const Inst& inst) {
    Emitter& e = r.out;
    const auto operand = [&](uint32_t i) { return r[r.operand(inst, i)]; };
    if (inst.op == kOpWidenHalf) {
      r.replace(id, e.convert(inst.type, operand(0)));
    } else if (inst.op == kOpMulHigh) {
      const Type wide = inst.type.with(Scalar::U64);
      const ValueId product = e.mul(e.convert(wide, operand(0)), e.convert(wide, operand(1)));
      r.replace(id, e.convert(inst.type, e.emit(VD_OP_SHR, product, e.bits(wide, 32))));
    } else {
      return false;
    }
    return true;
  });
}

class Legalize : public ::testing::TestWithParam<Legal> {};

TEST_P(Legalize, KeepsTheMeaning) {
  Kernel original = GetParam().kernel.make();
  if (original.attributes.workgroup_size[0] == 0) original.attributes.workgroup_size = {4, 1, 1};
  codegen::Options options;
  options.subgroup_extended_types = GetParam().all_types;
  Kernel legal = codegen::legalize(original, *GetParam().dialect, options);
  verify(legal);
  const Data data = make_data(original);
  host::test::Host host;
  const Data before = run(host, original, data), after = run(host, runnable(legal), data);
  size_t buffer = 0;
  for (const Argument& a : original.arguments) {
    if (a.kind != VD_ARGUMENT_BUFFER) continue;
    EXPECT_TRUE(same(a.type, before.buffers[buffer], after.buffers[buffer])) << a.name << "\n" << print_text(legal);
    ++buffer;
  }
}

// Each minimum of a window is used by two windows: 2^30 ways lead from the last one to the first row.
std::string windows(const char* first_op) {
  constexpr int kLevels = 30;
  std::string text = "kernel \"windows\"\nargument 0 buffer i32 \"x\"\n{\n  %0: storage i32 = index @0, u32 0\n";
  text += "  %1: i32 = load %0\n  %2: i32 = sub %1, i32 7\n  %3: storage i32 = index @0, u32 1\n  store %3, %2\n";
  int next = 4, row = 4;
  for (int i = 0; i <= kLevels; ++i) text += fmt::format("  %{}: i32 = {} %1, i32 {}\n", next++, first_op, i + 1);
  for (int level = kLevels; level > 0; --level) {
    const int above = row;
    row = next;
    for (int i = 0; i < level; ++i)
      text += fmt::format("  %{}: i32 = min %{}, %{}\n", next++, above + i, above + i + 1);
  }
  return text + fmt::format("  store %0, %{}\n}}\n", next - 1);
}

TEST(HideNegatives, LooksAtEachLimitOnce) {
  const auto hidden = [](const char* first_op) {
    int count = 0;
    const Kernel kernel = codegen::hide_negatives(parse_text(windows(first_op)));
    for (const Inst& inst : kernel.insts) count += inst.op == kOpMulHigh;
    return count;
  };
  EXPECT_EQ(hidden("xor"), 0);
  EXPECT_EQ(hidden("sub"), 2 * (30 * 29 / 2)) << "both operands of each minimum but those of the first row";
}

INSTANTIATE_TEST_SUITE_P(Kernels, Legalize, ::testing::ValuesIn(all()), [](const auto& info) {
  const std::string name = info.param.dialect->name;
  return name.substr(0, name.find(' ')) + "_" + info.param.kernel.name + (info.param.all_types ? "" : "_by_32_bits");
});

}  // namespace
}  // namespace vd::test
