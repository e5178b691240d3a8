// The conformance suite: every case on the best device of every backend asked for, or on its device N.
//
//   vd_conformance [--backend NAME]... [--expect NAME,...] [--device N] [--quick|--full] [--filter TEXT] [--seed N]
//   [--debug]
//                  [--checked] [--results DIR] [--resume] [--time-limit SECONDS] [--list]
//
// Without --backend it takes every backend that has a device; --expect names those that must be there. With --results
// it writes a line of JSON for each case as it goes; --resume leaves out cases that such a file has as passed.
// VD_TEST_FULL in the environment is --full, and VD_TEST_TURNS=vulkan,opencl has these take turns (support/turns.h). Exit
// status 0: nothing failed.
#include <algorithm>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <mutex>
#include <set>
#include <sstream>

#include "case.h"
#include "support/hash_name.h"

namespace {

using vdc::Case;

const std::map<std::string, vd_backend> kBackends = {
    {"vulkan", VD_BACKEND_VULKAN}, {"cuda", VD_BACKEND_CUDA}, {"opencl", VD_BACKEND_OPENCL}, {"host", VD_BACKEND_HOST}};

struct Options {
  std::vector<std::string> backends, expected;
  std::string filter, results;
  uint32_t device = vdc::kBestDevice;
  uint64_t seed = 0;
  bool full = false, resume = false, list = false;
  vd_context_flags flags = 0;
  double time_limit = 1e9;
};

struct Totals {
  std::string backend, device;
  uint32_t passed = 0, failed = 0, skipped = 0, kept = 0, left = 0;
  uint32_t in_turn = 0;  // kernels of cases that passed
  double difference = 0, seconds = 0;
  std::string where;
  std::map<std::string, uint32_t> skips;  // by missing feature
};

// Messages of validation layers and drivers during a case; any of them fails it.
std::mutex g_messages_mutex;
std::vector<std::string> g_messages;

void on_log(const vd_log_message* message, void*) {
  const char* text = message->text;
  if (message->level >= VD_LOG_ERROR || std::strstr(text, "VUID") || std::strstr(text, "SYNC-HAZARD")) {
    std::lock_guard lock(g_messages_mutex);
    g_messages.emplace_back(text);
  }
}

std::string take_messages() {
  std::lock_guard lock(g_messages_mutex);
  std::string all;
  for (const std::string& message : g_messages) all += message + "\n";
  g_messages.clear();
  return all;
}

std::string json(const std::string& text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      out += '\\', out += c;
    else if (c == '\n')
      out += "\\n";
    else if (static_cast<unsigned char>(c) < 0x20)
      out += ' ';
    else
      out += c;
  }
  return out + '"';
}

const char* feature_name(uint64_t bit) {
  static const std::map<uint64_t, const char*> names = {{VD_FEATURE_F64, "f64"},
                                                        {VD_FEATURE_F16, "f16"},
                                                        {VD_FEATURE_I64, "i64"},
                                                        {VD_FEATURE_I16, "i16"},
                                                        {VD_FEATURE_I8, "i8"},
                                                        {VD_FEATURE_STORAGE_16, "16-bit storage"},
                                                        {VD_FEATURE_STORAGE_8, "8-bit storage"},
                                                        {VD_FEATURE_F32_ATOMICS, "f32 atomics"},
                                                        {VD_FEATURE_F32_ATOMIC_ADD, "f32 atomic add"},
                                                        {VD_FEATURE_F64_ATOMIC_ADD, "f64 atomic add"},
                                                        {VD_FEATURE_I64_ATOMICS, "i64 atomics"},
                                                        {VD_FEATURE_SUBGROUP_BASIC, "subgroups"},
                                                        {VD_FEATURE_SUBGROUP_ARITHMETIC, "subgroup reductions"},
                                                        {VD_FEATURE_SUBGROUP_SHUFFLE, "subgroup shuffles"},
                                                        {VD_FEATURE_SUBGROUP_VOTE, "subgroup votes"},
                                                        {VD_FEATURE_CLUSTERS, "workgroup clusters"}};
  auto it = names.find(bit);
  return it == names.end() ? "a feature" : it->second;
}

