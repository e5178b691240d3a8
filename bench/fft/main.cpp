// Transforms of the library beside cuFFT and VkFFT, in turns, in one run, with results checked in that run.
//
//   fft [--backend cuda|vulkan|opencl|host] [--rows F1,F2,F3,C1,C2,F8,T,B,O,G,U,N,S,D] [--only NAME,...] [--quick]
//       [--repeats N] [--turns N] [--out FILE] [--part PART/PARTS] [--sweep FILE] [--compile PART/PARTS] [--no-peer]
//       [--log2 N] [--explain] [--cold SECONDS] [--lengths N,...] [--planes N,...] [--seed N] [--beside WORDS] [--lock FILE]
//
// 2^27 complex64 numbers (1 GiB; --log2 for others); a graph of 20 transforms in place, recorded once, is submitted and
// waited for; the median of the repeats counts. GB/s counts every number as read and written once, however many passes
// there are. The bound is the least traffic at the rate of a copy in this run. A sweep's lines are "NAME WORDS", where the
// words go to VKDISPATCH_FFT_TUNE; each is measured beside the planner's own choice. --beside does so with the same words
// for each row.
//
// Peers: cuFFT, and VkFFT on Vulkan (vd_plan_create_vkfft), whatever the library runs on; beside CUDA also VkFFT's CUDA
// backend and, for convolutions, cuFFT with functions that are linked into its kernels. Convolutions VkFFT has not, for
// its kernels are in an order of its own. Up to 64 MiB, cuFFT's transforms are a CUDA graph, so that the calls of its host
// are no part of the time.
//
// Row B is vd_fft_block in a kernel of one's own, with the plan of the same transforms below it. Row O is long lines whose
// spectrum lies in any order, with the same in natural order below. --cold rests so long before each submission, with no
// peer in the process to hold the clock: what a program sees that transforms now and then; below each row stands the rate
// without rests, measured right before. --lengths has lines of these lengths too, as row L: lines_N, and --planes planes,
// as row P.
//
// Rows G, U, N, S and D are measured if they are named. G is long lines and lengths with large primes, U one line alone,
// N lines of 256 lengths up to 4096, S of 64 smooth lengths up to 8192 that are not in F1; --seed draws other ones. D is
// lines of complex128, as many bytes. At the end, plans of F1, L and S that a record of the device chose are compared with
// the others. --part 0/4 measures each fourth case from the first on. Processes that run side by side with the same --lock
// take turns on the device: each has it from the check of a case to the end of its times, and compiles beside the others.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fstream>
#include <future>
#include <map>
#include <memory>
#include <sstream>
#include <thread>

#include "contents.h"
#include "cufft.h"
#include "ours.h"
#include "report.h"
#include "sample.h"
#include "turn.h"
#include "vkfft.h"
#include "vkfft_cuda.h"

