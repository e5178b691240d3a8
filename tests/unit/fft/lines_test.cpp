// Complex lines: their bits, wherever they lie, and the spectra of lines too long for a DFT in long double.
#include <gtest/gtest.h>

#include <algorithm>

#include "unit/fft/support.h"

namespace vd::fft::test {
namespace {

// ---- Bits

Problem apart(Problem p) {
  p.in.argument = 1;
  p.inputs = {{"input", ir::Type::complex(ir::Scalar::F32)}};
  return p;
}

// The same line at three places of an array, among others; in place, and from another array.
void expect_same_bits(Host& host, const Problem& p, const Limits& limits) {
  const Batch& batch = p.batches.front();
  const uint64_t places[] = {0, batch.count / 3, batch.count - 1};
  std::vector<Exact> data = random_values(p.n * batch.count, test_seed());
  const auto at = [&](uint64_t line, uint64_t i) { return line * batch.in_stride + i * p.in.stride; };
  for (const uint64_t line : places) {
    for (uint64_t i = 0; i < p.n; ++i) data[at(line, i)] = data[at(0, i)];
  }
  const std::vector<float> numbers = flat<float>(data);
  const auto in_place = host.buffer(numbers), from = host.buffer(numbers), to = host.space(numbers.size() * 4);
  const Program program = make_program(p, limits);
  SCOPED_TRACE(program.text());
  host.run(program, {in_place.get()});
  host.run(make_program(apart(p), limits), {to.get(), from.get()});
  const auto got = host.read<uint64_t>(*in_place);
  EXPECT_EQ(got, host.read<uint64_t>(*to)) << p.n << ", in place and not";
  for (const uint64_t line : places) {
    for (uint64_t i = 0; i < p.n; ++i) ASSERT_EQ(got[at(line, i)], got[at(0, i)]) << p.n << ", line " << line;
  }
}

TEST(Lines, HaveTheSameBitsEverywhere) {
  struct Case {
    uint64_t n;
    const char* words = "";
    uint32_t shared = 0;
    const char* part = "";  // of explain()
    size_t passes = 1;
  };
  Host host;
  for (const Case& c : vd::test::some<Case>({{.n = 37, .part = "37(6x6)"},
                                             {.n = 83, .part = "chirp's filter"},
                                             {.n = 1000, .words = "strategy=four_step", .passes = 2},
                                             {.n = 60, .part = "staged reads"},
                                             {.n = 1024},
                                             {.n = 74, .part = "37(6x6)x2"},
                                             {.n = 127, .words = "strategy=rader", .part = "127("},
                                             {.n = 4099, .part = "chirp's filter"},
                                             {.n = 4096, .shared = 2048, .part = "written as columns", .passes = 2},
                                             {.n = 16384, .shared = 256, .part = "fft_columns_2", .passes = 3},
                                             {.n = 83 * 64, .shared = 2048, .part = "chirp's filter", .passes = 2},
                                             {.n = 1009, .shared = 2048, .part = "chirp's filter", .passes = 3}})) {
    Limits limits = c.shared == 0 ? host.limits() : small_limits(host, c.shared);
    limits.tuning = Tuning::parse(c.words);
    const Program program = make_program(lines(c.n, 19), limits);
    EXPECT_NE(program.text().find(c.part), std::string::npos) << c.part << "\n" << program.text();
    EXPECT_EQ(program.passes.size(), c.passes) << program.text();
    expect_same_bits(host, lines(c.n, 19), limits);
    expect_same_bits(host, columns(c.n, 19, 1, 1), limits);
    if (HasFatalFailure()) return;
  }
}

// ---- Long lines

// A number of a line: a wave's frequency or an impulse's position, and its amplitude.
struct Peak {
  uint64_t at;
  Exact amplitude;
};

// A sum of waves at 0, 1, 2 ... A wave's values follow from each other, and now and then from their number.
class Waves {
 public:
  Waves(uint64_t n, int sign, std::vector<Peak> waves)
      : n_(n), sign_(sign), waves_(std::move(waves)), now_(waves_.size()) {
    for (const Peak& wave : waves_) steps_.push_back(root(wave.at));
  }
  Exact next() {
    Exact sum = 0;
    for (size_t i = 0; i < waves_.size(); ++i) {
      if (number_ % kAnew == 0) now_[i] = waves_[i].amplitude * root(waves_[i].at * number_ % n_);
      sum += now_[i];
      Exact turned = 0;
      add_product(turned, now_[i], steps_[i], 1);
      now_[i] = turned;
    }
    ++number_;
    return sum;
  }

