// Any bytes as a file of records: the reader refuses them with VD_ERR_INVALID and the file's name, or what it gives is
// whole, and survives as words.
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "core/error.h"
#include "fft/candidate_words.h"
#include "fft/record.h"

namespace {

void expect(bool good, const char* what) {
  if (good) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace vd::fft;
  RecordFile file;
  try {
    file = read_record_file("name", {reinterpret_cast<const char*>(data), size});
  } catch (const vd::Error& error) {
    expect(error.status() == VD_ERR_INVALID && std::string_view(error.what()).starts_with("name:"), error.what());
    return 0;
  }
  for (const auto& [n, record] : file.records) {
    const std::string conditions = record.conditions.text(), words = words_of(record.candidate);
    expect(Conditions::read(conditions).text() == conditions, conditions.c_str());
    expect(words_of(read_candidate(words, n)) == words, words.c_str());
    expect(record.candidate.radices.n == n && record.candidate.lines > 0, words.c_str());
  }
  return 0;
}
