#include "backends/opencl/icd_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>
#include <vector>

#include "core/platform.h"

namespace vd::opencl {
namespace {

namespace fs = std::filesystem;

constexpr const char* kVendors = "/etc/OpenCL/vendors";
constexpr size_t kLongestPath = 4096;  // a file of more has no line that is one
constexpr size_t kShownName = 80, kShownReason = 200;

fs::path vendors() { return platform::environment("OCL_ICD_VENDORS").value_or(kVendors); }

std::vector<fs::path> icd_files() {
  const fs::path where = vendors();
  std::error_code error;
  std::vector<fs::path> files;
  if (fs::is_directory(where, error)) {
    for (fs::directory_iterator it(where, error), end; !error && it != end; it.increment(error))
      if (it->path().extension() == ".icd") files.push_back(it->path());
  } else if (where.extension() == ".icd" && fs::exists(where, error)) {
    files.push_back(where);
  }
  std::sort(files.begin(), files.end());
  return files;
}

// Arbitrary text for a message: its printable characters, cut at `most`.
std::string legible(std::string_view text, size_t most) {
  size_t length = 0;
  while (length < std::min(text.size(), most) && text[length] >= ' ' && text[length] <= '~') ++length;
  return std::string(text.substr(0, length)) + (length < text.size() ? "..." : "");
}

std::string first_line(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::string line(kLongestPath, '\0');
  in.read(line.data(), static_cast<std::streamsize>(line.size()));
  line.resize(static_cast<size_t>(in.gcount()));
  line.resize(std::min(line.find('\n'), line.size()));
  while (!line.empty() && (line.back() == '\r' || line.back() == ' ' || line.back() == '\t')) line.pop_back();
  return line;
}

// The fault of one file; "" if its library is a driver.
std::string judge(const fs::path& file) {
  const std::string name = first_line(file);
  if (name.empty()) return fmt::format("{} names no library", file.string());
  if (name[0] < ' ' || name[0] > '~') return fmt::format("{} is not a text file", file.string());
  const std::string names = fmt::format("{} names \"{}\"", file.string(), legible(name, kShownName));
  std::string why;
  const platform::Library library = platform::Library::open(name, &why);
  if (!library) {
    // The name already precedes it.
    if (const std::string prefix = std::string(name.c_str()) + ": "; why.starts_with(prefix))
      why.erase(0, prefix.size());
    return fmt::format("{}, which cannot be loaded ({})", names, legible(why, kShownReason));
  }
  if (library.symbol("clGetExtensionFunctionAddress") == nullptr) return names + ", which is not an OpenCL driver";
  return {};
}

std::string judge_all(const std::vector<fs::path>& files) {
  std::string text;
  for (const fs::path& file : files)
    if (const std::string fault = judge(file); !fault.empty()) text += (text.empty() ? "" : "; ") + fault;
  if (!text.empty()) text += "; install that driver again, or remove the file";
  return text;
}

}  // namespace

std::string broken_drivers() { return judge_all(icd_files()); }

std::string explain_drivers() {
  const std::vector<fs::path> files = icd_files();
  if (files.empty())
    return fmt::format("{} has no .icd file of a driver; install your GPU's OpenCL driver", vendors().string());
  const std::string broken = judge_all(files);
  return broken.empty() ? fmt::format("the drivers that {} names report no platform", vendors().string()) : broken;
}

}  // namespace vd::opencl
