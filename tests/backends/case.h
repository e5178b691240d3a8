// A conformance case is a function that builds kernels through the public C API, runs them on one device and compares
// what came out with what it computed itself. The same cases run on every backend. A case says which features it needs;
// where the device does not report one, the case is skipped and counted, with the feature's name.
#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "session.h"

namespace vdc {

// The report of a running case. A difference is in the unit that the case names ("ulp", "abs").
struct Report {
  double largest_difference = 0;  // over all float comparisons of the case, in ULP of the compared type
  std::string largest_where;
  uint64_t compared = 0;  // values compared
  uint32_t kernels = 0;
  uint32_t in_turn = 0;  // kernels that another driver runs
  std::string skipped;  // why, if the case found that the device cannot be asked: counted and said, as missing features

  void difference(double ulp, const std::string& where) {
    if (ulp > largest_difference) largest_difference = ulp, largest_where = where;
  }
};

struct Run {
  Session& session;
  Report& report;
  bool full;      // long form: more samples
  uint64_t seed;  // of this case in this run
  std::mt19937_64 random;
  size_t samples(size_t quick, size_t all) const { return full ? all : quick; }
};

inline std::vector<uint8_t> random_bytes(Run& run, size_t size) {
  std::vector<uint8_t> bytes(size);
  for (uint8_t& b : bytes) b = static_cast<uint8_t>(run.random());
  return bytes;
}

// Whether drivers that compile on the CPU take turns (support/turns.h) at a case, at each of its kernels by itself, or at
// nothing, since it is about what a driver does itself and compiles next to nothing.
enum class Turn { Case, Kernels, None };

struct Case {
  std::string name;  // "ops/arithmetic/f32"
  uint64_t features = 0;
  std::function<void(Run&)> run;
  Turn turn = Turn::Case;
  uint64_t wished = 0;  // features that it tries where a device has them, so that one with all of them is drawn
};

std::vector<Case>& cases();

struct Register {
  Register(std::string name, uint64_t features, std::function<void(Run&)> run, Turn turn = Turn::Case) {
    cases().push_back({std::move(name), features, std::move(run), turn});
  }
};

// Why the kernels of this name run on another driver in the short form (support/turns.h), drawn from those whose devices have
// these features; empty if they run on this one.
std::string awaits_turn(const std::string& name, uint64_t features, const Session& session);

// Throws Failure with a formatted message.
[[noreturn]] void fail(const char* format, ...) __attribute__((format(printf, 1, 2)));

}  // namespace vdc
