// The report of a run: a table and lines of JSON, written as they come, and the rows' means at the end.
#pragma once

#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cases.h"

namespace bench {

struct Measured {
  std::string tune;
  double seconds = 0, spread = 0, error = 0;
  uint32_t registers = 0;
  std::string explain;
  // Whether a record of the device chose a pass.
  bool is_recorded() const { return explain.find(", as a record says") != std::string::npos; }
};

// The name of the plan's row, beside the variants of a user's kernel.
constexpr const char* kPlan = "as a plan";
// And that of a spectrum in natural order, beside one in any.
constexpr const char* kNatural = "in natural order";

// The peers, as the lines name them, and the heads of their columns.
struct PeerName {
  const char *who, *head;
};
constexpr PeerName kCufft{"cufft", "cuFFT"};
constexpr PeerName kCufftCallbacks{"cufft_callbacks", "cuFFT, callbacks"};
constexpr PeerName kVkfft{"vkfft", "VkFFT, Vulkan"};
constexpr PeerName kVkfftCuda{"vkfft_cuda", "VkFFT, CUDA"};
constexpr PeerName kPeers[] = {kCufft, kCufftCallbacks, kVkfft, kVkfftCuda};

struct Row {
  Case c;
  Measured ours;
  std::map<std::string, Measured> peers;
  Measured warm;  // ours without rests, with a rest before each submission
  std::vector<Measured> variants;
};

class Report {
 public:
  struct Run {
    std::string backend, device;
    uint32_t log2 = 27;    // of the numbers of an array
    double copy_rate = 0;  // bytes read and written in a second
    double rest = 0;       // seconds before each submission
  };
  // `path`: of the lines; empty: none.
  Report(Run run, const std::string& path);
  // False if ours failed, or its result is wrong.
  bool add(Row row);
  void print_means() const;

 private:
  using Ratios = std::vector<double>;
  void print_row(const Row& row, double bound) const;
  void print_variants(const Row& row) const;
  void write_lines(const Row& row, double bound) const;
  void keep_ratios(const Row& row);

  const Run run_;
  const std::unique_ptr<FILE, int (*)(FILE*)> out_;
  std::map<std::string, Ratios> of_best_, of_cufft_;  // by row: ours divided by another's
  Ratios recorded_, planned_;                         // of lines whose plan a record chose, and of others
};

}  // namespace bench
