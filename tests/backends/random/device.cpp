#include <cstring>

#include "code.h"
#include "program.h"

namespace vdc::random {

// Asks the device itself whether denormals survive: the driver may say one thing of a sum and another of a product.
Device describe(Session& session, vd_builder_flags flags) {
  Device device;
  device.features = session.info().features;
  device.llvmpipe = std::strstr(session.info().name, "llvmpipe") != nullptr;
  const auto probe = [&](vd_type type, std::vector<uint8_t> least, size_t size) {
    Code code("denormals", flags);
    Value in = code.buffer(type, "x"), out = code.buffer(type, "y");
    Value x = code.let(in[code.u32(0)]), one = code.let(in[code.u32(1)]), zero = code.let(in[code.u32(2)]);
    code.store(out[code.u32(0)], x * one);
    code.store(out[code.u32(1)], x + zero);
    code.store(out[code.u32(2)], code.op(VD_OP_MAX, {x, zero}));
    Kernel kernel = code.finish();
    Plan plan = session.plan(kernel, 1);
    Buffer a = session.buffer(least), b = session.buffer(3 * size);
    session.launch(plan, {1, 1, 1}, {a, b});
    const auto got = session.read<uint8_t>(b, 3 * size);
    for (size_t i = 0; i < 3; ++i)
      if (std::memcmp(got.data() + i * size, least.data(), size) != 0) device.flushes_denormals = true;
  };
  probe(VD_TYPE_F32, {1, 0, 0, 0, 0, 0, 0x80, 0x3f, 0, 0, 0, 0}, 4);
  if (session.has(VD_FEATURE_F16 | VD_FEATURE_STORAGE_16)) probe(VD_TYPE_F16, {1, 0, 0, 0x3c, 0, 0}, 2);
  return device;
}

}  // namespace vdc::random
