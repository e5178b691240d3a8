// The list of devices, and the messages, when platforms or devices do not answer: a table of entry points with
// stand-ins for them.
#include <gmock/gmock.h>

#include <cstring>
#include <vector>

#include "core/log.h"
#include "support/log_receiver.h"
#include "unit/opencl/fixture.h"

namespace vd::opencl {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

int place = 0, device_place = 0;
const cl_platform_id broken = reinterpret_cast<cl_platform_id>(&place);
const cl_device_id mute = reinterpret_cast<cl_device_id>(&device_place);

cl_int CL_API_CALL no_platforms(cl_uint, cl_platform_id*, cl_uint* out_count) {
  if (out_count != nullptr) *out_count = 0;
  return CL_SUCCESS;
}
cl_int CL_API_CALL refused(cl_uint, cl_platform_id*, cl_uint*) { return CL_OUT_OF_HOST_MEMORY; }
cl_int CL_API_CALL refused_at_last(cl_uint count, cl_platform_id*, cl_uint* out_count) {
  if (count != 0) return CL_OUT_OF_HOST_MEMORY;
  *out_count = 1;
  return CL_SUCCESS;
}
cl_int CL_API_CALL broken_alone(cl_uint, cl_platform_id* out, cl_uint* out_count) {
  if (out_count != nullptr) *out_count = 1;
  if (out != nullptr) *out = broken;
  return CL_SUCCESS;
}
// The broken one first.
cl_int CL_API_CALL broken_and_real(cl_uint count, cl_platform_id* out, cl_uint* out_count) {
  if (out == nullptr) {
    const cl_int result = real->GetPlatformIDs(0, nullptr, out_count);
    ++*out_count;
    return result;
  }
  out[0] = broken;
  return real->GetPlatformIDs(count - 1, out + 1, nullptr);
}

cl_int CL_API_CALL platform_info(cl_platform_id platform, cl_platform_info what, size_t size, void* value,
                                 size_t* size_ret) {
  static const char name[] = "broken";
  if (platform != broken) return real->GetPlatformInfo(platform, what, size, value, size_ret);
  if (value != nullptr) std::memcpy(value, name, sizeof name);
  if (size_ret != nullptr) *size_ret = sizeof name;
  return CL_SUCCESS;
}

cl_int CL_API_CALL failing_ids(cl_platform_id platform, cl_device_type type, cl_uint count, cl_device_id* devices,
                               cl_uint* out_count) {
  return platform == broken ? CL_OUT_OF_HOST_MEMORY : real->GetDeviceIDs(platform, type, count, devices, out_count);
}
cl_int CL_API_CALL no_ids(cl_platform_id platform, cl_device_type type, cl_uint count, cl_device_id* devices,
                          cl_uint* out_count) {
  if (platform != broken) return real->GetDeviceIDs(platform, type, count, devices, out_count);
  if (out_count != nullptr) *out_count = 0;
  return CL_SUCCESS;
}
// In front of each platform's own.
cl_int CL_API_CALL one_more_id(cl_platform_id platform, cl_device_type type, cl_uint count, cl_device_id* devices,
                               cl_uint* out_count) {
  if (devices == nullptr) {
    const cl_int result = real->GetDeviceIDs(platform, type, 0, nullptr, out_count);
    ++*out_count;
    return result;
  }
  devices[0] = mute;
  return real->GetDeviceIDs(platform, type, count - 1, devices + 1, nullptr);
}
// Says how long its answers are, and gives none.
cl_int CL_API_CALL mute_info(cl_device_id device, cl_device_info what, size_t size, void* value, size_t* size_ret) {
  if (device != mute) return real->GetDeviceInfo(device, what, size, value, size_ret);
  if (size_ret != nullptr) *size_ret = 8;
  return value != nullptr ? CL_OUT_OF_RESOURCES : CL_SUCCESS;
}

// A driver of 3.0 without the old question, and its list of versions.
std::vector<cl_version> g_versions;
cl_int CL_API_CALL listing_info(cl_device_id device, cl_device_info what, size_t size, void* value, size_t* size_ret) {
  if (what == CL_DEVICE_OPENCL_C_VERSION) return CL_INVALID_VALUE;
  if (what == CL_DEVICE_VERSION) {
    static const char version[] = "OpenCL 3.0 of tests";
    if (value != nullptr) std::memcpy(value, version, sizeof version);
    if (size_ret != nullptr) *size_ret = sizeof version;
    return CL_SUCCESS;
  }
  if (what != CL_DEVICE_OPENCL_C_ALL_VERSIONS) return real->GetDeviceInfo(device, what, size, value, size_ret);
  if (size_ret != nullptr) *size_ret = g_versions.size() * sizeof(cl_name_version);
  for (size_t i = 0; value != nullptr && i < g_versions.size(); ++i)
    static_cast<cl_name_version*>(value)[i] = {g_versions[i], "OpenCL C"};
  return CL_SUCCESS;
}

class OpenClPlatforms : public OpenClTest {
 protected:
  void SetUp() override {
    OpenClTest::SetUp();
    if (IsSkipped()) return;
    real = &Api::get();
    api_ = *real;
    receiver_.emplace(
        [](const vd_log_message* message, void* user) {
          if (message->level == VD_LOG_WARNING) static_cast<OpenClPlatforms*>(user)->warnings_.push_back(message->text);
        },
        this);
    count_ = list_devices(api_).size();
    warnings_.clear();
    api_.GetPlatformInfo = platform_info;
  }
  void TearDown() override { receiver_.reset(); }