Options parse(int argc, char** argv) {
  Options options;
  if (const char* full = std::getenv("VD_TEST_FULL"); full != nullptr && *full != '\0') options.full = true;
  auto split = [](const std::string& text) {
    std::vector<std::string> parts;
    std::stringstream in(text);
    for (std::string part; std::getline(in, part, ',');) parts.push_back(part);
    return parts;
  };
  for (int i = 1; i < argc; ++i) {
    std::string a = argv[i];
    auto next = [&] {
      if (i + 1 >= argc) std::fprintf(stderr, "vd_conformance: %s needs a value\n", a.c_str()), std::exit(2);
      return std::string(argv[++i]);
    };
    if (a == "--backend")
      options.backends.push_back(next());
    else if (a == "--expect")
      options.expected = split(next());
    else if (a == "--device")
      options.device = static_cast<uint32_t>(std::stoul(next()));
    else if (a == "--filter")
      options.filter = next();
    else if (a == "--seed")
      options.seed = std::stoull(next());
    else if (a == "--results")
      options.results = next();
    else if (a == "--time-limit")
      options.time_limit = std::stod(next());
    else if (a == "--quick")
      options.full = false;
    else if (a == "--full")
      options.full = true;
    else if (a == "--resume")
      options.resume = true;
    else if (a == "--debug")
      options.flags |= VD_CONTEXT_DEBUG;
    else if (a == "--checked")
      options.flags |= VD_CONTEXT_CHECKED;
    else if (a == "--list")
      options.list = true;
    else
      std::fprintf(stderr, "vd_conformance: unknown option %s\n", a.c_str()), std::exit(2);
  }
  return options;
}

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// Names of cases that a results file has as passed in the same form.
std::set<std::string> passed_before(const std::string& path, bool full) {
  std::set<std::string> done;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    if (line.find("\"status\": \"pass\"") == std::string::npos) continue;
    if (full && line.find("\"full\": true") == std::string::npos) continue;
    size_t begin = line.find("\"case\": \"");
    if (begin == std::string::npos) continue;
    begin += 9;
    done.insert(line.substr(begin, line.find('"', begin) - begin));
  }
  return done;
}

Totals run_backend(const Options& options, const std::string& name, double deadline) {
  Totals totals;
  totals.backend = name;
  vdc::Session session(kBackends.at(name), options.device, options.flags);
  totals.device = session.info().name;
  std::printf("== %s: %s\n", name.c_str(), session.info().name);
  std::string path = options.results.empty() ? "" : options.results + "/conformance-" + name + ".jsonl";
  std::set<std::string> done;
  if (options.resume && !path.empty()) done = passed_before(path, options.full);
  std::ofstream out;
  if (!path.empty()) out.open(path, options.resume ? std::ios::app : std::ios::trunc);
  take_messages();
  const double begin = now();
  for (const Case& c : vdc::cases()) {
    if (!options.filter.empty() && c.name.find(options.filter) == std::string::npos) continue;
    if (done.count(c.name)) {
      ++totals.kept, ++totals.passed;
      continue;
    }
    if (now() > deadline) {
      ++totals.left;
      continue;
    }
    vdc::Report report;
    std::string status = "pass", reason;
    const uint64_t seed = options.seed ^ vd::test::hash_name(c.name);
    const double start = now();
    const uint64_t missing = c.features & ~session.info().features;
    const std::string turn = c.turn == vdc::Turn::Case ? vdc::awaits_turn(c.name, c.features | c.wished, session) : "";
    if (!turn.empty()) {
      status = "skip", reason = turn;
      ++totals.skipped, ++totals.skips[reason];
    } else if (missing != 0) {
      status = "skip";
      reason = std::string("the device does not report ") + feature_name(missing & (~missing + 1));
      ++totals.skipped, ++totals.skips[reason];
    } else {
      try {
        vdc::Run run{session, report, options.full, seed, std::mt19937_64(seed)};
        c.run(run);
        VDC(vd_context_wait_idle(session.context(), VD_QUEUE_ALL, VD_WAIT_FOREVER));
      } catch (const std::exception& error) {
        status = "fail", reason = error.what();
      }
      if (std::string messages = take_messages(); !messages.empty() && status == "pass")
        status = "fail", reason = "the log has: " + messages;
      if (status == "pass" && !report.skipped.empty()) {
        status = "skip", reason = report.skipped;
        ++totals.skipped, ++totals.skips[reason];
      } else if (status == "fail") {
        ++totals.failed;
        std::printf("FAIL %s (--seed %" PRIu64 "): %s\n", c.name.c_str(), options.seed, reason.c_str());
      } else {
        ++totals.passed;
      }
      totals.in_turn += report.in_turn;
      if (report.largest_difference > totals.difference)
        totals.difference = report.largest_difference, totals.where = c.name + ", " + report.largest_where;
    }
    const double seconds = now() - start;
    if (out) {
      out << "{\"case\": " << json(c.name) << ", \"backend\": \"" << name << "\", \"device\": " << json(totals.device)
          << ", \"status\": \"" << status << "\", \"full\": " << (options.full ? "true" : "false")
          << ", \"seed\": " << options.seed << ", \"seconds\": " << seconds << ", \"compared\": " << report.compared
          << ", \"ulp\": " << report.largest_difference << ", \"where\": " << json(report.largest_where)
          << ", \"reason\": " << json(reason) << "}\n"
          << std::flush;
    }
  }
  totals.seconds = now() - begin;
  return totals;
}

}  // namespace

