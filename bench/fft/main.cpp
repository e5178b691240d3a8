// Transforms of the library beside cuFFT and VkFFT, in turns, in one run, with results checked in that run.
//
//   fft [--backend cuda|vulkan|opencl|host] [--rows F1,F2,F3,C1,C2,F8,T,B,O] [--only NAME,...] [--quick] [--repeats N]
//       [--turns N] [--out FILE] [--sweep FILE] [--compile PART/PARTS] [--no-peer] [--log2 N] [--explain]
//       [--cold SECONDS] [--lengths N,...] [--planes N,...] [--beside WORDS]
//
// 2^27 complex64 numbers (1 GiB); a graph of 20 transforms in place, recorded once, is submitted and waited for; the
// median of the repeats counts. GB/s counts every number as read and written once, however many passes there are. The
// bound is the least traffic at the rate of a copy in this run. A sweep's lines are "NAME WORDS", where the words go to
// VKDISPATCH_FFT_TUNE; each is measured beside the planner's own choice. --beside does so with the same words for each
// row. VkFFT runs on Vulkan (vd_plan_create_vkfft), whatever
// the library runs on; convolutions it has not, for its kernels are in an order of its own. Row B is vd_fft_block in a
// kernel of one's own, with the plan of the same transforms below it. Row O is long lines whose spectrum lies in any order,
// with the same in natural order below. --cold rests so long before each submission, with
// no peer in the process to hold the clock: what a program sees that transforms now and then; below each row stands the
// rate without rests, measured right before. --lengths has lines of these lengths too, as row L: lines_N,
// and --planes planes, as row P.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <thread>

#include "cufft.h"
#include "ours.h"
#include "sample.h"
#include "vkfft.h"

