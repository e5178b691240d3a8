#include "core/device_check.h"

#include <bit>
#include <cmath>
#include <concepts>
#include <string_view>

#include "core/device_fields.h"
#include "core/error.h"

namespace vd {
namespace {

enum class Rule { Any, Truth, Features, Limit, Alignment, Zero };

struct Row {
  std::string_view field;
  Rule rule;
};
// Rules of numbers; enumerators and times have rules of their own.
constexpr Row kRows[] = {
    {"struct_size", Rule::Any},
    {"backend", Rule::Any},
    {"index", Rule::Any},
    {"type", Rule::Any},
    {"api_version", Rule::Any},
    {"driver_version", Rule::Any},
    {"vendor_id", Rule::Any},
    {"device_id", Rule::Any},
    {"uuid_valid", Rule::Truth},
    {"uuid", Rule::Any},
    {"name", Rule::Any},
    {"features", Rule::Features},
    {"max_workgroup_size", Rule::Limit},
    {"max_workgroup_invocations", Rule::Limit},
    {"max_workgroup_count", Rule::Limit},
    {"queue_count", Rule::Limit},
    {"max_storage_buffer_range", Rule::Limit},
    {"max_uniform_buffer_range", Rule::Limit},
    {"max_allocation_size", Rule::Limit},
    {"memory_size", Rule::Limit},
    {"max_push_constant_size", Rule::Any},  // 0: what every device has
    {"uniform_buffer_alignment", Rule::Alignment},
    {"storage_buffer_alignment", Rule::Alignment},
    {"max_shared_memory_size", Rule::Limit},
    {"max_shared_memory_opt_in", Rule::Any},  // the rest is 0 where it is unknown
    {"shared_memory_per_multiprocessor", Rule::Any},
    {"registers_per_multiprocessor", Rule::Any},
    {"multiprocessor_count", Rule::Any},
    {"subgroup_size", Rule::Limit},
    {"reserved", Rule::Zero},
    {"timestamp_period", Rule::Any},
    {"max_image_extent", Rule::Any},  // 0 without images
    {"max_image_layers", Rule::Any},
    {"host_import_alignment", Rule::Alignment},
};

// Does not compile for a field without a row.
consteval Rule rule_of(std::string_view field) {
  for (const Row& row : kRows) {
    if (row.field == field) return row.rule;
  }
  throw "a field of vd_device_info has no rule";
}

constexpr vd_features kFeatures = (vd_features{VD_FEATURE_SEMAPHORE_FD} << 1) - 1;

struct Checker {
  const std::string& name;
  const DeviceLimits limits;

  template <class T>
  void require(bool valid, const std::string& field, T value, const char* fault) const {
    if (!valid) fail(VD_ERR_INVALID, "{}->{} ({}) {}", name, field, value, fault);
  }

  template <std::unsigned_integral T>
  void check(Rule rule, const std::string& field, T value) const {
    switch (rule) {
      case Rule::Any:
        return;
      case Rule::Truth:
        return require(value <= 1, field, value, "is neither 0 nor 1");
      case Rule::Features:
        if ((value & ~kFeatures) == 0) return;
        fail(VD_ERR_INVALID, "{}->{} ({:#x}) has unknown bits ({:#x})", name, field, value, value & ~kFeatures);
      case Rule::Limit:
        return require(value != 0 || limits == DeviceLimits::Some, field, value, "is not at least 1");
      case Rule::Alignment:
        return require(value == 0 || std::has_single_bit(value), field, value, "is not a power of two");
      case Rule::Zero:
        return require(value == 0, field, value, "is not zero");
    }
  }
  template <std::unsigned_integral T, size_t N>
  void check(Rule rule, const std::string& field, const T (&values)[N]) const {
    for (size_t i = 0; i < N; ++i) check(rule, fmt::format("{}[{}]", field, i), values[i]);
  }
  void check(Rule /*rule*/, const std::string& field, vd_backend value) const {
    require(value >= VD_BACKEND_AUTO && value <= VD_BACKEND_DUMMY, field, static_cast<int>(value), "is unknown");
  }
  void check(Rule /*rule*/, const std::string& field, vd_device_type value) const {
    require(value >= VD_DEVICE_OTHER && value <= VD_DEVICE_CPU, field, static_cast<int>(value), "is unknown");
  }
  void check(Rule /*rule*/, const std::string& field, double value) const {
    require(std::isfinite(value) && value >= 0, field, value, "is not a time");
  }
  void check(Rule /*rule*/, const std::string& /*field*/, const char* /*text*/) const {}
};

}  // namespace

void check_device(const vd_device_info& device, const std::string& name, DeviceLimits limits) {
  const Checker checker{name, limits};
#define VD_CHECK_FIELD(field) checker.check(rule_of(#field), #field, device.field);
  VD_DEVICE_FIELDS(VD_CHECK_FIELD)
#undef VD_CHECK_FIELD
}

}  // namespace vd
