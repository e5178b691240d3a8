#include "fft/device_chirp.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "core/error.h"
#include "fft/gen.h"
#include "ir/emitter.h"
#include "ir/hash.h"
#include "runtime/hidden.h"
#include "runtime/launch.h"

namespace vd::fft {
namespace {

using ir::Scalar;
using ir::Type;

// Invocations in a row of the launch. Devices take at least 65,535 workgroups on each axis.
constexpr uint32_t kRow = 1 << 20;
constexpr uint32_t kWorkgroup = 128;

Ref<ir::Builder> make_builder(const vd_builder_desc& desc) { return make_ref<ir::Builder>(desc); }

// The values that the kernel takes after its buffers.
struct ChirpValues {
  uint64_t n, padded;
  uint64_t first, chirp;  // elements of the filter and of the chirp
  uint64_t shift;         // of a root's number, to its coarse part
};

// The root of number q in 2 n is a product of two of the list: the fine ones, then the coarse ones.
std::vector<std::byte> roots_of(uint64_t n, uint32_t shift, Scalar scalar) {
  std::vector<std::byte> bytes;
  const uint32_t size = ir::scalar_size(scalar);
  const auto add = [&](uint64_t number) {
    const Root w = root(number, 2 * n);
    for (const double part : {w.re, w.im}) {
      const uint64_t bits = ir::scalar_bits_of(scalar, part);
      bytes.resize(bytes.size() + size);
      std::memcpy(bytes.data() + bytes.size() - size, &bits, size);  // little endian
    }
  };
  for (uint64_t i = 0; i < uint64_t{1} << shift; ++i) add(i);
  for (uint64_t i = 0; i < 2 * n; i += uint64_t{1} << shift) add(i);
  return bytes;
}

// Each invocation writes an element of the filter, exp(pi i k^2 / n), which is the same from both ends and zero
// between; and its conjugate to the chirp.
ir::Kernel chirp_kernel(Scalar compute, Scalar scalar) {
  vd_builder_desc desc = VD_BUILDER_DESC_INIT;
  desc.flags = VD_BUILDER_NO_EXEC_BOUNDS;
  desc.name = "fft_chirp";
  desc.workgroup_size[0] = kWorkgroup;
  const Ref<ir::Builder> builder = make_builder(desc);
  ComplexWriter c(*builder, compute);
  const Value constants = builder->argument(VD_ARGUMENT_BUFFER, Type::complex(scalar), "constants");
  const Value roots = builder->argument(VD_ARGUMENT_BUFFER, Type::complex(compute), "roots");
  const auto value = [&](const char* name) { return c.load(builder->argument(VD_ARGUMENT_CONSTANT, ir::kU64, name)); };
  const Value n = value("n"), padded = value("padded"), first = value("first"), chirp = value("chirp");
  const Value shift = c.convert(value("shift"), Scalar::U32);

  const Value row = c.mul(c.widen(c.builtin(VD_BUILTIN_GLOBAL_ID, 1), ir::kU64), kRow);
  const Value k = c.add(row, c.widen(c.builtin(VD_BUILTIN_GLOBAL_ID, 0), ir::kU64));
  const Value inside = c.emit(VD_OP_LT, {k, padded});
  c.begin_if(inside);
  const Value near = c.emit(VD_OP_MIN, {k, c.emit(VD_OP_SUB, {padded, k})});
  const Value is_zero = c.emit(VD_OP_GE, {near, n});
  const Value number = c.emit(VD_OP_REM, {c.emit(VD_OP_MUL, {near, near}), c.emit(VD_OP_ADD, {n, n})});
  const Value coarse = c.emit(VD_OP_SHR, {number, shift});
  const Value fine = c.emit(VD_OP_SUB, {number, c.emit(VD_OP_SHL, {coarse, shift})});
  const Value steps = c.emit(VD_OP_SHL, {c.index(1, ir::kU64), shift});
  const Complex a = c.split(c.load(c.at(roots, fine))), b = c.split(c.load(c.at(roots, c.add(coarse, steps))));
  const Complex w = c.mul(a, b);
  ComplexWriter to(*builder, scalar);
  const auto store = [&](Value at, Complex number) {
    c.store(c.at(constants, at), to.join({c.convert(number.re, scalar), c.convert(number.im, scalar)}));
  };
  store(c.add(first, k), c.select(is_zero, c.zero(), w));
  const Value in_chirp = c.emit(VD_OP_LT, {k, n});
  c.begin_if(in_chirp);
  store(c.add(chirp, k), {w.re, c.neg(w.im)});
  c.end_if(in_chirp);
  c.end_if(inside);
  return builder->finish();
}

class ChirpWriter {
 public:
  ChirpWriter(vd_context& context, vd_buffer& constants, const DeviceChirp& chirp, Scalar scalar)
      : context_(context), constants_(constants), chirp_(chirp), scalar_(scalar) {
    // A spectrum that was computed in single precision makes the errors of a transform by it larger by a third.
    const bool doubles = (context.device(device()).info().features & VD_FEATURE_F64) != 0;
    compute_ = doubles ? Scalar::F64 : Scalar::F32;
  }