namespace bench {
namespace {

struct Options {
  std::string backend = "cuda", rows = "F1,F2,F3,C1,C2,F8,T,B,O,L", only, out, sweep, lengths, planes, beside;
  int repeats = 5, turns = 20, part = 0, parts = 0;
  uint32_t log2 = 27;
  bool peer = true, explain = false;
  double cold = 0;
};

struct Measured {
  std::string tune;
  double seconds = 0, spread = 0, error = 0;
  uint32_t registers = 0;
  std::string explain;
};

// The name of the plan's row, beside the variants of a user's kernel.
constexpr const char* kPlan = "as a plan";
// And that of a spectrum in natural order, beside one in any.
constexpr const char* kNatural = "in natural order";

struct Row {
  Case c;
  Measured ours, cufft, vkfft;
  Measured warm;  // ours without rests, with --cold
  std::vector<Measured> variants;
};

bool listed(const std::string& list, const std::string& word) {
  std::stringstream stream(list);
  for (std::string one; std::getline(stream, one, ',');) {
    if (one == word) return true;
  }
  return false;
}

std::vector<uint64_t> numbers(const std::string& list) {
  std::vector<uint64_t> all;
  std::stringstream stream(list);
  for (std::string one; std::getline(stream, one, ',');) all.push_back(std::stoull(one));
  return all;
}

double time_of(const std::function<void()>& what) {
  const auto begin = std::chrono::steady_clock::now();
  what();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void settle(std::vector<double>& times, int turns, Measured& out) {
  std::sort(times.begin(), times.end());
  out.seconds = times[times.size() / 2] / turns;
  out.spread = (times.back() - times.front()) / times[times.size() / 2];
}

double ours_scale(const Case& c) {
  const auto n = static_cast<double>(c.n);
  if (c.kind == Kind::Convolve || c.kind == Kind::ConvolvePlane || c.goes_back()) return 1;
  if (c.kind == Kind::Cube) return 1 / (n * std::sqrt(n));
  return c.kind == Kind::Plane || c.kind == Kind::RealPlane ? 1 / n : 1 / std::sqrt(n);
}

class Bench {
 public:
  explicit Bench(const Options& options) : o_(options) {
    data_.resize(size_t{1} << std::min(24u, o_.log2));
    for (size_t i = 0; i < data_.size(); ++i) data_[i] = noise(i) * 0.999f;
    kernel_ = unit_numbers(data_);
    cases_ = all_cases(numbers(o_.lengths), numbers(o_.planes));
    std::erase_if(cases_, [&](const Case& c) {
      return !listed(o_.rows, c.row) || (!o_.only.empty() && !listed(o_.only, c.name));
    });
    for (Case& c : cases_) {
      c.count >>= 27 - o_.log2;
      bytes_ = std::max(bytes_, c.bytes());
    }
    std::erase_if(cases_, [](const Case& c) { return c.count == 0; });
    if (!o_.sweep.empty()) {
      std::ifstream file(o_.sweep);
      for (std::string line; std::getline(file, line);) {
        const size_t space = line.find(' ');
        if (space != std::string::npos) tunes_[line.substr(0, space)].push_back(line.substr(space + 1));
      }
    }
    for (const Case& c : cases_)
      if (!o_.beside.empty()) tunes_[c.name].push_back(o_.beside);
  }

  int run() {
    vd_context_desc desc = VD_CONTEXT_DESC_INIT;
    desc.backend = o_.backend == "cuda"     ? VD_BACKEND_CUDA
                   : o_.backend == "vulkan" ? VD_BACKEND_VULKAN
                   : o_.backend == "opencl" ? VD_BACKEND_OPENCL
                                            : VD_BACKEND_HOST;
    require(vd_context_create(&desc, &context_), "vd_context_create");
    if (o_.parts > 0) return compile();
    vd_device_info info = VD_DEVICE_INFO_INIT;
    require(vd_context_get_device(context_, 0, &info), "vd_context_get_device");
    std::printf("%s on %s\n", o_.backend.c_str(), info.name);
    device_ = info.name;
    vd_buffer* kernel = nullptr;
    for (vd_buffer** b : {&source_, &array_, &kernel}) {
      vd_buffer_desc buffer = VD_BUFFER_DESC_INIT;
      buffer.size = bytes_;
      require(vd_buffer_create(context_, &buffer, b), "vd_buffer_create");
    }
    fill(source_, bytes_, data_);
    fill(kernel, bytes_, kernel_);
    if (o_.peer) cufft_ = Cufft::open(bytes_, data_);
    if (o_.peer) vkfft_ = Vkfft::open(bytes_, data_);
    measure_copy();
    int failures = 0;
    for (const Case& c : cases_) {
      try {
        rows_.push_back(measure(c, kernel));
      } catch (const std::exception& e) {
        std::printf("%s failed: %s\n", c.name.c_str(), e.what());
        ++failures;
      }
    }
    failures += report();
    if (o_.cold > 0) print_memory();
    for (vd_buffer* b : {source_, array_, kernel}) vd_buffer_release(b);
    vd_context_release(context_);
    return failures == 0 ? 0 : 1;
  }

 private:
  // Makes every plan, for the caches: several processes can share it.
  int compile() {
    int number = 0;
    for (const Case& c : cases_) {
      std::vector<std::string> tunes = tunes_[c.name];
      tunes.insert(tunes.begin(), "");
      for (const std::string& tune : tunes) {
        if (number++ % o_.parts != o_.part) continue;
        try {
          const Work work(context_, c, tune);
          if (o_.explain) std::printf("%s %s\n%s", c.name.c_str(), tune.c_str(), work.explain().c_str());
        } catch (const std::exception& e) {
          std::printf("%s %s failed: %s\n", c.name.c_str(), tune.c_str(), e.what());
        }
      }
    }
    return 0;
  }

  void measure_copy() {
    copy_rate_ = 4.25e12;
    if (!cufft_) return;
    double rates[2] = {};
    for (const bool as_transforms : {true, false}) {
      std::vector<double> times;
      for (int i = 0; i < 6; ++i) times.push_back(time_of([&] { cufft_->copy(o_.turns, as_transforms); }));
      std::sort(times.begin(), times.end());
      rates[as_transforms ? 1 : 0] = 2.0 * static_cast<double>(bytes_) * o_.turns / times[times.size() / 2];
    }
    copy_rate_ = rates[0];
    std::printf("copy, 16 bytes a thread: %.0f GB/s; 8 numbers of 8 bytes: %.0f\n", rates[0] / 1e9, rates[1] / 1e9);
  }

  // The sum of all processes, as NVIDIA's tool counts it. The difference to a run with VKDISPATCH_HOLD_CLOCK=0 is the
  // memory of the context that holds the clock.
  static void print_memory() {
    std::fflush(stdout);
    if (std::system(
            "nvidia-smi --query-gpu=memory.used --format=csv,noheader 2>&1 | sed 's/^/device memory in use: /'") != 0)
      std::printf("device memory in use: unknown\n");
  }

  void reset() { copy(context_, source_, array_, bytes_); }

  Row measure(const Case& c, vd_buffer* kernel) {
    Row row;
    row.c = c;
    const std::vector<Sample> samples = make_samples(c, data_, kernel_);
    std::vector<std::unique_ptr<Work>> works;
    std::vector<Measured> measured;
    struct Choice {
      std::string tune, label;
      Case c;
    };
    std::vector<Choice> choices{{"", "", c}};
    for (const std::string& tune : tunes_[c.name]) choices.push_back({tune, tune, c});
    if (c.block) {
      choices.push_back({"", kPlan, c});
      choices.back().c.block = false;
    }
    if (c.any) {
      choices.push_back({"", kNatural, c});
      choices.back().c.any = false;
    }
    for (size_t i = 0; i < choices.size(); ++i) {
      Measured m;
      m.tune = choices[i].label;
      try {
        auto work = std::make_unique<Work>(context_, choices[i].c, choices[i].tune);
        m.explain = work->explain();
        m.registers = work->registers();
        work->record(array_, kernel, 1);
        reset();
        work->submit();
        m.error = worst(samples, i == 0 ? 9 : 1, ours_scale(c), [&](uint64_t offset, uint64_t bytes, void* to) {
          require(vd_buffer_read(array_, offset, bytes, 0, to), "vd_buffer_read");
        });
        work->record(array_, kernel, o_.turns);
        works.push_back(std::move(work));
        measured.push_back(m);
      } catch (const std::exception& e) {
        std::printf("%s %s failed: %s\n", c.name.c_str(), m.tune.c_str(), e.what());
      }
    }
    struct Other {
      Peer* peer;
      Measured* out;
      std::vector<double> times;
    };
    std::vector<Other> others;
    for (const auto& [peer, out] :
         {std::pair<Peer*, Measured*>{cufft_.get(), &row.cufft}, {vkfft_.get(), &row.vkfft}}) {
      if (peer == nullptr || !peer->prepare(c)) continue;
      peer->reset();
      peer->record(1);
      peer->run(1);
      const double scale = Peer::kSmall * (c.goes_back() ? static_cast<double>(c.n) : 1);
      const auto read = [peer = peer](uint64_t offset, uint64_t bytes, void* to) { peer->read(offset, bytes, to); };
      out->error = worst(samples, 9, scale, read);
      peer->record(o_.turns);
      others.push_back({peer, out, {}});
    }
    std::vector<std::vector<double>> times(works.size());
    reset();
    if (o_.cold > 0 && !works.empty()) {
      row.warm = measured[0];
      std::vector<double> without;
      works[0]->submit();
      for (int repeat = 0; repeat < o_.repeats; ++repeat) without.push_back(time_of([&] { works[0]->submit(); }));
      settle(without, o_.turns, row.warm);
    }
    for (int repeat = 0; repeat < o_.repeats + 1; ++repeat) {
      const auto time_others = [&] {
        for (Other& other : others) {
          other.peer->reset();
          const double t = time_of([&] { other.peer->run(o_.turns); });
          if (repeat > 0) other.times.push_back(t);
        }
      };
      if (repeat % 2 != 0) time_others();
      for (size_t i = 0; i < works.size(); ++i) {
        // As the peers: a device changes contexts before the time counts, which takes it 0.1 ms.
        if (o_.cold <= 0) reset();
        if (o_.cold > 0) std::this_thread::sleep_for(std::chrono::duration<double>(o_.cold));
        const double t = time_of([&] { works[i]->submit(); });
        if (repeat > 0) times[i].push_back(t);
      }
      if (repeat % 2 == 0) time_others();
    }
    for (size_t i = 0; i < works.size(); ++i) settle(times[i], o_.turns, measured[i]);
    for (Other& other : others) settle(other.times, o_.turns, *other.out);
    if (!measured.empty()) row.ours = measured[0];
    if (measured.size() > 1) row.variants.assign(measured.begin() + 1, measured.end());
    return row;
  }

  double rate(const Case& c, const Measured& m) const {
    return m.seconds > 0 ? 2.0 * c.transforms() * static_cast<double>(c.bytes()) / m.seconds / 1e9 : 0;
  }

  int report() {
    FILE* out = o_.out.empty() ? nullptr : std::fopen(o_.out.c_str(), "w");
    int failures = 0;
    std::printf("%-3s %-15s %6s %6s %6s %6s %6s %5s %8s %8s %4s\n", "row", "case", "ours", "cuFFT", "VkFFT", "ratio",
                "bound", "+-%", "error", "cuFFT's", "regs");
    std::map<std::string, std::vector<double>> ratios;
    for (Row& row : rows_) {
      const double ours = rate(row.c, row.ours), cufft = rate(row.c, row.cufft), vkfft = rate(row.c, row.vkfft);
      const double better = std::max(cufft, vkfft);
      const double bound = row.c.traffic * static_cast<double>(row.c.bytes()) / copy_rate_;
      const bool right = row.ours.error < 2e-6;
      const bool others_right = row.cufft.error < 2e-6 && row.vkfft.error < 2e-6;
      failures += right ? 0 : 1;
      std::printf("%-3s %-15s %6.0f %6.0f %6.0f %6.3f %6.3f %5.1f %8.1e %8.1e %4u%s\n", row.c.row.c_str(),
                  row.c.name.c_str(), ours, cufft, vkfft, better > 0 ? ours / better : 0, bound / row.ours.seconds,
                  row.ours.spread * 100, row.ours.error, row.cufft.error, row.ours.registers,
                  !right         ? "  WRONG"
                  : others_right ? ""
                                 : "  (a peer is wrong)");
      if (row.warm.seconds > 0)
        std::printf("      %6.0f without rests of %g s: after one it is %.3f of that\n", rate(row.c, row.warm), o_.cold,
                    row.warm.seconds / row.ours.seconds);
      if (better > 0) ratios[row.c.row].push_back(ours / better);
      std::sort(row.variants.begin(), row.variants.end(),
                [](const Measured& a, const Measured& b) { return a.seconds < b.seconds; });
      for (size_t i = 0; i < std::min<size_t>(row.variants.size(), 3); ++i) {
        const Measured& v = row.variants[i];
        std::printf("      %6.0f %3u %s%s", rate(row.c, v), v.registers, v.tune.c_str(),
                    v.error < 2e-6 ? "" : "  WRONG");
        if (v.tune == kPlan) std::printf(": the kernel's is %.3f of that", ours / rate(row.c, v));
        if (v.tune == kNatural) std::printf(": any order's is %.3f of that", ours / rate(row.c, v));
        std::printf("\n");
      }
      if (out == nullptr) continue;
      const auto line = [&](const char* who, const Measured& m) {
        std::string one = m.explain;
        std::replace(one.begin(), one.end(), '\n', ';');
        std::fprintf(out,
                     "{\"row\": \"%s\", \"case\": \"%s\", \"who\": \"%s\", \"backend\": \"%s\", \"device\": \"%s\", "
                     "\"gbs\": %.1f, \"us\": "
                     "%.2f, \"bound_us\": %.2f, \"spread\": %.4f, \"error\": %.3g, \"registers\": %u, \"tune\": "
                     "\"%s\", \"explain\": \"%s\"}\n",
                     row.c.row.c_str(), row.c.name.c_str(), who, o_.backend.c_str(), device_.c_str(), rate(row.c, m),
                     m.seconds * 1e6, bound * 1e6, m.spread, m.error, m.registers, m.tune.c_str(), one.c_str());
      };
      line(o_.cold > 0 ? "cold" : "ours", row.ours);
      if (row.warm.seconds > 0) line("warm", row.warm);
      if (row.cufft.seconds > 0) line("cufft", row.cufft);
      if (row.vkfft.seconds > 0) line("vkfft", row.vkfft);
      for (const Measured& v : row.variants)
        line(v.tune == kPlan ? "plan" : v.tune == kNatural ? "natural" : "variant", v);
    }
    for (const auto& [name, list] : ratios) {
      double sum = 0, least = 1e9;
      for (const double r : list) {
        sum += std::log(r);
        least = std::min(least, r);
      }
      std::printf("%s: geomean %.3f of the better of cuFFT and VkFFT, worst %.3f\n", name.c_str(),
                  std::exp(sum / static_cast<double>(list.size())), least);
    }
    if (out != nullptr) std::fclose(out);
    return failures;
  }

  const Options o_;
  std::vector<Case> cases_;
  std::map<std::string, std::vector<std::string>> tunes_;
  std::vector<float> data_, kernel_;
  uint64_t bytes_ = 0;
  double copy_rate_ = 0;
  std::string device_;
  vd_context* context_ = nullptr;
  vd_buffer *source_ = nullptr, *array_ = nullptr;
  std::unique_ptr<Cufft> cufft_;
  std::unique_ptr<Vkfft> vkfft_;
  std::vector<Row> rows_;
};

int run(int argc, char** argv) {
  Options o;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto next = [&]() -> std::string {
      if (i + 1 >= argc) throw std::runtime_error(word + " takes a value");
      return argv[++i];
    };
    if (word == "--backend") {
      o.backend = next();
    } else if (word == "--rows") {
      o.rows = next();
    } else if (word == "--only") {
      o.only = next();
    } else if (word == "--quick") {
      o.repeats = 2;
    } else if (word == "--repeats") {
      o.repeats = std::stoi(next());
    } else if (word == "--turns") {
      o.turns = std::stoi(next());
    } else if (word == "--lengths") {
      o.lengths = next();
    } else if (word == "--planes") {
      o.planes = next();
    } else if (word == "--out") {
      o.out = next();
    } else if (word == "--sweep") {
      o.sweep = next();
    } else if (word == "--beside") {
      o.beside = next();
    } else if (word == "--compile") {
      const std::string part = next();
      o.part = std::stoi(part);
      o.parts = std::stoi(part.substr(part.find('/') + 1));
    } else if (word == "--no-peer") {
      o.peer = false;
    } else if (word == "--log2") {
      o.log2 = static_cast<uint32_t>(std::stoi(next()));
    } else if (word == "--explain") {
      o.explain = true;
    } else if (word == "--cold") {
      o.cold = std::stod(next());
      o.peer = false;
    } else {
      throw std::runtime_error("unknown option " + word);
    }
  }
  return Bench(o).run();
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  try {
    return bench::run(argc, argv);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "fft: %s\n", e.what());
    return 2;
  }
}