namespace bench {
namespace {

// Each count-th of a list, from a first one on.
struct Part {
  int first = 0, count = 1;
  bool has(int number) const { return number % count == first; }
};

Part part_of(const std::string& text) {
  const size_t slash = text.find('/');
  if (slash == std::string::npos) throw std::runtime_error("\"" + text + "\" is not PART/PARTS");
  const Part part{std::stoi(text), std::stoi(text.substr(slash + 1))};
  if (part.first < 0 || part.first >= part.count) throw std::runtime_error("there is no part " + text);
  return part;
}

struct Options {
  std::string backend = "cuda", rows = "F1,F2,F3,C1,C2,F8,T,B,O,L", only, out, sweep, lengths, planes, beside, lock;
  int repeats = 5, turns = 20;
  uint32_t log2 = 27;
  uint64_t seed = 1;
  Part part;
  bool peer = true, explain = false, compiles = false;
  Part compiled;
  double cold = 0;
};

// Samples of a case that are compared, of those that there are.
constexpr size_t kSamples = 9;

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

// In extended precision: what the library's own factor lacks is its error.
long double ours_scale(const Case& c) {
  const auto n = static_cast<long double>(c.n);
  if (c.convolves() || c.goes_back()) return 1;
  if (c.kind == Kind::Cube) return 1 / (n * std::sqrt(n));
  return c.kind == Kind::Plane || c.kind == Kind::RealPlane ? 1 / n : 1 / std::sqrt(n);
}

class Bench {
 public:
  explicit Bench(const Options& options) : o_(options), contents_(o_.compiles ? 0 : size_t{2} << o_.log2) {
    cases_ = all_cases(uint64_t{1} << o_.log2, numbers(o_.lengths), numbers(o_.planes), o_.seed);
    std::erase_if(cases_, [&](const Case& c) {
      return !listed(o_.rows, c.row) || (!o_.only.empty() && !listed(o_.only, c.name));
    });
    // Last, so that parts are of equal size.
    int number = 0;
    std::erase_if(cases_, [&](const Case&) { return !o_.part.has(number++); });
    for (const Case& c : cases_) bytes_ = std::max(bytes_, c.bytes());
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
    if (o_.compiles) return compile();
    vd_device_info info = VD_DEVICE_INFO_INIT;
    require(vd_context_get_device(context_, 0, &info), "vd_context_get_device");
    std::printf("%s on %s\n", o_.backend.c_str(), info.name);
    if (std::any_of(cases_.begin(), cases_.end(), [](const Case& c) { return c.row == "N" || c.row == "S"; }))
      std::printf("lengths drawn by seed %llu\n", static_cast<unsigned long long>(o_.seed));
    vd_buffer* kernel = nullptr;
    for (vd_buffer** b : {&source_, &array_, &kernel}) {
      vd_buffer_desc buffer = VD_BUFFER_DESC_INIT;
      buffer.size = bytes_;
      require(vd_buffer_create(context_, &buffer, b), "vd_buffer_create");
    }
    load(Precision::Single);
    fill(kernel, bytes_, std::as_bytes(std::span(contents_.filter)));
    if (o_.peer) open_peers();
    const double copy_rate = measure_copy();
    Report report({o_.backend, info.name, o_.log2, copy_rate, o_.cold}, o_.out);
    int failures = 0;
    SamplesAhead samples(cases_, contents_);
    for (const Case& c : cases_) {
      try {
        if (!report.add(measure(c, samples.next(), kernel))) ++failures;
      } catch (const std::exception& e) {
        std::printf("%s failed: %s\n", c.name.c_str(), e.what());
        ++failures;
      }
    }
    report.print_means();
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
        if (!o_.compiled.has(number++)) continue;
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

  // Opens the peers: CUDA's beside CUDA alone, but for cuFFT, which is the measure everywhere.
  void open_peers() {
    auto cufft = Cufft::open(bytes_, contents_, Cufft::Product::Kernel);
    cufft_ = cufft.get();
    add_peer(kCufft, std::move(cufft));
    add_peer(kVkfft, Vkfft::open(bytes_, contents_));
    if (o_.backend != "cuda") return;
    const bool convolves = std::any_of(cases_.begin(), cases_.end(), [](const Case& c) { return c.convolves(); });
    if (convolves) add_peer(kCufftCallbacks, Cufft::open(bytes_, contents_, Cufft::Product::Callback));
    add_peer(kVkfftCuda, open_vkfft_cuda(bytes_, contents_));
  }

  void add_peer(const PeerName& name, std::unique_ptr<Peer> peer) {
    if (peer) peers_.emplace_back(name.who, std::move(peer));
  }

  // Bytes that a copy reads and writes in a second.
  double measure_copy() {
    if (cufft_ == nullptr) return 4.25e12;
    const Turn turn(o_.lock);
    double rates[2] = {};
    for (const bool as_transforms : {true, false}) {
      std::vector<double> times;
      for (int i = 0; i < 6; ++i) times.push_back(time_of([&] { cufft_->copy(o_.turns, as_transforms); }));
      std::sort(times.begin(), times.end());
      rates[as_transforms ? 1 : 0] = 2.0 * static_cast<double>(bytes_) * o_.turns / times[times.size() / 2];
    }
    std::printf("copy, 16 bytes a thread: %.0f GB/s; 8 numbers of 8 bytes: %.0f\n", rates[0] / 1e9, rates[1] / 1e9);
    return rates[0];
  }

  // The sum of all processes, as NVIDIA's tool counts it. The difference to a run with VKDISPATCH_HOLD_CLOCK=0 is the
  // memory of the context that holds the clock.
  static void print_memory() {
    std::fflush(stdout);
    if (std::system(
            "nvidia-smi --query-gpu=memory.used --format=csv,noheader 2>&1 | sed 's/^/device memory in use: /'") != 0)
      std::printf("device memory in use: unknown\n");
  }

  void load(Precision precision) {
    fill(source_, bytes_, contents_.data(precision));
    precision_ = precision;
  }

  void reset() { copy(context_, source_, array_, bytes_); }

  // A way of ours, and a peer, that take turns.
  struct Ours {
    std::unique_ptr<Work> work;
    Measured measured;
    std::vector<double> times{};
  };
  struct Other {
    std::string who;
    Peer* peer;
    Measured measured{};
    std::vector<double> times{};
  };

  // The planner's way and those beside it; first what the row is about. One that fails says why.
  std::vector<Ours> plan_ours(const Case& c) {
    std::vector<Ours> ours;
    const auto plan = [&](const Case& its, const std::string& tune, const std::string& label) {
      try {
        ours.push_back({std::make_unique<Work>(context_, its, tune), {}});
        ours.back().measured.tune = label;
      } catch (const std::exception& e) {
        std::printf("%s %s failed: %s\n", c.name.c_str(), label.c_str(), e.what());
      }
    };
    plan(c, "", "");
    for (const std::string& tune : tunes_[c.name]) plan(c, tune, tune);
    Case other = c;
    other.block = other.any = false;
    if (c.block) plan(other, "", kPlan);
    if (c.any) plan(other, "", kNatural);
    return ours;
  }

  // The peers that can do it. Each plans on a thread of its own, for most compile, which takes a second.
  std::vector<Other> plan_others(const Case& c) {
    std::vector<std::future<bool>> can;
    for (const auto& one : peers_)
      can.push_back(std::async(std::launch::async, [&c, peer = one.second.get()] { return peer->prepare(c); }));
    std::vector<Other> others;
    for (size_t i = 0; i < can.size(); ++i)
      if (can[i].get()) others.push_back({peers_[i].first, peers_[i].second.get()});
    return others;
  }

  // Runs it once, compares, and records its turns. False if it fails, which it says.
  bool check(Ours& one, const Case& c, const std::vector<Sample>& samples, size_t count, vd_buffer* kernel) {
    try {
      one.measured.explain = one.work->explain();
      one.measured.registers = one.work->registers();
      one.work->record(array_, kernel, 1);
      reset();
      one.work->submit();
      const auto read = [&](uint64_t offset, uint64_t bytes, void* to) {
        require(vd_buffer_read(array_, offset, bytes, 0, to), "vd_buffer_read");
      };
      one.measured.error = worst(samples, count, c.precision, ours_scale(c), read);
      one.work->record(array_, kernel, o_.turns);
      return true;
    } catch (const std::exception& e) {
      std::printf("%s %s failed: %s\n", c.name.c_str(), one.measured.tune.c_str(), e.what());
      return false;
    }
  }

  // The same of a peer. False if it is wrong.
  bool check(Other& one, const Case& c, const std::vector<Sample>& samples) {
    one.peer->reset();
    one.peer->record(1);
    one.peer->run(1);
    const long double scale = Peer::kSmall * (c.goes_back() ? static_cast<long double>(c.n) : 1);
    const auto read = [&](uint64_t offset, uint64_t bytes, void* to) { one.peer->read(offset, bytes, to); };
    one.measured.error = worst(samples, kSamples, c.precision, scale, read);
    if (one.measured.error >= c.tolerance()) {
      std::fprintf(stderr, "%s is wrong on %s, by %.1e, and is left out\n", one.who.c_str(), c.name.c_str(),
                   one.measured.error);
      return false;
    }
    one.peer->record(o_.turns);
    return true;
  }

  // The first repeat warms all of them up.
  void time_in_turns(std::vector<Ours>& ours, std::vector<Other>& others) {
    const auto time_others = [&](bool counts) {
      for (Other& one : others) {
        one.peer->reset();
        const double t = time_of([&] { one.peer->run(o_.turns); });
        if (counts) one.times.push_back(t);
      }
    };
    for (int repeat = 0; repeat < o_.repeats + 1; ++repeat) {
      if (repeat % 2 != 0) time_others(repeat > 0);
      for (Ours& one : ours) {
        // As the peers: a device changes contexts before the time counts, which takes it 0.1 ms.
        if (o_.cold <= 0) reset();
        if (o_.cold > 0) std::this_thread::sleep_for(std::chrono::duration<double>(o_.cold));
        const double t = time_of([&] { one.work->submit(); });
        if (repeat > 0) one.times.push_back(t);
      }
      if (repeat % 2 == 0) time_others(repeat > 0);
    }
    for (Ours& one : ours) settle(one.times, o_.turns, one.measured);
    for (Other& one : others) settle(one.times, o_.turns, one.measured);
  }

  // Without rests.
  Measured measure_warm(const Ours& one) {
    Measured warm = one.measured;
    std::vector<double> times;
    one.work->submit();
    for (int repeat = 0; repeat < o_.repeats; ++repeat) times.push_back(time_of([&] { one.work->submit(); }));
    settle(times, o_.turns, warm);
    return warm;
  }

  Row measure(const Case& c, const std::vector<Sample>& samples, vd_buffer* kernel) {
    if (c.precision != precision_) load(c.precision);
    std::vector<Ours> ours = plan_ours(c);
    std::vector<Other> others = plan_others(c);
    const Turn turn(o_.lock);
    std::erase_if(ours,
                  [&](Ours& one) { return !check(one, c, samples, one.measured.tune.empty() ? kSamples : 1, kernel); });
    std::erase_if(others, [&](Other& one) { return !check(one, c, samples); });
    reset();
    Row row;
    row.c = c;
    if (o_.cold > 0 && !ours.empty()) row.warm = measure_warm(ours[0]);
    time_in_turns(ours, others);
    for (Ours& one : ours) {
      if (one.measured.tune.empty()) {
        row.ours = one.measured;
      } else {
        row.variants.push_back(one.measured);
      }
    }
    for (Other& one : others) row.peers[one.who] = one.measured;
    return row;
  }

  const Options o_;
  std::vector<Case> cases_;
  std::map<std::string, std::vector<std::string>> tunes_;
  const Contents contents_;
  Precision precision_ = Precision::Single;  // of the source
  uint64_t bytes_ = 0;
  vd_context* context_ = nullptr;
  vd_buffer *source_ = nullptr, *array_ = nullptr;
  std::vector<std::pair<std::string, std::unique_ptr<Peer>>> peers_;
  Cufft* cufft_ = nullptr;  // one of them
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
    } else if (word == "--lock") {
      o.lock = next();
    } else if (word == "--seed") {
      o.seed = std::stoull(next());
    } else if (word == "--part") {
      o.part = part_of(next());
    } else if (word == "--compile") {
      o.compiled = part_of(next());
      o.compiles = true;
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
