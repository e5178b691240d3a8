/* An OpenCL driver without devices, for the ICD loader. */
#include <CL/cl_icd.h>
#include <string.h>

struct _cl_platform_id {
  cl_icd_dispatch* dispatch; /* first, as every driver has it */
};

static cl_icd_dispatch table;
static struct _cl_platform_id platform = {&table};

static cl_int CL_API_CALL get_platform_info(cl_platform_id id, cl_platform_info what, size_t size, void* value,
                                            size_t* size_ret) {
  const char* text = "";
  (void)id;
  switch (what) {
    case CL_PLATFORM_PROFILE:
      text = "FULL_PROFILE";
      break;
    case CL_PLATFORM_VERSION:
      text = "OpenCL 1.2 empty";
      break;
    case CL_PLATFORM_NAME:
      text = "Empty platform";
      break;
    case CL_PLATFORM_VENDOR:
      text = "vkdispatch tests";
      break;
    case CL_PLATFORM_EXTENSIONS:
      text = "cl_khr_icd";
      break;
    case CL_PLATFORM_ICD_SUFFIX_KHR:
      text = "EMPTY";
      break;
    default:
      return CL_INVALID_VALUE;
  }
  if (size_ret) *size_ret = strlen(text) + 1;
  if (value && size < strlen(text) + 1) return CL_INVALID_VALUE;
  if (value) memcpy(value, text, strlen(text) + 1);
  return CL_SUCCESS;
}

static cl_int CL_API_CALL get_device_ids(cl_platform_id id, cl_device_type type, cl_uint count, cl_device_id* devices,
                                         cl_uint* count_ret) {
  (void)id, (void)type, (void)count, (void)devices;
  if (count_ret) *count_ret = 0;
  return CL_DEVICE_NOT_FOUND;
}

static cl_int CL_API_CALL get_platform_ids(cl_uint count, cl_platform_id* platforms, cl_uint* count_ret) {
  table.clGetPlatformIDs = get_platform_ids;
  table.clGetPlatformInfo = get_platform_info;
  table.clGetDeviceIDs = get_device_ids;
  if (platforms && count > 0) platforms[0] = &platform;
  if (count_ret) *count_ret = 1;
  return CL_SUCCESS;
}

__attribute__((visibility("default"))) void* CL_API_CALL clGetExtensionFunctionAddress(const char* name) {
  union {
    cl_int(CL_API_CALL* ids)(cl_uint, cl_platform_id*, cl_uint*);
    cl_int(CL_API_CALL* info)(cl_platform_id, cl_platform_info, size_t, void*, size_t*);
    void* address;
  } function = {0};
  if (strcmp(name, "clIcdGetPlatformIDsKHR") == 0) function.ids = get_platform_ids;
  if (strcmp(name, "clGetPlatformInfo") == 0) function.info = get_platform_info;
  return function.address;
}

__attribute__((visibility("default"))) cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint count,
                                                                                 cl_platform_id* platforms,
                                                                                 cl_uint* count_ret) {
  return get_platform_ids(count, platforms, count_ret);
}

__attribute__((visibility("default"))) cl_int CL_API_CALL clGetPlatformInfo(cl_platform_id id, cl_platform_info what,
                                                                            size_t size, void* value,
                                                                            size_t* size_ret) {
  return get_platform_info(id, what, size, value, size_ret);
}
