// Layout of elements in buffers, uniform values, private arrays, and the accesses a generator asks for: several
// elements at once, views, shared memory at explicit offsets, asynchronous copies.
#include <bit>

#include "case.h"
#include "code.h"
#include "numbers.h"

namespace vdc {
namespace {

// out[i] = in[n - 1 - i] for an element type of `components` scalars: shows the stride that the device uses.
template <class T>
void reverse(Run& run, vd_type type, uint32_t components, const char* name) {
  constexpr uint32_t kCount = 67;
  std::vector<T> input(kCount * components);
  for (size_t k = 0; k < input.size(); ++k) input[k] = from_double<T>(static_cast<double>(k % 1000));
  Code code(name);
  Value in = code.buffer(type, "input"), out = code.buffer(type, "result");
  Value i = code.let(code.global_id());
  code.store(out[i], in[code.u32(kCount - 1) - i]);
  Kernel kernel = code.finish();
  Plan plan = run.session.plan(kernel, 32);
  Buffer a = run.session.buffer(input), b = run.session.buffer(input.size() * sizeof(T));
  run.session.launch(plan, {kCount, 1, 1}, {a, b});
  auto got = run.session.read<T>(b, input.size());
  for (size_t k = 0; k < got.size(); ++k) {
    const size_t from = (kCount - 1 - k / components) * components + k % components;
    if (to_double(got[k]) != to_double(input[from]))
      fail("%s: scalar %zu is %s, expected %s", name, k, show(got[k]).c_str(), show(input[from]).c_str());
  }
  run.report.compared += got.size();
}

void layout_32(Run& run) {
  reverse<float>(run, VD_TYPE_F32, 1, "f32"), reverse<float>(run, VD_TYPE_F32X2, 2, "f32x2");
  reverse<float>(run, VD_TYPE_F32X3, 3, "f32x3"), reverse<float>(run, VD_TYPE_F32X4, 4, "f32x4");
  reverse<int32_t>(run, VD_TYPE_I32X3, 3, "i32x3"), reverse<uint32_t>(run, VD_TYPE_U32X3, 3, "u32x3");
  reverse<float>(run, VD_TYPE_COMPLEX_F32, 2, "complex_f32");
  reverse<float>(run, VD_TYPE_F32M2, 4, "f32m2"), reverse<float>(run, VD_TYPE_F32M3, 9, "f32m3");
  reverse<float>(run, VD_TYPE_F32M4, 16, "f32m4");
}
void layout_64(Run& run) {
  reverse<double>(run, VD_TYPE_F64, 1, "f64"), reverse<double>(run, VD_TYPE_F64X2, 2, "f64x2");
  reverse<double>(run, VD_TYPE_F64X3, 3, "f64x3"), reverse<double>(run, VD_TYPE_COMPLEX_F64, 2, "complex_f64");
}
void layout_16(Run& run) {
  reverse<Half>(run, VD_TYPE_F16, 1, "f16"), reverse<Half>(run, VD_TYPE_F16X3, 3, "f16x3");
  reverse<Half>(run, VD_TYPE_F16X4, 4, "f16x4"), reverse<Half>(run, VD_TYPE_COMPLEX_F16, 2, "complex_f16");
}

// Components by constant and by computed index, stores of single components, swizzles.
void components(Run& run) {
  constexpr uint32_t kCount = 50;
  Code code("components");
  Value in = code.buffer(VD_TYPE_F32X3, "input"), out = code.buffer(VD_TYPE_F32X3, "result"),
        flat = code.buffer(VD_TYPE_F32, "flat");
  Value i = code.let(code.global_id());
  Value v = code.variable(in[i], "v");
  code.store(v[1u], v[0u] + v[2u]);
  code.store(out[i][0u], v[2u]);
  code.store(out[i][1u], v[1u]);
  code.store(out[i][2u], v[i % 3]);
  // .zyx as a swizzle, then its component i % 3
  Value zyx = code.let(code.op(VD_OP_SWIZZLE, {v}, VD_TYPE_NONE, 2 | 1 << 2 | 0 << 4 | 3 << 8));
  code.store(flat[i], zyx[i % 3]);
  Kernel kernel = code.finish();
  Plan plan = run.session.plan(kernel, 16);
  std::vector<float> input(kCount * 3);
  for (size_t k = 0; k < input.size(); ++k) input[k] = static_cast<float>(k) * 0.5f;
  Buffer a = run.session.buffer(input), b = run.session.buffer(input.size() * 4), c = run.session.buffer(kCount * 4);
  run.session.launch(plan, {kCount, 1, 1}, {a, b, c});
  auto got = run.session.read<float>(b, input.size());
  auto flat_got = run.session.read<float>(c, kCount);
  for (uint32_t k = 0; k < kCount; ++k) {
    const float x[3] = {input[3 * k], input[3 * k] + input[3 * k + 2], input[3 * k + 2]};
    const float expected[3] = {x[2], x[1], x[k % 3]};
    for (int j = 0; j < 3; ++j)
      if (got[3 * k + j] != expected[j])
        fail("components: element %u.%d is %g, expected %g", k, j, got[3 * k + j], expected[j]);
    if (flat_got[k] != x[2 - k % 3])
      fail("components: swizzle of element %u is %g, expected %g", k, flat_got[k], x[2 - k % 3]);
  }
  run.report.compared += got.size() + flat_got.size();
}

// Values of mixed sizes in one block keep scalar block layout, whatever a language's own layout is.
void uniform_values(Run& run) {
  Code code("uniform_values");
  Value out = code.buffer(VD_TYPE_F32, "result");
  Value a = code.constant(VD_TYPE_F32X3, "a"), b = code.constant(VD_TYPE_F32, "b"),
        c = code.constant(VD_TYPE_F32X2, "c"), d = code.constant(VD_TYPE_I32, "d"),
        e = code.argument(VD_ARGUMENT_VARIABLE, VD_TYPE_F32X4, "e"), f = code.constant(VD_TYPE_COMPLEX_F32, "f"),
        m = code.constant(VD_TYPE_F32M3, "m");
  uint32_t at = 0;
  for (uint32_t k = 0; k < 3; ++k) code.store(out[at++], a[k]);
  code.store(out[at++], b);
  for (uint32_t k = 0; k < 2; ++k) code.store(out[at++], c[k]);
  code.store(out[at++], code.convert(d, VD_TYPE_F32));
  for (uint32_t k = 0; k < 4; ++k) code.store(out[at++], e[k]);
  for (uint32_t k = 0; k < 2; ++k) code.store(out[at++], f[k]);
  for (uint32_t k = 0; k < 9; ++k) code.store(out[at++], m[k / 3][k % 3]);
  Kernel kernel = code.finish();
  vd_kernel_info info = VD_KERNEL_INFO_INIT;
  VDC(vd_kernel_get_info(kernel, &info));
  if (info.values_size != 88) fail("uniform_values: the block has %u bytes, expected 88", info.values_size);
  std::vector<float> values(22);
  for (size_t k = 0; k < values.size(); ++k) values[k] = static_cast<float>(k) + 0.25f;
  const int32_t integer = -77;
  std::memcpy(&values[6], &integer, 4);
  Plan plan = run.session.plan(kernel, 1);
  Buffer result = run.session.buffer(at * 4);
  run.session.launch(plan, {1, 1, 1}, {result}, values.data(), 88);
  auto got = run.session.read<float>(result, at);
  values[6] = -77;
  for (uint32_t k = 0; k < at; ++k)
    if (got[k] != values[k]) fail("uniform_values: word %u is %g, expected %g", k, got[k], values[k]);
  run.report.compared += at;
}

void private_arrays(Run& run) {
  constexpr uint32_t kCount = 100;
  Code code("private_arrays");
  Value out = code.buffer(VD_TYPE_U32, "result");
  Value i = code.let(code.global_id());
  Value table = code.variable(code.array(VD_TYPE_U32, 8), "table");
  Value k = code.begin_for(code.u32(0), code.u32(8), code.u32(1));
  code.store(table[k], k * 10 + i);
  code.end();
  code.store(table[i % 8], code.u32(1000));
  Value sum = code.variable(code.u32(0), "sum");
  Value j = code.begin_for(code.u32(0), code.u32(8), code.u32(1), VD_LOOP_FULL);
  code.store(sum, sum * 3 + table[j]);
  code.end();
  code.store(out[i], sum);
  Kernel kernel = code.finish();
  Plan plan = run.session.plan(kernel, 32);
  Buffer result = run.session.buffer(kCount * 4);
  run.session.launch(plan, {kCount, 1, 1}, {result});
  auto got = run.session.read<uint32_t>(result, kCount);
  for (uint32_t n = 0; n < kCount; ++n) {
    uint32_t expected = 0;
    for (uint32_t m = 0; m < 8; ++m) expected = expected * 3 + (m == n % 8 ? 1000 : m * 10 + n);
    if (got[n] != expected) fail("private_arrays: element %u is %u, expected %u", n, got[n], expected);
  }
  run.report.compared += kCount;
}

// Two and four elements at once, and with cache hints.
void wide_accesses(Run& run) {
  for (uint32_t width : {2u, 4u}) {
    constexpr uint32_t kCount = 256;
    Code code("wide_accesses");
    Value in = code.buffer(VD_TYPE_F32, "input"), out = code.buffer(VD_TYPE_F32, "result");
    Value i = code.let(code.global_id() * width);
    const uint64_t align = (width == 2 ? 4u : 5u) << 8;
    Value v = code.let(code.op(VD_OP_LOAD, {in[i]}, VD_TYPE_NONE, width | align | VD_ACCESS_STREAMING));
    code.store(out[i], v + v, width | align | VD_ACCESS_STREAMING);
    Kernel kernel = code.finish();
    Plan plan = run.session.plan(kernel, 32);
    std::vector<float> input(kCount);
    for (size_t k = 0; k < input.size(); ++k) input[k] = static_cast<float>(k);
    Buffer a = run.session.buffer(input), b = run.session.buffer(kCount * 4);
    run.session.launch(plan, {kCount / width, 1, 1}, {a, b});
    auto got = run.session.read<float>(b, kCount);
    for (uint32_t k = 0; k < kCount; ++k)
      if (got[k] != 2.0f * static_cast<float>(k)) fail("wide_accesses by %u: element %u is %g", width, k, got[k]);
    run.report.compared += kCount;
  }
}

// A buffer of f32 seen as u32 and as f32x2.
void views(Run& run) {
  constexpr uint32_t kCount = 64;
  Code code("views");
  Value in = code.buffer(VD_TYPE_F32, "input"), out = code.buffer(VD_TYPE_U32, "result");
  Value i = code.let(code.global_id());
  Value words = code.op(VD_OP_VIEW, {in}, VD_TYPE_U32), pairs = code.op(VD_OP_VIEW, {in}, VD_TYPE_F32X2);
  Value swapped = code.op(VD_OP_BITCAST, {pairs[i / code.u32(2)][(i + 1) % 2]}, VD_TYPE_U32);
  code.store(out[i], words[i] ^ swapped);
  Kernel kernel = code.finish();
  Plan plan = run.session.plan(kernel, 32);
  std::vector<float> input(kCount);
  for (size_t k = 0; k < input.size(); ++k) input[k] = static_cast<float>(k) * 1.25f - 7;
  Buffer a = run.session.buffer(input), b = run.session.buffer(kCount * 4);
  run.session.launch(plan, {kCount, 1, 1}, {a, b});
  auto got = run.session.read<uint32_t>(b, kCount);
  for (uint32_t k = 0; k < kCount; ++k) {
    const uint32_t expected = std::bit_cast<uint32_t>(input[k]) ^ std::bit_cast<uint32_t>(input[k ^ 1]);
    if (got[k] != expected) fail("views: element %u is %08x, expected %08x", k, got[k], expected);
  }
  run.report.compared += kCount;
}

// All slots at once, hand-built: a fixed workgroup size, two shared arrays of which a later one reuses the bytes of the
// first, a view of shared memory, four-wide loads, an asynchronous copy, an unrolled loop and a scoped atomic.
void slots(Run& run) {
  constexpr uint32_t kLocal = 32, kGroups = 3;
  vd_builder_desc desc = VD_BUILDER_DESC_INIT;
  desc.workgroup_size[0] = kLocal, desc.workgroup_size[1] = 1, desc.workgroup_size[2] = 1;
  desc.min_workgroups = 2;
  desc.flags = VD_BUILDER_NO_EXEC_BOUNDS;
  Code code("slots", 0, &desc);
  Value in = code.buffer(VD_TYPE_F32, "input"), out = code.buffer(VD_TYPE_F32, "result"),
        count = code.buffer(VD_TYPE_U32, "count");
  Value stage = code.shared(VD_TYPE_F32, kLocal * 4, "stage", 0);
  Value sums = code.shared(VD_TYPE_U32, kLocal, "sums", 0);  // the same bytes, in the second phase
  Value lane = code.let(code.local_id()), group = code.let(code.builtin(VD_BUILTIN_WORKGROUP_ID)[0u]);
  Value base = code.let(group * (kLocal * 4));
  // Phase 1: 16 bytes an invocation, asynchronously.
  code.op(VD_OP_ASYNC_COPY, {stage[lane * 4], in[base + lane * 4]}, VD_TYPE_NONE, 16);
  code.op(VD_OP_ASYNC_COMMIT, {});
  code.op(VD_OP_ASYNC_WAIT, {}, VD_TYPE_NONE, 0);
  code.barrier();
  // The partner's four, through a view of shared memory as f32x2.
  Value pairs = code.op(VD_OP_VIEW, {stage}, VD_TYPE_F32X2);
  Value partner = code.let(code.u32(kLocal - 1) - lane);
  Value low = code.let(pairs[partner * 2]), high = code.let(pairs[partner * 2 + 1]);
  Value total = code.variable(low[0u] + low[1u] + high[0u] + high[1u], "total");
  code.barrier();
  // Phase 2: the first array's bytes hold integers now.
  code.store(sums[lane], code.convert(total, VD_TYPE_U32));
  code.barrier();
  Value k = code.begin_for(code.u32(0), code.u32(4), code.u32(1), VD_LOOP_FULL);
  code.store(total, total + code.convert(sums[(lane + k) % kLocal], VD_TYPE_F32));
  code.end();
  code.store(out[group * kLocal + lane], total);
  code.op(VD_OP_ATOMIC_ADD, {count[0u], code.u32(1)}, VD_TYPE_NONE,
          VD_MEMORY_RELAXED | VD_MEMORY_DEVICE | VD_MEMORY_STORAGE);
  Kernel kernel = code.finish();
  vd_kernel_info info = VD_KERNEL_INFO_INIT;
  VDC(vd_kernel_get_info(kernel, &info));
  if (info.shared_size != kLocal * 16)
    fail("slots: %u bytes of shared memory, expected %u", info.shared_size, kLocal * 16);
  Plan plan = run.session.plan(kernel);
  std::vector<float> input(kLocal * 4 * kGroups);
  for (size_t n = 0; n < input.size(); ++n) input[n] = static_cast<float>(n % 97);
  Buffer a = run.session.buffer(input), b = run.session.buffer(kLocal * kGroups * 4), c = run.session.buffer(4);
  VDC(vd_buffer_fill(c, 0, 4, 0, 0, nullptr, nullptr));
  run.session.launch_workgroups(plan, {kGroups, 1, 1}, {a, b, c});
  auto got = run.session.read<float>(b, kLocal * kGroups);
  for (uint32_t g = 0; g < kGroups; ++g) {
    float sum[kLocal];
    for (uint32_t l = 0; l < kLocal; ++l) {
      const float* four = &input[g * kLocal * 4 + (kLocal - 1 - l) * 4];
      sum[l] = four[0] + four[1] + four[2] + four[3];
    }
    for (uint32_t l = 0; l < kLocal; ++l) {
      float expected = sum[l];
      for (uint32_t m = 0; m < 4; ++m) expected += sum[(l + m) % kLocal];
      if (got[g * kLocal + l] != expected)
        fail("slots: element %u is %g, expected %g", g * kLocal + l, got[g * kLocal + l], expected);
    }
  }
  if (auto n = run.session.read<uint32_t>(c, 1)[0]; n != kLocal * kGroups) fail("slots: counted %u", n);
  run.report.compared += got.size() + 1;
}

// Each tile of a workgroup is copied to shared memory while the one before it is used: two groups of copies are open at
// once, of elements of this type, several of which make a copy.
void copy_tiles(Run& run, vd_type type, uint32_t size, uint32_t count) {
  constexpr uint32_t kLocal = 64, kGroups = 3, kTiles = 5;
  vd_builder_desc desc = VD_BUILDER_DESC_INIT;
  desc.workgroup_size[0] = kLocal, desc.workgroup_size[1] = 1, desc.workgroup_size[2] = 1;
  desc.flags = VD_BUILDER_NO_EXEC_BOUNDS;
  Code code("async_copies", 0, &desc);
  Value in = code.buffer(type, "input"), out = code.buffer(VD_TYPE_U32, "result");
  Value tiles = code.shared(type, 2 * kLocal * count, "tiles");
  Value words = code.op(VD_OP_VIEW, {tiles}, VD_TYPE_U32);
  Value lane = code.let(code.local_id()), group = code.let(code.builtin(VD_BUILTIN_WORKGROUP_ID)[0u]);
  const auto copy = [&](Value tile) {
    Value to = code.let((tile % 2 * kLocal + lane) * count);
    Value from = code.let(((group * kTiles + tile) * kLocal + lane) * count);
    code.op(VD_OP_ASYNC_COPY, {tiles[to], in[from]}, VD_TYPE_NONE, size);
  };
  Value sum = code.variable(code.u32(0), "sum");
  copy(code.u32(0));
  code.op(VD_OP_ASYNC_COMMIT, {});
  Value tile = code.begin_for(code.u32(0), code.u32(kTiles), code.u32(1), VD_LOOP_ROLLED);
  code.begin_if(tile + 1 < code.u32(kTiles));
  copy(tile + 1);
  code.end();
  code.op(VD_OP_ASYNC_COMMIT, {});  // the last one has no copies
  code.op(VD_OP_ASYNC_WAIT, {}, VD_TYPE_NONE, 1);
  code.barrier();
  // Words that another invocation has copied.
  Value first = code.let((tile % 2 * kLocal + (lane + 5) % kLocal) * (size / 4));
  for (uint32_t word = 0; word < size / 4; ++word) code.store(sum, sum * 3 + words[first + word]);
  code.barrier();
  code.end();
  code.store(out[group * kLocal + lane], sum);
  Plan plan = run.session.plan(code.finish());
  std::vector<uint32_t> input(kGroups * kTiles * kLocal * size / 4);
  for (size_t n = 0; n < input.size(); ++n) input[n] = static_cast<uint32_t>(n * 2654435761u >> 9) | 0x3f800000;
  Buffer a = run.session.buffer(input), b = run.session.buffer(kGroups * kLocal * 4);
  run.session.launch_workgroups(plan, {kGroups, 1, 1}, {a, b});
  auto got = run.session.read<uint32_t>(b, kGroups * kLocal);
  for (uint32_t g = 0; g < kGroups; ++g)
    for (uint32_t l = 0; l < kLocal; ++l) {
      uint32_t expected = 0;
      for (uint32_t t = 0; t < kTiles; ++t)
        for (uint32_t word = 0; word < size / 4; ++word)
          expected = expected * 3 + input[((g * kTiles + t) * kLocal + (l + 5) % kLocal) * (size / 4) + word];
      if (got[g * kLocal + l] != expected)
        fail("async_copies: %u bytes by %u: group %u, invocation %u gave %u, expected %u", size, count, g, l,
             got[g * kLocal + l], expected);
    }
  run.report.compared += got.size();
}

void async_copies(Run& run) {
  copy_tiles(run, VD_TYPE_U32, 4, 1);
  copy_tiles(run, VD_TYPE_U32, 8, 2);
  copy_tiles(run, VD_TYPE_U32, 16, 4);
  copy_tiles(run, VD_TYPE_U32X4, 16, 1);
  copy_tiles(run, VD_TYPE_COMPLEX_F32, 8, 1);
}

vd_builder_desc in_clusters(uint32_t local, uint32_t cluster) {
  vd_builder_desc desc = VD_BUILDER_DESC_INIT;
  desc.workgroup_size[0] = local, desc.workgroup_size[1] = 1, desc.workgroup_size[2] = 1;
  desc.cluster_size[0] = cluster, desc.cluster_size[1] = 1, desc.cluster_size[2] = 1;
  desc.flags = VD_BUILDER_NO_EXEC_BOUNDS;
  return desc;
}

// Workgroups in clusters: what one wrote before the cluster's barrier, the others of its cluster see after it.
void clusters(Run& run) {
  constexpr uint32_t kLocal = 64, kGroups = 24, kCluster = 4;
  const vd_builder_desc desc = in_clusters(kLocal, kCluster);
  Code code("clusters", 0, &desc);
  Value in = code.buffer(VD_TYPE_U32, "input"), out = code.buffer(VD_TYPE_U32, "result");
  Value lane = code.let(code.local_id()), group = code.let(code.builtin(VD_BUILTIN_WORKGROUP_ID)[0u]);
  Value rank = code.let(code.builtin(VD_BUILTIN_CLUSTER_RANK));
  code.store(in[group * kLocal + lane], group * 1000 + lane);
  code.op(VD_OP_FENCE, {}, 0, VD_MEMORY_ACQUIRE_RELEASE | VD_MEMORY_CLUSTER | VD_MEMORY_STORAGE);
  code.op(VD_OP_CLUSTER_BARRIER, {});
  Value next = code.let(group - rank + (rank + 1) % kCluster);
  code.store(out[group * kLocal + lane], in[next * kLocal + (code.u32(kLocal - 1) - lane)] * 4 + rank);
  Plan plan = run.session.plan(code.finish());
  Buffer a = run.session.buffer(kLocal * kGroups * 4), b = run.session.buffer(kLocal * kGroups * 4);
  run.session.launch_workgroups(plan, {kGroups, 1, 1}, {a, b});
  auto got = run.session.read<uint32_t>(b, kLocal * kGroups);
  for (uint32_t g = 0; g < kGroups; ++g)
    for (uint32_t l = 0; l < kLocal; ++l) {
      const uint32_t r = g % kCluster, n = g - r + (r + 1) % kCluster;
      const uint32_t expected = (n * 1000 + (kLocal - 1 - l)) * 4 + r;
      if (got[g * kLocal + l] != expected)
        fail("clusters: group %u, invocation %u gave %u, expected %u", g, l, got[g * kLocal + l], expected);
    }
  run.report.compared += got.size();
}

// Reads of each other's shared memory: the workgroups of a cluster transpose a matrix of one row a workgroup, of numbers
// of both sizes.
void cluster_loads(Run& run) {
  constexpr uint32_t kLocal = 64, kGroups = 24, kCluster = 4;
  const vd_builder_desc desc = in_clusters(kLocal, kCluster);
  Code code("cluster_loads", 0, &desc);
  Value out = code.buffer(VD_TYPE_COMPLEX_F32, "result");
  Value numbers = code.shared(VD_TYPE_F32, kLocal, "numbers");
  Value pairs = code.shared(VD_TYPE_COMPLEX_F32, kLocal, "pairs");
  Value lane = code.let(code.local_id()), group = code.let(code.builtin(VD_BUILTIN_WORKGROUP_ID)[0u]);
  Value number = code.let(code.convert(group * 1000 + lane, VD_TYPE_F32));
  code.store(numbers[lane], number);
  code.store(pairs[lane], code.op(VD_OP_CONSTRUCT, {number, code.f32(-1)}, VD_TYPE_COMPLEX_F32));
  code.op(VD_OP_CLUSTER_BARRIER, {});
  // Neighbours read from neighbouring workgroups.
  Value rank = code.let(lane % kCluster), at = code.let(code.op(VD_OP_DIV, {lane, code.u32(kCluster)}));
  Value near = code.op(VD_OP_CLUSTER_LOAD, {numbers[at], rank});
  Value far = code.op(VD_OP_CLUSTER_LOAD, {pairs[code.u32(kLocal - 1) - at], rank});
  code.op(VD_OP_CLUSTER_BARRIER, {});
  code.store(numbers[lane], code.f32(0));
  code.store(out[group * kLocal + lane], far + code.op(VD_OP_CONSTRUCT, {code.f32(0), near}, VD_TYPE_COMPLEX_F32));
  Plan plan = run.session.plan(code.finish());
  Buffer b = run.session.buffer(kLocal * kGroups * 8);
  run.session.launch_workgroups(plan, {kGroups, 1, 1}, {b});
  auto got = run.session.read<float>(b, kLocal * kGroups * 2);
  for (uint32_t g = 0; g < kGroups; ++g)
    for (uint32_t l = 0; l < kLocal; ++l) {
      const uint32_t n = g - g % kCluster + l % kCluster, i = l / kCluster;
      const float re = static_cast<float>(n * 1000 + kLocal - 1 - i), im = static_cast<float>(n * 1000 + i) - 1;
      const float* pair = &got[2 * (g * kLocal + l)];
      if (pair[0] != re || pair[1] != im)
        fail("cluster_loads: group %u, invocation %u gave %g and %g, expected %g and %g", g, l, pair[0], pair[1], re,
             im);
    }
  run.report.compared += got.size();
}

void shared_reduction(Run& run) {
  constexpr uint32_t kLocal = 128, kGroups = 9;
  Code code("shared_reduction", VD_BUILDER_NO_EXEC_BOUNDS);
  Value in = code.buffer(VD_TYPE_U32, "input"), out = code.buffer(VD_TYPE_U32, "result");
  Value sums = code.shared(VD_TYPE_U32, kLocal, "sums");
  Value lane = code.let(code.local_id());
  code.store(sums[lane], in[code.global_id()]);
  Value step = code.variable(code.u32(kLocal / 2), "step");
  code.begin_while(step > code.u32(0));
  code.barrier();
  code.begin_if(lane < step);
  code.store(sums[lane], sums[lane] + sums[lane + step]);
  code.end();
  code.store(step, step / code.u32(2));
  code.end();
  code.begin_if(lane == code.u32(0));
  code.store(out[code.builtin(VD_BUILTIN_WORKGROUP_ID)[0u]], sums[0u]);
  code.end();
  Kernel kernel = code.finish();
  Plan plan = run.session.plan(kernel, kLocal);
  std::vector<uint32_t> input(kLocal * kGroups);
  for (uint32_t& x : input) x = static_cast<uint32_t>(run.random());
  Buffer a = run.session.buffer(input), b = run.session.buffer(kGroups * 4);
  run.session.launch_workgroups(plan, {kGroups, 1, 1}, {a, b});
  auto got = run.session.read<uint32_t>(b, kGroups);
  for (uint32_t g = 0; g < kGroups; ++g) {
    uint32_t expected = 0;
    for (uint32_t l = 0; l < kLocal; ++l) expected += input[g * kLocal + l];
    if (got[g] != expected) fail("shared_reduction: group %u gave %u, expected %u", g, got[g], expected);
  }
  run.report.compared += kGroups;
}

// Indices of 64 bits, signed and unsigned, known and not, into a buffer, a shared array, an array and a vector.
void wide_indices(Run& run) {
  constexpr uint32_t kLocal = 32;
  for (const vd_type type : {VD_TYPE_U64, VD_TYPE_I64}) {
    Code code("wide_indices");
    Value in = code.buffer(VD_TYPE_U32, "input"), out = code.buffer(VD_TYPE_U32X2, "result");
    Value row = code.shared(VD_TYPE_U32, kLocal, "row");
    Value i = code.let(code.convert(code.local_id(), type));
    code.store(row[i], in[i + code.literal(type, 2)]);
    code.barrier();
    Value pair = code.variable(VD_TYPE_U32X2, "pair"), few = code.variable(code.array(VD_TYPE_U32, 3), "few");
    code.store(few[code.literal(type, 1)], row[code.literal(type, kLocal - 1) - i]);
    code.store(pair[code.literal(type, 0)], few[code.literal(type, 1)]);
    code.store(pair[code.literal(type, 1)], in[code.literal(type, 0)]);
    code.store(out[i], pair);
    Kernel kernel = code.finish();
    Plan plan = run.session.plan(kernel, kLocal);
    std::vector<uint32_t> input(kLocal + 2);
    for (uint32_t& x : input) x = static_cast<uint32_t>(run.random());
    Buffer a = run.session.buffer(input), b = run.session.buffer(kLocal * 8);
    run.session.launch(plan, {kLocal, 1, 1}, {a, b});
    auto got = run.session.read<uint32_t>(b, kLocal * 2);
    for (uint32_t k = 0; k < kLocal; ++k) {
      if (got[2 * k] != input[kLocal + 1 - k] || got[2 * k + 1] != input[0])
        fail("wide_indices: element %u is (%u, %u), expected (%u, %u)", k, got[2 * k], got[2 * k + 1],
             input[kLocal + 1 - k], input[0]);
    }
    run.report.compared += kLocal * 2;
  }
}

[[maybe_unused]] const Register memory_registered[] = {
    {"memory/layout_32", 0, layout_32},
    {"memory/layout_64", VD_FEATURE_F64, layout_64},
    {"memory/clusters", VD_FEATURE_CLUSTERS, clusters},
    {"memory/cluster_loads", VD_FEATURE_CLUSTERS, cluster_loads},
    {"memory/layout_16", VD_FEATURE_F16 | VD_FEATURE_STORAGE_16, layout_16},
    {"memory/components", 0, components},
    {"memory/uniform_values", 0, uniform_values},
    {"memory/private_arrays", 0, private_arrays},
    {"memory/wide_accesses", 0, wide_accesses},
    {"memory/views", 0, views},
    {"memory/slots", 0, slots},
    {"memory/async_copies", 0, async_copies},
    {"memory/shared_reduction", 0, shared_reduction},
    {"memory/wide_indices", VD_FEATURE_I64, wide_indices},
};

}  // namespace
}  // namespace vdc
