// Built-in values over three axes, the launch's bounds, and shapes.
#include "case.h"
#include "code.h"

namespace vdc {
namespace {

void ids(Run& run) {
  // 3 x 2 x 2 workgroups of 4 x 3 x 2 invocations; every invocation writes its ids.
  constexpr uint32_t kLocal[3] = {4, 3, 2}, kGroups[3] = {3, 2, 2};
  constexpr uint32_t kWords = 16;
  Code code("ids", VD_BUILDER_NO_EXEC_BOUNDS);
  Value out = code.buffer(VD_TYPE_U32, "result");
  Value global = code.builtin(VD_BUILTIN_GLOBAL_ID), local = code.builtin(VD_BUILTIN_LOCAL_ID),
        group = code.builtin(VD_BUILTIN_WORKGROUP_ID), size = code.builtin(VD_BUILTIN_WORKGROUP_SIZE),
        workgroups = code.builtin(VD_BUILTIN_NUM_WORKGROUPS), index = code.builtin(VD_BUILTIN_LOCAL_INDEX);
  Value linear = code.let(global[0u] + (global[1u] + global[2u] * (kLocal[1] * kGroups[1])) * (kLocal[0] * kGroups[0]));
  Value base = code.let(linear * kWords);
  uint32_t word = 0;
  for (Value v : {global, local, group, size, workgroups})
    for (uint32_t axis = 0; axis < 3; ++axis) code.store(out[base + word++], v[axis]);
  code.store(out[base + word], index);
  Kernel kernel = code.finish();
  Plan plan = run.session.plan(kernel, kLocal[0], kLocal[1], kLocal[2]);
  const size_t count = 24 * 12;
  Buffer result = run.session.buffer(count * kWords * 4);
  run.session.launch_workgroups(plan, {kGroups[0], kGroups[1], kGroups[2]}, {result});
  auto got = run.session.read<uint32_t>(result, count * kWords);
  for (uint32_t z = 0; z < 4; ++z)
    for (uint32_t y = 0; y < 6; ++y)
      for (uint32_t x = 0; x < 12; ++x) {
        const uint32_t* w = &got[(x + 12 * (y + 6 * z)) * kWords];
        const uint32_t expected[kWords] = {x,     y, z, x % 4, y % 3, z % 2, x / 4, y / 3,
                                           z / 2, 4, 3, 2,     3,     2,     2,     x % 4 + 4 * (y % 3 + 3 * (z % 2))};
        for (uint32_t k = 0; k < kWords; ++k)
          if (w[k] != expected[k])
            fail("ids: word %u at (%u, %u, %u) is %u, expected %u", k, x, y, z, w[k], expected[k]);
      }
  run.report.compared += got.size();
}

// Invocations past the launch's size leave no trace, in every combination of axes.
void bounds(Run& run) {
  for (auto [x, y, z] : {std::array<uint32_t, 3>{37, 1, 1}, {64, 1, 1}, {5, 7, 3}, {1, 9, 1}, {16, 4, 1}, {17, 5, 2}}) {
    Code code("bounds");
    Value out = code.buffer(VD_TYPE_U32, "result"), width = code.constant(VD_TYPE_U32, "width"),
          height = code.constant(VD_TYPE_U32, "height");
    Value i = code.global_id(0) + (code.global_id(1) + code.global_id(2) * height) * width;
    code.op(VD_OP_ATOMIC_ADD, {out[i], code.u32(1)});
    Kernel kernel = code.finish();
    Plan plan = run.session.plan(kernel, 16, 4, 1);
    // Padded ids would land in elements past the end of the launch's box.
    const size_t count = (static_cast<size_t>(x) + 16) * (y + 4) * (z + 2);
    Buffer result = run.session.buffer(count * 4);
    VDC(vd_buffer_fill(result, 0, count * 4, 0, 0, nullptr, nullptr));
    const uint32_t values[2] = {x + 16, y + 4};
    run.session.launch(plan, {x, y, z}, {result}, values, sizeof values);
    auto got = run.session.read<uint32_t>(result, count);
    for (size_t k = 0; k < count; ++k) {
      const size_t kx = k % (x + 16), ky = k / (x + 16) % (y + 4), kz = k / (x + 16) / (y + 4);
      const uint32_t expected = kx < x && ky < y && kz < z ? 1 : 0;
      if (got[k] != expected) fail("bounds (%u, %u, %u): element (%zu, %zu, %zu) is %u", x, y, z, kx, ky, kz, got[k]);
      ++run.report.compared;
    }
  }
}

// With a barrier the guard may not return: surplus invocations arrive, load zeros and store nothing.
void bounds_with_barrier(Run& run) {
  constexpr uint32_t kLocal = 32;
  for (uint32_t n : {1u, 31u, 32u, 45u, 100u}) {
    Code code("reverse_in_group");
    Value in = code.buffer(VD_TYPE_U32, "input"), out = code.buffer(VD_TYPE_U32, "result");
    Value tile = code.shared(VD_TYPE_U32, kLocal, "tile");
    Value lane = code.let(code.local_id()), i = code.let(code.global_id());
    code.store(tile[lane], in[i]);
    code.barrier();
    code.store(out[i], tile[code.u32(kLocal - 1) - lane]);
    Kernel kernel = code.finish();
    Plan plan = run.session.plan(kernel, kLocal);
    const uint32_t padded = (n + kLocal - 1) / kLocal * kLocal;
    std::vector<uint32_t> input(padded);
    for (uint32_t k = 0; k < padded; ++k) input[k] = 1000 + k;
    Buffer a = run.session.buffer(input), b = run.session.buffer(padded * 4);
    VDC(vd_buffer_fill(b, 0, padded * 4, 0xffffffff, 0, nullptr, nullptr));
    // Surplus stores do nothing, so their shared elements keep what was there: only elements whose partner is inside
    // count.
    run.session.launch(plan, {n, 1, 1}, {a, b});
    auto got = run.session.read<uint32_t>(b, padded);
    for (uint32_t k = 0; k < padded; ++k) {
      const uint32_t partner = k / kLocal * kLocal + kLocal - 1 - k % kLocal;
      if (k >= n) {
        if (got[k] != 0xffffffff)
          fail("bounds with barrier, n = %u: element %u past the end was written: %u", n, k, got[k]);
      } else if (partner < n && got[k] != 1000 + partner) {
        fail("bounds with barrier, n = %u: element %u is %u, expected %u", n, k, got[k], 1000 + partner);
      }
      ++run.report.compared;
    }
  }
}

void shapes(Run& run) {
  Code code("shapes");
  Value a = code.buffer(VD_TYPE_F32, "a"), b = code.buffer(VD_TYPE_F32X2, "b"),
        out = code.buffer(VD_TYPE_I32X4, "result");
  code.store(out[0u], code.op(VD_OP_SHAPE, {a}));
  code.store(out[1u], code.op(VD_OP_SHAPE, {b}));
  Kernel kernel = code.finish();
  Plan plan = run.session.plan(kernel, 1);
  vd_buffer_desc desc = VD_BUFFER_DESC_INIT;
  desc.size = 3 * 5 * 4;
  desc.shape[0] = 3, desc.shape[1] = 5;
  Buffer shaped;
  VDC(vd_buffer_create(run.session.context(), &desc, shaped.out()));
  Buffer plain = run.session.buffer(56), result = run.session.buffer(32);
  run.session.launch(plan, {1, 1, 1}, {shaped, plain, result});
  auto got = run.session.read<int32_t>(result, 8);
  const int32_t expected[8] = {3, 5, 1, 15, 7, 1, 1, 7};
  for (int k = 0; k < 8; ++k)
    if (got[k] != expected[k]) fail("shapes: word %d is %d, expected %d", k, got[k], expected[k]);
  run.report.compared += 8;
}

[[maybe_unused]] const Register ids_registered[] = {
    {"ids/builtins", 0, ids},
    {"ids/bounds", 0, bounds},
    {"ids/bounds_with_barrier", 0, bounds_with_barrier},
    {"ids/shapes", 0, shapes},
};

}  // namespace
}  // namespace vdc
