// Random kernels by their numbers, thousands of them.
//
//   vd_random_kernels --backend NAME [--first N] [--count N] [--step N] [--seconds S] [--state FILE] [--out DIR]
//   [--debug]
//
// Runs kernels N, N + step, N + 2 * step ... Kernel n is the same on every device with the same features. With --state
// it writes the last number that it ran to a file, and goes on behind it when it is started again. A kernel that gives
// something else is made smaller and written to DIR as NAME_n.kernel (tests/backends/recorded.h), in both forms. What
// does not compile is a failure, too. Exit status 0: nothing failed, and the count was reached.
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>

#include "case.h"
#include "program.h"

namespace {

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

struct Options {
  std::string backend, state, out = ".";
  uint64_t first = 0, count = 100, step = 1;
  double seconds = 1e9;
  vd_context_flags flags = 0;
};

[[noreturn]] void usage(const char* what) {
  std::fprintf(stderr, "vd_random_kernels: %s\n", what);
  std::exit(2);
}

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string a = argv[i];
    if (a == "--debug") {
      options.flags |= VD_CONTEXT_DEBUG;
      continue;
    }
    if (i + 1 >= argc) usage(("no value follows " + a).c_str());
    const std::string value = argv[++i];
    if (a == "--backend")
      options.backend = value;
    else if (a == "--state")
      options.state = value;
    else if (a == "--out")
      options.out = value;
    else if (a == "--first")
      options.first = std::stoull(value);
    else if (a == "--count")
      options.count = std::stoull(value);
    else if (a == "--step")
      options.step = std::stoull(value);
    else if (a == "--seconds")
      options.seconds = std::stod(value);
    else
      usage(("there is no option " + a).c_str());
  }
  return options;
}

void write(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

// The result of a run, or its error.
std::string attempt(vdc::Session& session, const vdc::Recorded& recorded, std::string* source = nullptr) {
  try {
    return vdc::difference(session, recorded, source);
  } catch (const vdc::Failure& failure) {
    return std::string(failure.what()) + "\n";
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::map<std::string, vd_backend> backends = {{"vulkan", VD_BACKEND_VULKAN},
                                                      {"cuda", VD_BACKEND_CUDA},
                                                      {"opencl", VD_BACKEND_OPENCL},
                                                      {"host", VD_BACKEND_HOST}};
  const Options options = parse(argc, argv);
  const auto backend = backends.find(options.backend);
  if (backend == backends.end()) usage("--backend is not one of vulkan, cuda, opencl, host");
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  vdc::Session session(backend->second, vdc::kBestDevice, options.flags);
  const vdc::random::Device device = vdc::random::describe(session);
  uint64_t done = 0;
  if (!options.state.empty()) std::ifstream(options.state) >> done;
  const double deadline = now() + options.seconds;
  uint64_t failed = 0, ran = 0;
  for (; done < options.count && now() < deadline; ++done, ++ran) {
    const uint64_t seed = options.first + done * options.step;
    vdc::random::Program program = vdc::random::generate(seed, device);
    const vdc::Recorded recorded = vdc::random::record(program, device);
    std::string source;
    const std::string differs = attempt(session, recorded, &source);
    if (!differs.empty()) {
      ++failed;
      std::printf("FAIL %s %" PRIu64 ": %s", options.backend.c_str(), seed, differs.c_str());
      const std::string name = options.out + "/" + options.backend + "_" + std::to_string(seed);
      write(name + ".kernel", vdc::to_text(recorded));
      const double limit = now() + 20;
      vdc::random::shrink(
          program, [&] { return now() < limit && !attempt(session, vdc::random::record(program, device)).empty(); });
      const vdc::Recorded smaller = vdc::random::record(program, device);
      const std::string still = attempt(session, smaller, &source);
      write(name + ".smaller.kernel", vdc::to_text(smaller));
      write(name + ".source", source);
      std::printf("made smaller: %s%s\n", still.c_str(), smaller.text.c_str());
    }
    if (!options.state.empty() && done % 16 == 15) write(options.state, std::to_string(done + 1));
  }
  if (!options.state.empty()) write(options.state, std::to_string(done));
  std::printf("%s: %" PRIu64 " random kernels, %" PRIu64 " in all, %" PRIu64 " failed%s\n", options.backend.c_str(),
              ran, done, failed, device.flushes_denormals ? "; denormals are flushed" : "");
  return failed == 0 && done == options.count ? 0 : 1;
}
