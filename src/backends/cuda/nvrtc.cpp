#include "backends/cuda/nvrtc.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <mutex>
#include <set>
#include <string_view>

#include "backends/cuda/driver.h"
#include "codegen/glslang.h"
#include "core/log.h"
#include "core/options.h"

namespace vd::cuda {
namespace {

namespace fs = std::filesystem;

constexpr const char* kInstall =
    "install CUDA's NVRTC: the Python wheel nvidia-cuda-nvrtc (for CUDA 12: nvidia-cuda-nvrtc-cu12) or the CUDA "
    "toolkit; VKDISPATCH_NVRTC may name the file";

bool is_nvrtc(const fs::path& path) {
  const std::string name = path.filename().string();
  return name.starts_with("libnvrtc.so") || (name.starts_with("nvrtc64_") && name.ends_with(".dll"));
}

// The libraries in a folder; several names of one file count once.
void add_folder(std::vector<std::string>& paths, const fs::path& folder) {
  std::error_code error;
  std::set<fs::path> files;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    if (is_nvrtc(it->path())) {
      std::error_code ignored;
      const fs::path real = fs::canonical(it->path(), ignored);
      files.insert(ignored ? it->path() : real);
    }
  for (const fs::path& file : files) paths.push_back(file.string());
}

std::vector<fs::path> children(const fs::path& folder, std::string_view prefix) {
  std::error_code error;
  std::vector<fs::path> found;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    if (it->path().filename().string().starts_with(prefix)) found.push_back(it->path());
  std::sort(found.rbegin(), found.rend());
  return found;
}

// Adds the paths at which the wheels install NVRTC, below a folder of Python packages.
void add_site_packages(std::vector<std::string>& paths, const fs::path& site) {
  for (const fs::path& package : children(site / "nvidia", "cu")) {  // cu13, cuda_nvrtc
    add_folder(paths, package / "lib");
    add_folder(paths, package / "bin");
  }
}

std::vector<std::string> split(const std::string& text) {
#if defined(_WIN32)
  constexpr char kSeparator = ';';
#else
  constexpr char kSeparator = ':';
#endif
  std::vector<std::string> parts;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(kSeparator, begin), text.size());
    if (end > begin) parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

}  // namespace

std::vector<std::string> nvrtc_paths() {
  std::vector<std::string> paths;
  std::error_code error;
  if (const auto only = option("nvrtc")) {
    if (fs::is_directory(*only, error))
      add_folder(paths, *only);
    else
      paths.push_back(*only);
    return paths;
  }
  if (const auto more = option("nvrtc_path"))
    for (const std::string& folder : split(*more)) add_folder(paths, folder);
  for (const char* variable : {"VIRTUAL_ENV", "CONDA_PREFIX"})
    if (const auto root = platform::environment(variable)) {
      for (const fs::path& python : children(fs::path(*root) / "lib", "python3"))
        add_site_packages(paths, python / "site-packages");
      add_folder(paths, fs::path(*root) / "lib");
    }
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const auto root = platform::environment(variable))
      for (const char* lib : {"lib64", "lib", "bin"}) add_folder(paths, fs::path(*root) / lib);
  for (const fs::path& toolkit : children("/usr/local", "cuda")) add_folder(paths, toolkit / "lib64");
  add_folder(paths, "/opt/cuda/lib64");
  // Whatever the loader knows.
  for (const char* name : {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"}) paths.emplace_back(name);
  std::vector<std::string> unique;
  for (std::string& path : paths)
    if (std::find(unique.begin(), unique.end(), path) == unique.end()) unique.push_back(std::move(path));
  return unique;
}

size_t choose_nvrtc(const std::vector<NvrtcCandidate>& found, int driver_version) {
  size_t best = found.size();
  const auto rank = [&](const NvrtcCandidate& c) {
    return std::pair(c.version / 10 <= driver_version / 10, c.version);
  };
  for (size_t i = 0; i < found.size(); ++i) {
    if (found[i].version == 0 || found[i].version / 1000 > driver_version / 1000) continue;
    if (best == found.size() || rank(found[i]) > rank(found[best])) best = i;
  }
  return best;
}

const Nvrtc& Nvrtc::get(int driver_version) {
  static std::mutex mutex;
  static const Nvrtc* taken = nullptr;  // never destroyed: it owns threads and caches of its own
  const std::lock_guard lock(mutex);
  if (taken != nullptr) return *taken;
  std::vector<NvrtcCandidate> found;
  std::vector<std::unique_ptr<const Nvrtc>> loaded;
  for (const std::string& path : nvrtc_paths()) {
    NvrtcCandidate candidate{path, 0, ""};
    std::unique_ptr<const Nvrtc> nvrtc;
    try {
      nvrtc.reset(new Nvrtc(path));
      candidate.version = nvrtc->version();
    } catch (const Error& error) {
      candidate.why = error.what();
    }
    found.push_back(candidate);
    loaded.push_back(std::move(nvrtc));
    if (candidate.version / 10 == driver_version / 10) break;  // none is better
  }
  const size_t best = choose_nvrtc(found, driver_version);
  if (best < found.size()) {
    taken = loaded[best].release();
    log_info("NVRTC {} is {}", version_text(taken->version()), taken->path());
    return *taken;
  }
  std::string newer, tried;
  if (found.empty()) tried = fmt::format("{} has no libnvrtc.so*", option("nvrtc").value_or(""));
  for (const NvrtcCandidate& c : found) {
    if (c.version != 0)
      newer += fmt::format("{}{} ({})", newer.empty() ? "" : ", ", c.path, version_text(c.version));
    else
      tried += fmt::format("{}{}", tried.empty() ? "" : "; ", c.why);
  }
  if (!newer.empty())
    fail(VD_ERR_UNAVAILABLE, "NVRTC is newer than the NVIDIA driver, which runs CUDA {}: {}; {}, or a newer driver",
         version_text(driver_version), newer, kInstall);
  fail(VD_ERR_UNAVAILABLE, "no NVRTC was found; {} (tried: {})", kInstall, tried);
}

Nvrtc::Nvrtc(const std::string& path) : path_(path) {
  std::string why;
  library_ = platform::Library::open(path, &why);
  if (!library_) fail(VD_ERR_UNAVAILABLE, "{}", why);
  const auto load = [&](auto& function, const char* name) {
    if (!library_.get(function, name)) fail(VD_ERR_UNAVAILABLE, "{} has no {}", path, name);
  };
  load(version_of_, "nvrtcVersion");
  load(architecture_count_, "nvrtcGetNumSupportedArchs");
  load(architectures_, "nvrtcGetSupportedArchs");
  load(create_, "nvrtcCreateProgram");
  load(destroy_, "nvrtcDestroyProgram");
  load(compile_, "nvrtcCompileProgram");
  load(cubin_size_, "nvrtcGetCUBINSize");
  load(cubin_, "nvrtcGetCUBIN");
  load(ptx_size_, "nvrtcGetPTXSize");
  load(ptx_, "nvrtcGetPTX");
  load(log_size_, "nvrtcGetProgramLogSize");
  load(log_, "nvrtcGetProgramLog");
  load(error_string_, "nvrtcGetErrorString");
  int major = 0, minor = 0;
  if (const int result = version_of_(&major, &minor); result != 0)
    fail(VD_ERR_UNAVAILABLE, "nvrtcVersion of {} failed: {} ({})", path, error_string_(result), result);
  version_ = major * 1000 + minor * 10;
}

void Nvrtc::check(int result, const char* call, const std::string& what) const {
  constexpr int kOutOfMemory = 1;
  if (result != 0)
    fail(result == kOutOfMemory ? VD_ERR_OUT_OF_MEMORY : VD_ERR_COMPILE, "{} failed: {} ({}): {}", call,
         error_string_(result), result, what);
}

int Nvrtc::best_architecture(int architecture) const {
  int count = 0;
  check(architecture_count_(&count), "nvrtcGetNumSupportedArchs", "the number of architectures");
  std::vector<int> known(static_cast<size_t>(std::max(count, 0)));
  if (count > 0) check(architectures_(known.data()), "nvrtcGetSupportedArchs", "the architectures");
  int best = 0;
  for (const int a : known)
    if (a <= architecture) best = std::max(best, a);
  return best;
}

Nvrtc::Output Nvrtc::compile(const std::string& source, const std::string& name,
                             const std::vector<std::string>& options, bool ptx) const {
  const std::string what = fmt::format("kernel \"{}\"", name);
  NvrtcProgram program = nullptr;
  check(create_(&program, source.c_str(), "kernel.cu", 0, nullptr, nullptr), "nvrtcCreateProgram", what);
  struct Owner {
    const Nvrtc& nvrtc;
    NvrtcProgram& program;
    ~Owner() { nvrtc.destroy_(&program); }
  } owner{*this, program};
  std::vector<const char*> words;
  for (const std::string& option : options) words.push_back(option.c_str());
  const int result = compile_(program, static_cast<int>(words.size()), words.data());

  Output output;
  size_t size = 0;
  if (log_size_(program, &size) == 0 && size > 1) {
    output.log.resize(size);
    if (log_(program, output.log.data()) != 0) output.log.clear();
    while (!output.log.empty() && (output.log.back() == '\0' || output.log.back() == '\n')) output.log.pop_back();
  }
  constexpr int kBuiltinOperationFailure = 7;
  if (result == kBuiltinOperationFailure || (result != 0 && output.log.find("nvrtc-builtins") != std::string::npos))
    fail(VD_ERR_UNAVAILABLE,
         "nvrtcCompileProgram failed: {} ({}): {}: {}; NVRTC {} ({}) does not find libnvrtc-builtins, the other half "
         "of it; {}",
         error_string_(result), result, what, output.log, version_text(version_), path_, kInstall);
  if (result != 0)
    fail(VD_ERR_COMPILE, "nvrtcCompileProgram failed: {} ({}): kernel \"{}\" ({}):\n{}\n{}", error_string_(result),
         result, name, fmt::join(options, " "), output.log, codegen::number_lines(source));
  check((ptx ? ptx_size_ : cubin_size_)(program, &size), ptx ? "nvrtcGetPTXSize" : "nvrtcGetCUBINSize", what);
  output.code.resize(size);
  check((ptx ? ptx_ : cubin_)(program, reinterpret_cast<char*>(output.code.data())),
        ptx ? "nvrtcGetPTX" : "nvrtcGetCUBIN", what);
  return output;
}

}  // namespace vd::cuda