  void run() {
    write_filter();
    transform();
  }

 private:
  uint32_t device() const { return constants_.device(); }

  void write_filter() {
    ir::Kernel code = chirp_kernel(compute_, scalar_);
    const Hash128 hash = ir::hash_kernel(code);
    const Ref<vd_kernel> kernel = make_ref<vd_kernel>(std::move(code), hash);
    vd_plan::Desc desc;
    desc.kernel = kernel.get();
    desc.device = device();
    const Ref<vd_plan> plan = vd_plan::create(context_, desc);

    ChirpValues values{chirp_.n, chirp_.padded, chirp_.first, chirp_.first + chirp_.padded, 0};
    values.shift = (static_cast<uint64_t>(std::bit_width(2 * chirp_.n)) + 1) / 2;
    const std::vector<std::byte> list = roots_of(chirp_.n, static_cast<uint32_t>(values.shift), compute_);
    const Ref<vd_buffer> roots = runtime::hidden_buffer(context_, device(), list.size(), list.data(), "fft roots");
    const uint32_t invocations[3] = {static_cast<uint32_t>(std::min<uint64_t>(chirp_.padded, kRow)),
                                     static_cast<uint32_t>((chirp_.padded + kRow - 1) / kRow), 1};
    launch(*plan, invocations, {&constants_, roots.get()}, &values, sizeof(values));
  }

  void transform() {
    vd_fft_desc desc = VD_FFT_DESC_INIT;
    desc.device = device();
    desc.rank = 1;
    desc.shape[0] = chirp_.padded;
    desc.in_type = desc.out_type = Type::complex(scalar_).bits();
    desc.compute_type = Type::complex(compute_).bits();
    desc.in_offset = desc.out_offset = chirp_.first;
    desc.scale = 1 / static_cast<double>(chirp_.padded);
    const Ref<vd_fft_gen> gen = make_ref<vd_fft_gen>(context_, desc, make_builder);
    vd_fft_element element = VD_FFT_ELEMENT_INIT;
    gen->next(element);
    const Ref<vd_plan> plan = gen->finish();
    constexpr uint32_t kNone[3] = {};
    launch(*plan, kNone, {&constants_}, nullptr, 0);
  }

  void launch(vd_plan& plan, const uint32_t (&invocations)[3], const std::vector<vd_buffer*>& buffers,
              const void* values, uint32_t values_size) {
    constexpr uint32_t kNone[3] = {};
    const runtime::Arguments arguments(plan, invocations, kNone, values, values_size,
                                       static_cast<uint32_t>(buffers.size()),
                                       [&](uint32_t i) { return runtime::Bound{buffers[i]}; });
    runtime::launch(arguments, context_.first_queue(device()), {}, true);
  }

  vd_context& context_;
  vd_buffer& constants_;
  const DeviceChirp chirp_;
  const Scalar scalar_;
  Scalar compute_ = Scalar::F32;
};

}  // namespace

void write_chirp(vd_context& context, vd_buffer& constants, const DeviceChirp& chirp, Scalar scalar) {
  try {
    ChirpWriter(context, constants, chirp, scalar).run();
  } catch (const Error& error) {
    fail(error.status(), "the filter of {} elements for a line of {}: {}", chirp.padded, chirp.n, error.what());
  }
}

}  // namespace vd::fft
