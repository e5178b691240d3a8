#include "backends/opencl/program.h"

#include <cctype>
#include <span>
#include <string_view>
#include <vector>

#include "core/hash.h"
#include "core/log.h"
#include "core/options.h"

namespace vd::opencl {
namespace {

constexpr size_t kMaxLog = 4000;

std::string build_log(const Context& context, cl_program program) {
  size_t size = 0;
  if (context.cl.GetProgramBuildInfo(program, context.device(), CL_PROGRAM_BUILD_LOG, 0, nullptr, &size) !=
          CL_SUCCESS ||
      size == 0)
    return {};
  std::string log(size, '\0');
  if (context.cl.GetProgramBuildInfo(program, context.device(), CL_PROGRAM_BUILD_LOG, size, log.data(), nullptr) !=
      CL_SUCCESS)
    return {};
  log = log.c_str();
  while (!log.empty() && std::isspace(static_cast<unsigned char>(log.back())) != 0) log.pop_back();
  return log;
}

// The line number in "program.cl:12:5: error: ...", clang's form, which all drivers based on it share; 0 if there is
// none.
uint32_t named_line(std::string_view text) {
  for (size_t colon = text.find(':'); colon != std::string_view::npos; colon = text.find(':', colon + 1)) {
    size_t at = colon + 1;
    uint32_t line = 0;
    while (at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])) != 0 && line < 100000000)
      line = line * 10 + static_cast<uint32_t>(text[at++] - '0');
    if (line != 0 && at < text.size() && text[at] == ':') return line;
  }
  return 0;
}

}  // namespace

std::string annotate_log(const std::string& log, const PlaceOfLine& place) {
  std::string out;
  for (size_t begin = 0; begin < log.size();) {
    size_t end = log.find('\n', begin);
    if (end == std::string::npos) end = log.size();
    const std::string_view line(log.data() + begin, end - begin);
    out += line;
    if (const uint32_t number = named_line(line); number != 0 && place) out += place(number);
    out += '\n';
    begin = end + 1;
    if (out.size() > kMaxLog) return out + "...";
  }
  if (!out.empty()) out.pop_back();
  return out;
}

Programs::Programs(std::shared_ptr<const Context> context, const std::string& cache_dir)
    : context_(std::move(context)),
      disk_(context_->keeps_programs ? cache_dir : ""),
      user_options_(option("opencl_options").value_or("")) {}

std::string Programs::options(const Wishes& wishes) const {
  const Physical& physical = context_->physical;
  std::string text = physical.opencl_c >= 300 ? "-cl-std=CL3.0" : "-cl-std=CL1.2";
  if (wishes.precise && physical.exact_division) text += " -cl-fp32-correctly-rounded-divide-sqrt";
  if (wishes.arguments) text += " -cl-kernel-arg-info";
  for (const std::string& more : {user_options_, context_->overrides.build_options})
    if (!more.empty()) text += " " + more;
  return text;
}

std::shared_ptr<const Program> Programs::make(const std::string& source, const Wishes& wishes, const std::string& label,
                                              const PlaceOfLine& place) {
  const Physical& physical = context_->physical;
  const std::string options = this->options(wishes);
  Hasher hasher;
  hasher.add(std::string_view("OpenCL program")).add(std::string_view(source)).add(std::string_view(options));
  hasher.add(std::string_view(physical.platform_name)).add(std::string_view(physical.platform_version));
  hasher.add(std::string_view(physical.info.name)).add(std::string_view(physical.driver_version));
  const Hash128 key = hasher.finish();
  if (auto found = programs_.find(key)) return found;
  auto program = std::make_shared<Program>();
  if (const auto kept = disk_.load(key)) program->handle = from_binary(*kept, options);
  if (program->handle) {
    program->from_cache = true;
    cached_.fetch_add(1, std::memory_order_relaxed);
  } else {
    program->handle = from_source(source, options, label, place);
    compiled_.fetch_add(1, std::memory_order_relaxed);
    keep(key, *program);
  }
  return programs_.add(key, std::move(program));
}

// Empty if the driver does not take it: it was updated, or the file is of another's making.
ProgramHandle Programs::from_binary(const std::vector<std::byte>& binary, const std::string& options) {
  const cl_device_id device = context_->device();
  const size_t size = binary.size();
  const auto* bytes = reinterpret_cast<const unsigned char*>(binary.data());
  cl_int status = CL_SUCCESS, result = CL_SUCCESS;
  const cl_program handle =
      context_->cl.CreateProgramWithBinary(context_->handle(), 1, &device, &size, &bytes, &status, &result);
  if (result != CL_SUCCESS) return {};
  ProgramHandle program(context_, handle);
  if (status != CL_SUCCESS) return {};
  if (context_->cl.BuildProgram(handle, 1, &device, options.c_str(), nullptr, nullptr) != CL_SUCCESS) return {};
  return program;
}

ProgramHandle Programs::from_source(const std::string& source, const std::string& options, const std::string& label,
                                    const PlaceOfLine& place) {
  const cl_device_id device = context_->device();
  const char* text = source.c_str();
  const size_t size = source.size();
  cl_int result = CL_SUCCESS;
  const cl_program handle = context_->cl.CreateProgramWithSource(context_->handle(), 1, &text, &size, &result);
  context_->check(result, "clCreateProgramWithSource", "kernel \"{}\" ({} bytes)", label, size);
  ProgramHandle program(context_, handle);
  result = context_->cl.BuildProgram(handle, 1, &device, options.c_str(), nullptr, nullptr);
  const std::string log = annotate_log(build_log(*context_, handle), place);
  if (result == CL_BUILD_PROGRAM_FAILURE || result == CL_INVALID_BUILD_OPTIONS) {
    fail(VD_ERR_COMPILE, "clBuildProgram failed with {} for kernel \"{}\" on OpenCL device \"{}\" with \"{}\"{}{}",
         result_name(result), label, context_->info().name, options, log.empty() ? "." : ":\n", log);
  }
  context_->check(result, "clBuildProgram", "kernel \"{}\" with \"{}\"", label, options);
  if (!log.empty()) log_verbose("OpenCL compiler about kernel \"{}\":\n{}", label, log);
  return program;
}

// Failing loses time, not work.
void Programs::keep(const DiskCache::Key& key, const Program& program) noexcept {
  if (!disk_.enabled()) return;
  try {
    size_t size = 0;
    const cl_program handle = program.handle.get();
    if (context_->cl.GetProgramInfo(handle, CL_PROGRAM_BINARY_SIZES, sizeof(size), &size, nullptr) != CL_SUCCESS ||
        size == 0)
      return;
    std::vector<std::byte> binary(size);
    auto* bytes = reinterpret_cast<unsigned char*>(binary.data());
    if (context_->cl.GetProgramInfo(handle, CL_PROGRAM_BINARIES, sizeof(bytes), &bytes, nullptr) == CL_SUCCESS)
      disk_.store(key, binary);
  } catch (...) {
  }
}

}  // namespace vd::opencl