  std::optional<vd::test::LogReceiver> receiver_;
  Api api_;
  size_t count_ = 0;  // of the real ones
  std::vector<std::string> warnings_;
};

TEST_F(OpenClPlatforms, ThereAreNone) {
  api_.GetPlatformIDs = no_platforms;
  expect_error([&] { (void)list_devices(api_); }, VD_ERR_UNAVAILABLE, "the OpenCL loader found no driver: ");
}

TEST_F(OpenClPlatforms, TheListOfVersionsOfOpenClCIsAsked) {
  api_.GetDeviceInfo = listing_info;
  const auto version = [&](std::vector<cl_version> versions) {
    g_versions = std::move(versions);
    return list_devices(api_).at(0).opencl_c;
  };
  EXPECT_EQ(version({CL_MAKE_VERSION(1, 0, 0), CL_MAKE_VERSION(1, 2, 0), CL_MAKE_VERSION(3, 0, 0)}), 102u);
  EXPECT_EQ(version({CL_MAKE_VERSION(3, 0, 0), CL_MAKE_VERSION(1, 1, 0)}), 300u);
  EXPECT_EQ(version({}), 0u);
}

TEST_F(OpenClPlatforms, TheyCannotBeListed) {
  for (const auto call : {refused, refused_at_last}) {
    api_.GetPlatformIDs = call;
    expect_error([&] { (void)list_devices(api_); }, VD_ERR_UNAVAILABLE,
                 "the OpenCL loader cannot list its drivers: clGetPlatformIDs failed with CL_OUT_OF_HOST_MEMORY");
  }
}

TEST_F(OpenClPlatforms, ABrokenOneHidesNoOtherAndIsTold) {
  api_.GetPlatformIDs = broken_and_real;
  api_.GetDeviceIDs = failing_ids;
  EXPECT_EQ(list_devices(api_).size(), count_);
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("the driver \"broken\" does not give all of its devices: clGetDeviceIDs "
                                               "failed with CL_OUT_OF_HOST_MEMORY")));
  api_.GetPlatformIDs = broken_alone;
  expect_error([&] { (void)list_devices(api_); }, VD_ERR_UNAVAILABLE,
               "the OpenCL driver \"broken\" (clGetDeviceIDs failed with CL_OUT_OF_HOST_MEMORY for the number of "
               "devices.) has no devices");
}

// Mesa's platform is like this if it knows none of the devices; it is not broken.
TEST_F(OpenClPlatforms, OneWithoutDevicesIsPassedOver) {
  api_.GetPlatformIDs = broken_and_real;
  api_.GetDeviceIDs = no_ids;
  EXPECT_EQ(list_devices(api_).size(), count_);
  EXPECT_THAT(warnings_, IsEmpty());
  api_.GetPlatformIDs = broken_alone;
  expect_error([&] { (void)list_devices(api_); }, VD_ERR_UNAVAILABLE, "the OpenCL driver \"broken\" has no devices");
}

TEST_F(OpenClPlatforms, ADeviceThatCannotBeAskedHidesNoOther) {
  api_.GetDeviceIDs = one_more_id;
  api_.GetDeviceInfo = mute_info;
  const std::vector<Physical> found = list_devices(api_);
  ASSERT_EQ(found.size(), count_);
  for (uint32_t i = 0; i < count_; ++i) EXPECT_EQ(found[i].info.index, i);
  ASSERT_FALSE(warnings_.empty());
  EXPECT_THAT(warnings_.front(), HasSubstr("clGetDeviceInfo failed with CL_OUT_OF_RESOURCES"));
}

}  // namespace
}  // namespace vd::opencl
