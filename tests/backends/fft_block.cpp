// Transforms in the registers of a kernel of the caller's: forward into one buffer, then straight on, times a number
// for each frequency, and back into another one. Compared with a DFT in long double.
#include <cmath>
#include <complex>
#include <numbers>

#include "case.h"
#include "code.h"
#include "numbers.h"

namespace vdc {
namespace {

using Complex = std::complex<long double>;
using Block = Owned<vd_fft_block, vd_fft_block_release>;

struct Lines {
  uint32_t outer, size, inner;
  bool inverse_first, reorders;
  uint64_t count() const { return uint64_t{outer} * size * inner; }
};

// Along the middle dimension.
std::vector<Complex> dft(const std::vector<Complex>& in, const Lines& lines, int sign) {
  std::vector<Complex> roots(lines.size), out(in.size());
  for (uint32_t k = 0; k < lines.size; ++k)
    roots[k] = std::polar(1.0L, sign * 2 * std::numbers::pi_v<long double> * k / lines.size);
  for (uint32_t o = 0; o < lines.outer; ++o)
    for (uint32_t i = 0; i < lines.inner; ++i) {
      const uint64_t first = uint64_t{o} * lines.size * lines.inner + i;
      for (uint32_t k = 0; k < lines.size; ++k)
        for (uint32_t n = 0; n < lines.size; ++n)
          out[first + uint64_t{k} * lines.inner] +=
              in[first + uint64_t{n} * lines.inner] * roots[uint64_t{k} * n % lines.size];
    }
  return out;
}

template <class T>
double error(const std::vector<T>& got, const std::vector<Complex>& expected) {
  long double difference = 0, whole = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    difference += std::norm(Complex(to_double(got[2 * i]), to_double(got[2 * i + 1])) - expected[i]);
    whole += std::norm(expected[i]);
  }
  return static_cast<double>(std::sqrt(difference / whole));
}

// The factor by which the kernel multiplies number k of a spectrum.
Complex factor(uint32_t k) { return k % 3 == 0 ? Complex(1, 0) : Complex(0, -1); }

vd_fft_direction direction(bool inverse) { return inverse ? VD_FFT_DIRECTION_INVERSE : VD_FFT_DIRECTION_FORWARD; }

template <class T>
void there_and_back(Run& run, vd_type type, const Lines& lines, double bound) {
  vd_fft_block_desc desc = VD_FFT_BLOCK_DESC_INIT;
  desc.compute_type = type;
  desc.outer_count = lines.outer, desc.size = lines.size, desc.inner_count = lines.inner;
  desc.device = &run.session.info();
  vd_fft_block_info info = VD_FFT_BLOCK_INFO_INIT;
  VDC(vd_fft_block_get_info(&desc, &info));

  Code code("fft_block", VD_BUILDER_NO_EXEC_BOUNDS);
  Value in = code.buffer(type, "input"), spectrum = code.buffer(type, "spectrum"), out = code.buffer(type, "result");
  Block block;
  VDC(vd_fft_block_create(code.builder(), &desc, block.out()));
  const auto each = [&](vd_fft_access access, auto&& body) {
    vd_fft_block_element element = VD_FFT_BLOCK_ELEMENT_INIT;
    for (;;) {
      VDC(vd_fft_block_next(block, access, &element));
      if (element.value == 0) return;
      body(Value{element.value, &code}, Value{element.index, &code}, Value{element.position, &code});
    }
  };
  each(VD_FFT_ACCESS_READ, [&](Value value, Value index, Value) { code.store(value, in[index]); });
  VDC(vd_fft_block_execute(block, direction(lines.inverse_first)));
  each(VD_FFT_ACCESS_WRITE, [&](Value value, Value index, Value) { code.store(spectrum[index], value); });
  if (lines.reorders) VDC(vd_fft_block_reorder(block, VD_FFT_ORDER_INPUT));
  each(VD_FFT_ACCESS_READ, [&](Value value, Value, Value position) {
    code.begin_if((position % 3) != code.u32(0));
    Value old = code.let(value);
    code.store(value, code.op(VD_OP_CONSTRUCT, {old[1u], code.op(VD_OP_NEG, {old[0u]})}, type));
    code.end();
  });
  VDC(vd_fft_block_execute(block, direction(!lines.inverse_first)));
  VDC(vd_fft_block_normalize(block));
  each(VD_FFT_ACCESS_WRITE, [&](Value value, Value index, Value) { code.store(out[index], value); });
  Kernel kernel = code.finish();
  Plan plan = run.session.plan(kernel, info.workgroup_size[0]);
  ++run.report.kernels;

  std::vector<T> data(2 * lines.count());
  std::vector<Complex> exact(lines.count());
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (T& x : data) x = from_double<T>(uniform(run.random));
  for (size_t i = 0; i < exact.size(); ++i) exact[i] = {to_double(data[2 * i]), to_double(data[2 * i + 1])};
  Buffer a = run.session.buffer(data), b = run.session.buffer(data.size() * sizeof(T)),
         c = run.session.buffer(data.size() * sizeof(T));
  run.session.launch_workgroups(plan, {info.workgroups[0], info.workgroups[1], info.workgroups[2]}, {a, b, c});
  const int sign = lines.inverse_first ? 1 : -1;
  std::vector<Complex> expected = dft(exact, lines, sign);
  const double forward = error(run.session.read<T>(b, data.size()), expected);
  for (size_t i = 0; i < expected.size(); ++i)
    expected[i] *= factor(static_cast<uint32_t>(i / lines.inner) % lines.size);
  expected = dft(expected, lines, -sign);
  for (Complex& x : expected) x /= lines.size;
  const double back = error(run.session.read<T>(c, data.size()), expected);
  for (const double e : {forward, back})
    if (!(e < bound))
      fail("%u x %u x %u, %u threads: the error is %g, the bound %g", lines.outer, lines.size, lines.inner,
           info.invocations, e, bound);
  run.report.compared += 2 * lines.count();
}

template <class T>
void lengths(Run& run, vd_type type, double bound) {
  // Lines of one invocation and of several, of one radix and of many, with a last workgroup that is not full, and side
  // by side.
  std::vector<Lines> all = {{3, 13, 1, true, false}, {5, 60, 1, false, true}, {2, 77, 5, true, true}};
  // The rest for one precision, where a CPU's driver compiles them for seconds.
  if (run.full || sizeof(T) == sizeof(float) || !run.session.compiles_on_cpu())
    all.insert(
        all.end(),
        {{1, 1024, 1, false, false}, {1, 500, 1, true, false}, {3, 64, 9, false, false}, {67, 6, 1, false, true}});
  if (run.full) {
    for (const uint32_t n : {1, 2, 3, 4, 5, 7, 8, 9, 11, 16, 26, 121, 169, 243, 256, 625, 1000, 1001, 1155, 2048})
      all.push_back({3, n, 1, n % 2 == 0, n % 4 < 2}), all.push_back({1, n, 3, n % 2 != 0, n % 4 > 1});
  }
  for (const Lines& lines : all) there_and_back<T>(run, type, lines, bound);
}

const Register f32("fft_block/f32", 0, [](Run& run) { lengths<float>(run, VD_TYPE_COMPLEX_F32, 6e-7); });
const Register f64("fft_block/f64", VD_FEATURE_F64, [](Run& run) { lengths<double>(run, VD_TYPE_COMPLEX_F64, 1e-15); });
const Register f16("fft_block/f16", VD_FEATURE_F16 | VD_FEATURE_STORAGE_16,
                   [](Run& run) { lengths<Half>(run, VD_TYPE_COMPLEX_F16, 4e-3); });

}  // namespace
}  // namespace vdc
