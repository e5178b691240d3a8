// Sources of a device's records: the library's own files, and those of a user's folder.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <mutex>

#include "core/error.h"
#include "core/log.h"
#include "core/name.h"
#include "core/options.h"
#include "fft/record.h"
#include "fft/shipped_records.h"

namespace vd::fft {
namespace {

namespace fs = std::filesystem;

using RecordFiles = std::vector<std::shared_ptr<const RecordFile>>;
constexpr uint64_t kMostFileBytes = 1 << 20;

// The library's own, which a test reads on every build. They are never destroyed: work may outlive main().
const RecordFiles& shipped_files() {
  static const RecordFiles& files = *new RecordFiles([] {
    RecordFiles all;
    for (const ShippedRecords& shipped : shipped_records())
      all.push_back(std::make_shared<const RecordFile>(read_record_file(shipped.name, shipped.text)));
    return all;
  }());
  return files;
}

std::string read_text(const fs::path& path) {
  std::error_code error;
  const uint64_t size = fs::file_size(path, error);
  if (error) fail(VD_ERR_INVALID, "{}: {}", shown_name(path.string()), error.message());
  if (size > kMostFileBytes)
    fail(VD_ERR_INVALID, "{}: its size ({}) is past the limit ({} bytes)", shown_name(path.string()), size,
         kMostFileBytes);
  std::ifstream in(path, std::ios::binary);
  // No more than that: files of /proc may be without end.
  std::string text(size, '\0');
  in.read(text.data(), static_cast<std::streamsize>(size));
  text.resize(static_cast<size_t>(in.gcount()));
  if (!in.is_open() || in.bad()) fail(VD_ERR_INVALID, "{}: it cannot be read", shown_name(path.string()));
  return text;
}

// The files of a folder by their names, and warnings of what is wrong there.
RecordFiles read_folder(const std::string& folder, std::vector<std::string>& warnings) {
  std::error_code error;
  std::vector<fs::path> paths;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    if (at->path().extension() == ".txt") paths.push_back(at->path());
  }
  if (error) warnings.push_back(fmt::format("folder \"{}\" cannot be read: {}", shown_name(folder), error.message()));
  if (!error && paths.empty()) warnings.push_back(fmt::format("folder \"{}\" has no file *.txt", shown_name(folder)));
  std::ranges::sort(paths);
  RecordFiles files;
  for (const fs::path& path : paths) {
    try {
      files.push_back(std::make_shared<const RecordFile>(read_record_file(shown_name(path.string()), read_text(path))));
    } catch (const Error& failure) {
      warnings.push_back(fmt::format("a file of records is left out: {}", failure.what()));
    }
  }
  return files;
}

void add_files(const RecordFiles& files, const vd_device_info& device, Records& to) {
  for (const bool any : {false, true}) {
    for (const std::shared_ptr<const RecordFile>& file : files)
      if (file->any == any && file->is_for(device)) to.files.push_back(file);
  }
}

void set_constants(Records& records) {
  for (size_t i = records.files.size(); i-- > 0;) {
    for (const auto& [member, value] : records.files[i]->constants) records.constants.*member = value;
  }
}

// Records of the devices and folders that were asked for; a folder is read once.
class DeviceRecords {
 public:
  std::shared_ptr<const Records> find(const vd_device_info& device, std::vector<std::string>& warnings) {
    const std::string folder = option("fft_records").value_or("");
    const std::lock_guard lock(mutex_);
    std::shared_ptr<const Records>& found =
        records_[fmt::format("{} {}\n{}", static_cast<int>(device.backend), device.name, folder)];
    if (!found) found = std::make_shared<const Records>(make(device, folder, warnings));
    return found;
  }

 private:
  Records make(const vd_device_info& device, const std::string& folder, std::vector<std::string>& warnings) {
    Records records;
    if (!folder.empty()) {
      const auto [at, fresh] = folders_.try_emplace(folder);
      if (fresh) at->second = read_folder(folder, warnings);
      add_files(at->second, device, records);
      if (records.files.empty()) {
        for (const std::shared_ptr<const RecordFile>& file : at->second)
          warnings.push_back(fmt::format("{} is of device \"{}\" and is not used for \"{}\"", file->name,
                                         shown_name(file->device), shown_name(device.name)));
      }
    }
    add_files(shipped_files(), device, records);
    set_constants(records);
    return records;
  }

  std::mutex mutex_;
  std::map<std::string, RecordFiles> folders_;
  std::map<std::string, std::shared_ptr<const Records>> records_;
};

}  // namespace

std::shared_ptr<const Records> records_of(const vd_device_info& device) {
  static DeviceRecords& known = *new DeviceRecords;
  std::vector<std::string> warnings;
  std::shared_ptr<const Records> found = known.find(device, warnings);
  for (const std::string& warning : warnings) log_warning("{}: {}", options().source("fft_records"), warning);
  return found;
}

const Records& records(const Limits& limits) {
  if (limits.records) return *limits.records;
  static const Records& usual = *new Records([] {
    Records all;
    const vd_device_info none = VD_DEVICE_INFO_INIT;
    add_files(shipped_files(), none, all);
    set_constants(all);
    return all;
  }());
  return usual;
}

}  // namespace vd::fft