 private:
  static constexpr uint64_t kAnew = 1024;

  Exact root(uint64_t k) const {
    const Exact w = exact_root(k, n_);
    return sign_ < 0 ? std::conj(w) : w;
  }

  const uint64_t n_;
  const int sign_;
  const std::vector<Peak> waves_;
  std::vector<Exact> now_, steps_;
  uint64_t number_ = 0;
};

// Visits each of a line's numbers.
template <class Visit>
void each_number(uint64_t n, Waves waves, const std::vector<Peak>& peaks, long double scale, Visit&& visit) {
  for (uint64_t i = 0; i < n; ++i) {
    Exact value = waves.next();
    for (const Peak& peak : peaks) value += peak.at == i ? peak.amplitude * scale : 0;
    visit(i, value);
  }
}

// Transforms waves and impulses. A wave's spectrum is an impulse, and an impulse's is a wave, which has as much energy
// and is everywhere.
void expect_known_spectrum(Host& host, uint64_t n, int sign) {
  std::mt19937 random(test_seed() + static_cast<uint32_t>(n));
  std::uniform_real_distribution<double> one(-1, 1);
  const long double root = std::sqrt(static_cast<long double>(n));
  const auto draw = [&](long double size) {
    std::vector<Peak> all(3);
    for (Peak& peak : all) peak = {random() % n, Exact(one(random), one(random)) * size};
    return all;
  };
  const std::vector<Peak> waves = draw(1), impulses = draw(root);
  std::vector<float> data(2 * n);
  each_number(n, {n, -sign, waves}, impulses, 1, [&](uint64_t i, const Exact& value) {
    data[2 * i] = static_cast<float>(value.real());
    data[2 * i + 1] = static_cast<float>(value.imag());
  });
  const auto memory = host.buffer(data);
  const Program program = make_program(lines(n, 1, sign), host.limits());
  host.run(program, {memory.get()});
  data = host.read<float>(*memory);
  long double error = 0, norm = 0, most = 0;
  each_number(n, {n, sign, impulses}, waves, static_cast<long double>(n), [&](uint64_t i, const Exact& want) {
    const long double distance = std::norm(Exact(data[2 * i], data[2 * i + 1]) - want);
    error += distance, norm += std::norm(want);
    most = std::max(most, distance);
  });
  EXPECT_LE(std::sqrt(error / norm), bound(n, ir::Scalar::F32) * (is_smooth(n) ? 1 : 3)) << n << program.text();
  // One wrong number among millions is little of the whole.
  EXPECT_LE(std::sqrt(most), root * 1e-2L) << n << program.text();
}

TEST(Lines, OfLargePrimesHaveKnownSpectra) {
  Host host;
  std::mt19937 random(test_seed());
  std::vector<uint64_t> primes{65537, 10007};
  for (const size_t count = vd::test::samples(40, 300); primes.size() < count;) {
    uint64_t n = 10007 + random() % (65537 - 10007);
    while (largest_prime(n) != n) ++n;
    primes.push_back(n);
  }
  for (const uint64_t n : primes) expect_known_spectrum(host, n, n % 4 == 1 ? -1 : 1);
}

TEST(Lines, OfPowersOfTwoHaveKnownSpectra) {
  Host host;
  for (const int log : vd::test::some({16, 17, 18, 19, 20, 21, 22, 23, 24}))
    expect_known_spectrum(host, uint64_t{1} << log, log % 2 == 0 ? -1 : 1);
}

}  // namespace
}  // namespace vd::fft::test
