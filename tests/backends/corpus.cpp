// Kernels that a compiler once got wrong, or that found another fault: each file of tests/kernels/corpus, see
// recorded.h. The folder is found from VD_TEST_DATA, the tests' own; else from the project's root.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "case.h"
#include "recorded.h"

namespace vdc {
namespace {

std::filesystem::path folder() {
  const char* tests = std::getenv("VD_TEST_DATA");
  return std::filesystem::path(tests && *tests ? tests : "tests") / "kernels" / "corpus";
}

void corpus(Run& run) {
  if (!std::filesystem::is_directory(folder()))
    fail("there is no folder %s: run from the project's root, or set VD_TEST_DATA", folder().c_str());
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder())) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::string differences;
  for (const auto& path : files) {
    if (path.extension() != ".kernel") continue;
    std::ifstream in(path);
    std::ostringstream text;
    text << in.rdbuf();
    const Recorded recorded = parse_recorded(text.str());
    const vd_features features = features_of(recorded);
    if (!run.session.has(features)) continue;
    if (!awaits_turn(path.filename().string(), features, run.session).empty()) {
      ++run.report.in_turn;
      continue;
    }
    ++run.report.kernels;
    if (const std::string text_of_difference = difference(run.session, recorded); !text_of_difference.empty())
      differences += path.filename().string() + ": " + text_of_difference;
    for (const Recorded::Array& array : recorded.arrays) run.report.compared += array.after.size();
  }
  if (!differences.empty()) fail("%s", differences.c_str());
  if (run.report.kernels == 0) run.report.skipped = "the device has the features of no kernel";
}

[[maybe_unused]] const Register corpus_registered("kernels/corpus", 0, corpus, Turn::Kernels);

}  // namespace
}  // namespace vdc
