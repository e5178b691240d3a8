// The reader of a file of records.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/error.h"
#include "core/name.h"
#include "fft/candidate_words.h"
#include "fft/record.h"
#include "fft/words.h"

namespace vd::fft {
namespace {

constexpr std::string_view kFirstLine = "vkdispatch fft records ", kFileVersion = "1";
constexpr std::string_view kBlanks = " \t\r";
// No number of a device is beyond these, and none is 0, so that estimates stay numbers.
constexpr double kLeastConstant = 1e-9, kMostConstant = 1e12;

std::string_view trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

vd_backend backend_named(std::string_view name) {
  constexpr std::pair<std::string_view, vd_backend> kBackends[] = {{"vulkan", VD_BACKEND_VULKAN},
                                                                   {"cuda", VD_BACKEND_CUDA},
                                                                   {"opencl", VD_BACKEND_OPENCL},
                                                                   {"host", VD_BACKEND_HOST},
                                                                   {"dummy", VD_BACKEND_DUMMY}};
  for (const auto& [known, backend] : kBackends)
    if (known == name) return backend;
  fail(VD_ERR_INVALID, "backend (\"{}\") is not one of cuda, dummy, host, opencl, vulkan", shown_name(name));
}

class FileReader {
 public:
  FileReader(std::string name, std::string_view text) : rest_(text) { file_.name = std::move(name); }

  RecordFile run() {
    while (!rest_.empty()) {
      ++line_;
      try {
        read_line(trimmed(take(rest_, '\n')));
      } catch (const Error& error) {
        fail(VD_ERR_INVALID, "{}:{}: {}", file_.name, line_, error.what());
      }
    }
    if (!for_whom_) fail(VD_ERR_INVALID, "{}: it ends before its line \"for\"", file_.name);
    return std::move(file_);
  }

 private:
  void read_line(std::string_view line) {
    if (line_ == 1) return read_version(line);
    if (line.empty() || line.front() == '#') return;
    const std::string_view kind = take(line, ' ');
    line = trimmed(line);
    if (kind == "device") return read_device(line);
    if (kind == "for") return read_for(line);
    if (kind != "constant" && kind != "usual" && kind != "choice") {
      fail(VD_ERR_INVALID, "\"{}\" is not one of device, for, constant, usual, choice", shown_name(kind));
    }
    if (!for_whom_) fail(VD_ERR_INVALID, "\"{}\" comes before the line \"for\"", kind);
    if (kind == "constant") return read_constant(line);
    read_record(kind == "usual" ? Record::Kind::Usual : Record::Kind::Choice, line);
  }

  static void read_version(std::string_view line) {
    if (!line.starts_with(kFirstLine))
      fail(VD_ERR_INVALID, "\"{}\" is not \"{}{}\"", shown_name(line.substr(0, 60)), kFirstLine, kFileVersion);
    const std::string_view version = line.substr(kFirstLine.size());
    if (version != kFileVersion)
      fail(VD_ERR_INVALID, "version (\"{}\") is not {}", shown_name(version.substr(0, 60)), kFileVersion);
  }

  void read_device(std::string_view name) {
    if (!file_.device.empty()) fail(VD_ERR_INVALID, "device (\"{}\") is given twice", shown_name(name));
    if (name.empty()) fail(VD_ERR_INVALID, "the device has no name");
    file_.device = name;
  }

  void read_for(std::string_view line) {
    if (for_whom_) fail(VD_ERR_INVALID, "\"for\" is given twice");
    if (file_.device.empty()) fail(VD_ERR_INVALID, "\"for\" comes before the line \"device\"");
    const std::string_view whom = take(line, ' ');
    if (whom != "any" && whom != "device")
      fail(VD_ERR_INVALID, "\"{}\" is neither \"any\" nor \"device\"", shown_name(whom));
    file_.any = whom == "any";
    for (NamedValue word; take_word(line, word);) {
      if (word.name != "backend") fail(VD_ERR_INVALID, "word \"{}\" of \"for\" is unknown", shown_name(word.name));
      file_.backend = backend_named(word.value);
    }
    for_whom_ = true;
  }

  void read_constant(std::string_view line) {
    NamedValue word;
    if (!take_word(line, word)) fail(VD_ERR_INVALID, "the constant has no name");
    const auto known = std::ranges::find(named_constants(), word.name, &NamedConstant::name);
    if (known == named_constants().end()) fail(VD_ERR_INVALID, "constant \"{}\" is unknown", shown_name(word.name));
    double value = 0;
    const char* end = word.value.data() + word.value.size();
    const auto [at, error] = std::from_chars(word.value.data(), end, value);
    if (error != std::errc() || at != end || !(value >= kLeastConstant && value <= kMostConstant)) {
      fail(VD_ERR_INVALID, "{} (\"{}\") is not a number from {} to {}", word.name, shown_name(word.value),
           kLeastConstant, kMostConstant);
    }
    if (!trimmed(line).empty()) fail(VD_ERR_INVALID, "\"{}\" is more than a constant", shown_name(trimmed(line)));
    for (const auto& [member, before] : file_.constants) {
      if (member == known->value) fail(VD_ERR_INVALID, "constant \"{}\" is given twice ({})", word.name, before);
    }
    file_.constants.emplace_back(known->value, value);
  }

  void read_record(Record::Kind kind, std::string_view line) {
    if (line.find(':') == std::string_view::npos)
      fail(VD_ERR_INVALID, "there is no \":\" between the conditions and the layout");
    Record record;
    record.kind = kind;
    record.conditions = Conditions::read(take(line, ':'));
    const uint32_t n = record.conditions.n();
    CandidateWords words = read_words(line, n, record.conditions.rows());
    record.candidate = std::move(words.candidate);
    record.lines = words.lines;
    record.planar = words.planar;
    if (kind == Record::Kind::Usual && record.candidate.ahead)
      fail(VD_ERR_INVALID, "ahead (1) is given, which a choice alone has");
    if (kind == Record::Kind::Choice && !record.lines)
      fail(VD_ERR_INVALID, "lines of a workgroup are not given, which a choice has");
    if (kind == Record::Kind::Choice) record.planar = true;
    file_.records.emplace(n, std::move(record));
  }

  RecordFile file_;
  std::string_view rest_;
  size_t line_ = 0;
  bool for_whom_ = false;
};

}  // namespace

RecordFile read_record_file(std::string name, std::string_view text) { return FileReader(std::move(name), text).run(); }

}  // namespace vd::fft
