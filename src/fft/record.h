// Records of a device, which measuring chose: layouts that were faster than what the planner would take, and numbers of the device.
// They come from files: those of fft/records are part of the library, and the option fft_records names a folder of a
// user's own. docs/adding.md describes the format.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fft/candidate.h"
#include "fft/conditions.h"
#include "fft/device_constants.h"

namespace vd::fft {

struct Record {
  // Usual: takes the place of what the rules say, so that a score may know better, and rules say what it does not.
  // Choice: a whole candidate, and the last word.
  enum class Kind : uint8_t { Usual, Choice };
  Kind kind = Kind::Usual;
  Conditions conditions;
  Candidate candidate;
  bool lines = true, planar = true;  // whether the candidate says them
};

struct RecordFile {
  std::string name;                      // in messages
  std::string device;                    // that it was measured on, by its name
  bool any = false;                      // for other devices, too
  vd_backend backend = VD_BACKEND_AUTO;  // that it is for; AUTO: all
  std::vector<std::pair<double DeviceConstants::*, double>> constants;
  std::multimap<uint32_t, Record> records;  // by length; equal ones in their order

  bool is_for(const vd_device_info& device) const;
};

// Throws VD_ERR_INVALID, with the name and the line's number, for a file that is not as it should be.
RecordFile read_record_file(std::string name, std::string_view text);

// Records of one device: files, of which an earlier one is asked before a later one.
struct Records {
  DeviceConstants constants;
  std::vector<std::shared_ptr<const RecordFile>> files;
};

// The files of the folder that the option fft_records names, by their names, then the library's: of the device, then of any.
// A file that is damaged or of another device is left out, with a warning or a note in the log.
std::shared_ptr<const Records> records_of(const vd_device_info& device);
// The device's, or those of any device.
const Records& records(const Limits& limits);

// NULL if there is none. `columns`: a workgroup's lines are neighbours along the first batch.
const Record* find_usual(const PassDesc& desc, const Limits& limits, bool columns);
std::vector<const Record*> find_choices(const PassDesc& desc, const Limits& limits);
// Whether a pass runs as its usual record says, if it has one: a score may know better.
bool follows_usual(const PassDesc& desc, const Limits& limits, const Layout& layout);

}  // namespace vd::fft