int main(int argc, char** argv) {
  Options options = parse(argc, argv);
  std::sort(vdc::cases().begin(), vdc::cases().end(), [](const Case& a, const Case& b) { return a.name < b.name; });
  if (options.list) {
    for (const Case& c : vdc::cases()) std::printf("%s\n", c.name.c_str());
    return 0;
  }
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  vd_log_receiver receiver = 0;
  if (vd_log_add(VD_LOG_WARNING, on_log, nullptr, nullptr, &receiver) != VD_OK) {
    std::fprintf(stderr, "%s\n", vd_last_error());
    return 2;
  }
  const uint64_t live = vd_live_objects();
  const double deadline = now() + options.time_limit;

  if (options.backends.empty())
    for (const auto& [name, backend] : kBackends) {
      vd_backend_info info = VD_BACKEND_INFO_INIT;
      if (vd_backend_get_info(backend, &info) == VD_OK && info.available)
        options.backends.push_back(name);
      else
        std::printf("== %s: not here: %s\n", name.c_str(), info.reason);
    }
  uint32_t failed = 0, passed = 0, skipped = 0;
  for (const std::string& name : options.expected)
    if (std::find(options.backends.begin(), options.backends.end(), name) == options.backends.end())
      std::printf("FAIL backend %s was expected and is not here\n", name.c_str()), ++failed;

  std::vector<Totals> all;
  for (const std::string& name : options.backends) {
    if (!kBackends.count(name)) {
      std::fprintf(stderr, "vd_conformance: unknown backend %s\n", name.c_str());
      return 2;
    }
    try {
      all.push_back(run_backend(options, name, deadline));
    } catch (const std::exception& error) {
      std::printf("FAIL %s: %s\n", name.c_str(), error.what());
      ++failed;
    }
  }
  std::printf("\n%-8s %-40s %7s %7s %8s %9s  %s\n", "backend", "device", "passed", "failed", "skipped", "seconds",
              "largest difference");
  for (const Totals& t : all) {
    std::printf("%-8s %-40.40s %7u %7u %8u %9.1f  %.3g ulp (%s)\n", t.backend.c_str(), t.device.c_str(), t.passed,
                t.failed, t.skipped, t.seconds, t.difference, t.where.empty() ? "none" : t.where.c_str());
    for (const auto& [reason, count] : t.skips) std::printf("         %u skipped: %s\n", count, reason.c_str());
    if (t.in_turn != 0) std::printf("         %u kernels of the corpus in turn on other drivers\n", t.in_turn);
    if (t.left != 0) std::printf("         %u not reached in the time: run again with --resume\n", t.left), ++failed;
    if (t.kept != 0) std::printf("         %u passed before\n", t.kept);
    passed += t.passed, failed += t.failed, skipped += t.skipped;
  }
  if (vd_live_objects() != live) {
    std::printf("FAIL %" PRIu64 " objects are still alive\n", vd_live_objects() - live);
    ++failed;
  }
  std::printf("%u passed, %u failed, %u skipped\n", passed, failed, skipped);
  return failed == 0 ? 0 : 1;
}
