#include "report.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace bench {
namespace {

// GB/s, with every number read and written once for each transform.
double rate(const Case& c, const Measured& m) {
  return m.seconds > 0 ? 2.0 * c.transforms() * static_cast<double>(c.bytes()) / m.seconds / 1e9 : 0;
}

double geomean(const std::vector<double>& ratios) {
  double sum = 0;
  for (const double r : ratios) sum += std::log(r);
  return std::exp(sum / static_cast<double>(ratios.size()));
}

// A peer's; 0 where it was not measured.
double rate(const Row& row, const PeerName& peer) {
  const auto found = row.peers.find(peer.who);
  return found == row.peers.end() ? 0 : rate(row.c, found->second);
}

double best_peer(const Row& row) {
  double best = 0;
  for (const PeerName& peer : kPeers) best = std::max(best, rate(row, peer));
  return best;
}

double least(const std::vector<double>& ratios) { return *std::min_element(ratios.begin(), ratios.end()); }

FILE* open_file(const std::string& path) {
  if (path.empty()) return nullptr;
  FILE* file = std::fopen(path.c_str(), "w");
  if (file == nullptr) throw std::runtime_error(path + " cannot be written");
  return file;
}

int close_file(FILE* file) { return std::fclose(file); }

}  // namespace

Report::Report(Run run, const std::string& path) : run_(std::move(run)), out_(open_file(path), close_file) {
  std::printf("%-3s %-15s %6s", "row", "case", "ours");
  for (const PeerName& peer : kPeers) std::printf(" %6s", peer.head);
  std::printf(" %6s %6s %5s %8s %8s %4s\n", "ratio", "bound", "+-%", "error", "cuFFT's", "regs");
}

bool Report::add(Row row) {
  std::sort(row.variants.begin(), row.variants.end(),
            [](const Measured& a, const Measured& b) { return a.seconds < b.seconds; });
  const double bound = row.c.traffic * static_cast<double>(row.c.bytes()) / run_.copy_rate;
  print_row(row, bound);
  print_variants(row);
  std::fflush(stdout);
  if (out_) write_lines(row, bound);
  keep_ratios(row);
  return row.ours.seconds > 0 && row.ours.error < row.c.tolerance();
}

void Report::print_row(const Row& row, double bound) const {
  const double ours = rate(row.c, row.ours), best = best_peer(row);
  const auto cufft = row.peers.find(kCufft.who);
  std::printf("%-3s %-15s %6.0f", row.c.row.c_str(), row.c.name.c_str(), ours);
  for (const PeerName& peer : kPeers)
    std::printf(" %*.0f", std::max(6, static_cast<int>(std::strlen(peer.head))), rate(row, peer));
  std::printf(" %6.3f %6.3f %5.1f %8.1e %8.1e %4u%s\n", best > 0 ? ours / best : 0, bound / row.ours.seconds,
              row.ours.spread * 100, row.ours.error, cufft == row.peers.end() ? 0 : cufft->second.error,
              row.ours.registers, row.ours.error < row.c.tolerance() ? "" : "  WRONG");
  if (row.warm.seconds > 0)
    std::printf("      %6.0f without rests of %g s: after one it is %.3f of that\n", rate(row.c, row.warm), run_.rest,
                row.warm.seconds / row.ours.seconds);
}

void Report::print_variants(const Row& row) const {
  const double ours = rate(row.c, row.ours);
  for (size_t i = 0; i < std::min<size_t>(row.variants.size(), 3); ++i) {
    const Measured& v = row.variants[i];
    std::printf("      %6.0f %3u %s%s", rate(row.c, v), v.registers, v.tune.c_str(),
                v.error < row.c.tolerance() ? "" : "  WRONG");
    if (v.tune == kPlan) std::printf(": the kernel's is %.3f of that", ours / rate(row.c, v));
    if (v.tune == kNatural) std::printf(": any order's is %.3f of that", ours / rate(row.c, v));
    std::printf("\n");
  }
}

void Report::write_lines(const Row& row, double bound) const {
  const auto line = [&](const char* who, const Measured& m, const char* more = "") {
    std::string one = m.explain;
    std::replace(one.begin(), one.end(), '\n', ';');
    std::fprintf(out_.get(),
                 "{\"row\": \"%s\", \"case\": \"%s\", \"who\": \"%s\", \"backend\": \"%s\", \"device\": \"%s\", "
                 "\"log2\": %u, \"gbs\": %.1f, \"us\": %.2f, \"bound_us\": %.2f, \"spread\": %.4f, \"error\": %.3g, "
                 "\"registers\": %u, \"tune\": \"%s\"%s, \"explain\": \"%s\"}\n",
                 row.c.row.c_str(), row.c.name.c_str(), who, run_.backend.c_str(), run_.device.c_str(), run_.log2,
                 rate(row.c, m), m.seconds * 1e6, bound * 1e6, m.spread, m.error, m.registers, m.tune.c_str(), more,
                 one.c_str());
  };
  line(run_.rest > 0 ? "cold" : "ours", row.ours,
       row.ours.is_recorded() ? ", \"recorded\": true" : ", \"recorded\": false");
  if (row.warm.seconds > 0) line("warm", row.warm);
  for (const auto& [who, m] : row.peers) line(who.c_str(), m);
  for (const Measured& v : row.variants) line(v.tune == kPlan ? "plan" : v.tune == kNatural ? "natural" : "variant", v);
  // A run that its time ends leaves whole lines.
  std::fflush(out_.get());
}

void Report::keep_ratios(const Row& row) {
  const double ours = rate(row.c, row.ours), cufft = rate(row, kCufft), best = best_peer(row);
  if (ours <= 0 || best <= 0) return;
  of_best_[row.c.row].push_back(ours / best);
  if (cufft > 0) of_cufft_[row.c.row].push_back(ours / cufft);
  if (row.c.row == "F1" || row.c.row == "L" || row.c.row == "S")
    (row.ours.is_recorded() ? recorded_ : planned_).push_back(ours / best);
}

void Report::print_means() const {
  for (const auto& [name, ratios] : of_best_) {
    std::printf("%s: geomean %.3f of the best peer, worst %.3f", name.c_str(), geomean(ratios), least(ratios));
    if (const auto found = of_cufft_.find(name); found != of_cufft_.end())
      std::printf("; %.3f of cuFFT alone, worst %.3f", geomean(found->second), least(found->second));
    std::printf("\n");
  }
  if (!recorded_.empty())
    std::printf("F1, L, S: geomean %.3f of the best peer for %zu plans that a record chose\n", geomean(recorded_),
                recorded_.size());
  if (!planned_.empty())
    std::printf("F1, L, S: geomean %.3f of the best peer for %zu plans without a record\n", geomean(planned_),
                planned_.size());
  if (!recorded_.empty() && !planned_.empty())
    std::printf("F1, L, S: without a record %.3f of that with one\n", geomean(planned_) / geomean(recorded_));
}

}  // namespace bench
