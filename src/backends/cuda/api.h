// The part of CUDA's driver API that this backend uses, declared by ourselves: nothing of a toolkit is needed to build
// or to run. Names, numbers and layouts are the driver's.
#pragma once

#include <cstddef>
#include <cstdint>

namespace vd::cuda {

using CUdevice = int;
using CUdeviceptr = unsigned long long;
using CUcontext = struct CUctx_st*;
using CUstream = struct CUstream_st*;
using CUevent = struct CUevent_st*;
using CUmodule = struct CUmod_st*;
using CUfunction = struct CUfunc_st*;
using CUmemoryPool = struct CUmemPoolHandle_st*;
using CUgraph = struct CUgraph_st*;
using CUgraphNode = struct CUgraphNode_st*;
using CUgraphExec = struct CUgraphExec_st*;
using CUarray = struct CUarray_st*;
using CUmipmappedArray = struct CUmipmappedArray_st*;
using CUtexObject = unsigned long long;
using CUsurfObject = unsigned long long;
using CUexternalMemory = struct CUextMemory_st*;
using CUexternalSemaphore = struct CUextSemaphore_st*;
using CUmemGenericAllocationHandle = unsigned long long;
using CUhostFn = void (*)(void* data);

enum CUresult : int {
  CUDA_SUCCESS = 0,
  CUDA_ERROR_INVALID_VALUE = 1,
  CUDA_ERROR_OUT_OF_MEMORY = 2,
  CUDA_ERROR_STUB_LIBRARY = 34,
  CUDA_ERROR_DEVICE_UNAVAILABLE = 46,
  CUDA_ERROR_NO_DEVICE = 100,
  CUDA_ERROR_INVALID_IMAGE = 200,
  CUDA_ERROR_INVALID_CONTEXT = 201,
  CUDA_ERROR_NO_BINARY_FOR_GPU = 209,
  CUDA_ERROR_ECC_UNCORRECTABLE = 214,
  CUDA_ERROR_INVALID_PTX = 218,
  CUDA_ERROR_NVLINK_UNCORRECTABLE = 220,
  CUDA_ERROR_UNSUPPORTED_PTX_VERSION = 222,
  CUDA_ERROR_CONTAINED = 226,
  CUDA_ERROR_INVALID_SOURCE = 300,
  CUDA_ERROR_INVALID_HANDLE = 400,
  CUDA_ERROR_NOT_FOUND = 500,
  CUDA_ERROR_NOT_READY = 600,
  CUDA_ERROR_ILLEGAL_ADDRESS = 700,
  CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES = 701,
  CUDA_ERROR_LAUNCH_TIMEOUT = 702,
  CUDA_ERROR_CONTEXT_IS_DESTROYED = 709,
  CUDA_ERROR_ASSERT = 710,
  CUDA_ERROR_HARDWARE_STACK_ERROR = 714,
  CUDA_ERROR_ILLEGAL_INSTRUCTION = 715,
  CUDA_ERROR_MISALIGNED_ADDRESS = 716,
  CUDA_ERROR_INVALID_ADDRESS_SPACE = 717,
  CUDA_ERROR_INVALID_PC = 718,
  CUDA_ERROR_LAUNCH_FAILED = 719,
  CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED = 712,
  CUDA_ERROR_TENSOR_MEMORY_LEAK = 721,
  CUDA_ERROR_NOT_SUPPORTED = 801,
  CUDA_ERROR_SYSTEM_NOT_READY = 802,
  CUDA_ERROR_SYSTEM_DRIVER_MISMATCH = 803,
  CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE = 804,
  CUDA_ERROR_MPS_CONNECTION_FAILED = 805,
  CUDA_ERROR_MPS_RPC_FAILURE = 806,
  CUDA_ERROR_MPS_SERVER_NOT_READY = 807,
  CUDA_ERROR_MPS_MAX_CLIENTS_REACHED = 808,
  CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED = 809,
  CUDA_ERROR_MPS_CLIENT_TERMINATED = 810,
  CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED = 900,
  CUDA_ERROR_STREAM_CAPTURE_INVALIDATED = 901,
  CUDA_ERROR_STREAM_CAPTURE_MERGE = 902,
  CUDA_ERROR_STREAM_CAPTURE_UNMATCHED = 903,
  CUDA_ERROR_STREAM_CAPTURE_UNJOINED = 904,
  CUDA_ERROR_STREAM_CAPTURE_ISOLATION = 905,
  CUDA_ERROR_STREAM_CAPTURE_IMPLICIT = 906,
  CUDA_ERROR_CAPTURED_EVENT = 907,
  CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD = 908,
  CUDA_ERROR_INVALID_CLUSTER_SIZE = 912,
  CUDA_ERROR_UNKNOWN = 999,
};

enum CUdevice_attribute : int {
  CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 1,
  CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X = 2,  // y and z follow
  CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X = 5,   // y and z follow
  CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK = 8,
  CU_DEVICE_ATTRIBUTE_WARP_SIZE = 10,
  CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
  CU_DEVICE_ATTRIBUTE_INTEGRATED = 18,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_WIDTH = 21,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_WIDTH = 22,          // and height
  CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_WIDTH = 24,          // height and depth
  CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_WIDTH = 27,  // height and layers
  CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID = 34,
  CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING = 41,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LAYERED_WIDTH = 42,  // and layers
  CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_WIDTH = 55,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_WIDTH = 56,            // and height
  CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_WIDTH = 58,            // height and depth
  CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_LAYERED_WIDTH = 61,    // and layers
  CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_WIDTH = 63,    // height and layers
  CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_MIPMAPPED_WIDTH = 73,  // and height
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_MIPMAPPED_WIDTH = 77,
  CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR = 81,
  CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR = 82,
  CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97,
  CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED = 103,
  CU_DEVICE_ATTRIBUTE_TIMELINE_SEMAPHORE_INTEROP_SUPPORTED = 114,
  CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED = 115,
  CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH = 120,
  CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS = 122,
};

enum CUfunction_attribute : int {
  CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0,
  CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES = 1,
  CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES = 3,
  CU_FUNC_ATTRIBUTE_NUM_REGS = 4,
  CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
  CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT = 9,
  CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED = 14,
};

enum CUjit_option : int { CU_JIT_ERROR_LOG_BUFFER = 5, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6 };
enum CUmemorytype : int {
  CU_MEMORYTYPE_HOST = 1,
  CU_MEMORYTYPE_DEVICE = 2,
  CU_MEMORYTYPE_ARRAY = 3,
  CU_MEMORYTYPE_UNIFIED = 4
};
enum CUarray_format : int {
  CU_AD_FORMAT_UNSIGNED_INT8 = 1,
  CU_AD_FORMAT_UNSIGNED_INT16 = 2,
  CU_AD_FORMAT_UNSIGNED_INT32 = 3,
  CU_AD_FORMAT_SIGNED_INT8 = 8,
  CU_AD_FORMAT_SIGNED_INT16 = 9,
  CU_AD_FORMAT_SIGNED_INT32 = 10,
  CU_AD_FORMAT_HALF = 16,
  CU_AD_FORMAT_FLOAT = 32,
};
enum CUaddress_mode : int {
  CU_TR_ADDRESS_MODE_WRAP = 0,
  CU_TR_ADDRESS_MODE_CLAMP = 1,
  CU_TR_ADDRESS_MODE_MIRROR = 2,
  CU_TR_ADDRESS_MODE_BORDER = 3,
};
enum CUfilter_mode : int { CU_TR_FILTER_MODE_POINT = 0, CU_TR_FILTER_MODE_LINEAR = 1 };
enum CUresourcetype : int { CU_RESOURCE_TYPE_ARRAY = 0, CU_RESOURCE_TYPE_MIPMAPPED_ARRAY = 1 };
enum CUstreamCaptureMode : int {
  CU_STREAM_CAPTURE_MODE_GLOBAL = 0,
  CU_STREAM_CAPTURE_MODE_THREAD_LOCAL = 1,
  CU_STREAM_CAPTURE_MODE_RELAXED = 2,
};
enum CUstreamCaptureStatus : int {
  CU_STREAM_CAPTURE_STATUS_NONE = 0,
  CU_STREAM_CAPTURE_STATUS_ACTIVE = 1,
  CU_STREAM_CAPTURE_STATUS_INVALIDATED = 2,
};
enum CUpointer_attribute : int {
  CU_POINTER_ATTRIBUTE_MEMORY_TYPE = 2,
  CU_POINTER_ATTRIBUTE_IS_MANAGED = 8,
  CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL = 9,
  CU_POINTER_ATTRIBUTE_RANGE_START_ADDR = 11,
  CU_POINTER_ATTRIBUTE_RANGE_SIZE = 12,
};
enum CUmemPool_attribute : int {
  CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES = 3,
  CU_MEMPOOL_ATTR_RELEASE_THRESHOLD = 4,
};

inline constexpr unsigned CU_STREAM_NON_BLOCKING = 1;
inline constexpr unsigned CU_EVENT_DISABLE_TIMING = 2;
inline constexpr unsigned CU_STREAM_WRITE_VALUE_DEFAULT = 0;
inline constexpr unsigned CU_MEMHOSTALLOC_PORTABLE = 1, CU_MEMHOSTALLOC_DEVICEMAP = 2;
inline constexpr unsigned CU_MEMHOSTREGISTER_PORTABLE = 1, CU_MEMHOSTREGISTER_DEVICEMAP = 2;
inline constexpr unsigned CUDA_ARRAY3D_LAYERED = 1, CUDA_ARRAY3D_SURFACE_LDST = 2;
inline constexpr unsigned CU_TRSF_READ_AS_INTEGER = 1, CU_TRSF_NORMALIZED_COORDINATES = 2,
                          CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION = 0x20;
inline constexpr int CU_MEM_ALLOCATION_TYPE_PINNED = 1;
inline constexpr int CU_MEM_LOCATION_TYPE_DEVICE = 1;
inline constexpr int CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR = 1;
inline constexpr int CU_MEM_ALLOC_GRANULARITY_MINIMUM = 0;
inline constexpr int CU_MEM_ACCESS_FLAGS_PROT_READWRITE = 3;
inline constexpr int CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD = 1;
inline constexpr int CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD = 9;

struct CUuuid {
  uint8_t bytes[16];
};

struct CUmemPoolProps {
  int allocType;
  int handleTypes;
  struct {
    int type;
    int id;
  } location;
  void* win32SecurityAttributes;
  size_t maxSize;
  uint8_t reserved[56];
};
static_assert(sizeof(CUmemPoolProps) == 88);

struct CUmemLocation {
  int type;
  int id;
};

struct CUmemAllocationProp {
  int type;
  int requestedHandleTypes;
  CUmemLocation location;
  void* win32HandleMetaData;
  uint8_t allocFlags[8];
};
static_assert(sizeof(CUmemAllocationProp) == 32);

struct CUmemAccessDesc {
  CUmemLocation location;
  int flags;
};
static_assert(sizeof(CUmemAccessDesc) == 12);

union CUexternalHandle {
  int fd;
  struct {
    void* handle;
    const void* name;
  } win32;
};

struct CUDA_EXTERNAL_MEMORY_HANDLE_DESC {
  int type;
  CUexternalHandle handle;
  unsigned long long size;
  unsigned flags;
  unsigned reserved[16];
};
static_assert(sizeof(CUDA_EXTERNAL_MEMORY_HANDLE_DESC) == 104);

struct CUDA_EXTERNAL_MEMORY_BUFFER_DESC {
  unsigned long long offset, size;
  unsigned flags;
  unsigned reserved[16];
};
static_assert(sizeof(CUDA_EXTERNAL_MEMORY_BUFFER_DESC) == 88);

struct CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC {
  int type;
  CUexternalHandle handle;
  unsigned flags;
  unsigned reserved[16];
};
static_assert(sizeof(CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC) == 96);

// For a wait and for a signal, which differ in fields that nothing here needs.
struct CUDA_EXTERNAL_SEMAPHORE_PARAMS {
  unsigned long long value;
  uint8_t others[64];
  unsigned flags;
  unsigned reserved[16];
};
static_assert(sizeof(CUDA_EXTERNAL_SEMAPHORE_PARAMS) == 144);

struct CUDA_KERNEL_NODE_PARAMS {
  CUfunction func;
  unsigned gridDimX, gridDimY, gridDimZ;
  unsigned blockDimX, blockDimY, blockDimZ;
  unsigned sharedMemBytes;
  void** kernelParams;
  void** extra;
  void* kern;
  CUcontext ctx;
};
static_assert(sizeof(CUDA_KERNEL_NODE_PARAMS) == 72);

struct CUDA_MEMCPY3D_END {
  size_t xInBytes, y, z, lod;
  CUmemorytype memoryType;
  void* host;
  CUdeviceptr device;
  CUarray array;
  void* reserved;
  size_t pitch, height;
};
struct CUDA_MEMCPY3D {
  CUDA_MEMCPY3D_END src, dst;
  size_t WidthInBytes, Height, Depth;
};
static_assert(sizeof(CUDA_MEMCPY3D) == 200);

struct CUDA_ARRAY3D_DESCRIPTOR {
  size_t Width, Height, Depth;
  CUarray_format Format;
  unsigned NumChannels;
  unsigned Flags;
};
static_assert(sizeof(CUDA_ARRAY3D_DESCRIPTOR) == 40);

struct CUDA_RESOURCE_DESC {
  CUresourcetype resType;
  union {
    struct {
      CUarray hArray;
    } array;
    struct {
      CUmipmappedArray hMipmappedArray;
    } mipmap;
    struct {
      int reserved[32];
    } reserved;
  } res;
  unsigned flags;
};
static_assert(sizeof(CUDA_RESOURCE_DESC) == 144);

struct CUDA_TEXTURE_DESC {
  CUaddress_mode addressMode[3];
  CUfilter_mode filterMode;
  unsigned flags;
  unsigned maxAnisotropy;
  CUfilter_mode mipmapFilterMode;
  float mipmapLevelBias;
  float minMipmapLevelClamp;
  float maxMipmapLevelClamp;
  float borderColor[4];
  int reserved[12];
};
static_assert(sizeof(CUDA_TEXTURE_DESC) == 104);

struct CUDA_MEMSET_NODE_PARAMS {
  CUdeviceptr dst;
  size_t pitch;
  unsigned value;
  unsigned elementSize;
  size_t width;
  size_t height;
};
static_assert(sizeof(CUDA_MEMSET_NODE_PARAMS) == 40);

// Every entry point: X(name, symbol, parameters).
#define VD_CUDA_ENTRIES(X)                                                                                             \
  X(cuInit, "cuInit", (unsigned flags))                                                                                \
  X(cuDriverGetVersion, "cuDriverGetVersion", (int* version))                                                          \
  X(cuGetErrorName, "cuGetErrorName", (CUresult error, const char** text))                                             \
  X(cuGetErrorString, "cuGetErrorString", (CUresult error, const char** text))                                         \
  X(cuDeviceGetCount, "cuDeviceGetCount", (int* count))                                                                \
  X(cuDeviceGet, "cuDeviceGet", (CUdevice * device, int ordinal))                                                      \
  X(cuDeviceGetName, "cuDeviceGetName", (char* name, int size, CUdevice device))                                       \
  X(cuDeviceGetUuid, "cuDeviceGetUuid_v2", (CUuuid * uuid, CUdevice device))                                           \
  X(cuDeviceTotalMem, "cuDeviceTotalMem_v2", (size_t * bytes, CUdevice device))                                        \
  X(cuDeviceGetAttribute, "cuDeviceGetAttribute", (int* value, CUdevice_attribute attribute, CUdevice device))         \
  X(cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain", (CUcontext * context, CUdevice device))                      \
  X(cuDevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2", (CUdevice device))                                      \
  X(cuCtxGetDevice, "cuCtxGetDevice", (CUdevice * device))                                                             \
  X(cuCtxGetCurrent, "cuCtxGetCurrent", (CUcontext * context))                                                         \
  X(cuCtxPushCurrent, "cuCtxPushCurrent_v2", (CUcontext context))                                                      \
  X(cuCtxPopCurrent, "cuCtxPopCurrent_v2", (CUcontext * context))                                                      \
  X(cuMemAlloc, "cuMemAlloc_v2", (CUdeviceptr * address, size_t size))                                                 \
  X(cuMemFree, "cuMemFree_v2", (CUdeviceptr address))                                                                  \
  X(cuMemHostAlloc, "cuMemHostAlloc", (void** pointer, size_t size, unsigned flags))                                   \
  X(cuMemFreeHost, "cuMemFreeHost", (void* pointer))                                                                   \
  X(cuMemHostGetDevicePointer, "cuMemHostGetDevicePointer_v2", (CUdeviceptr * address, void* pointer, unsigned flags)) \
  X(cuMemPoolCreate, "cuMemPoolCreate", (CUmemoryPool * pool, const CUmemPoolProps* properties))                       \
  X(cuMemPoolDestroy, "cuMemPoolDestroy", (CUmemoryPool pool))                                                         \
  X(cuMemPoolSetAttribute, "cuMemPoolSetAttribute", (CUmemoryPool pool, CUmemPool_attribute attribute, void* value))   \
  X(cuMemPoolTrimTo, "cuMemPoolTrimTo", (CUmemoryPool pool, size_t keep))                                              \
  X(cuMemAllocFromPoolAsync, "cuMemAllocFromPoolAsync",                                                                \
    (CUdeviceptr * address, size_t size, CUmemoryPool pool, CUstream stream))                                          \
  X(cuMemFreeAsync, "cuMemFreeAsync", (CUdeviceptr address, CUstream stream))                                          \
  X(cuMemcpyAsync, "cuMemcpyAsync", (CUdeviceptr to, CUdeviceptr from, size_t size, CUstream stream))                  \
  X(cuMemcpyHtoDAsync, "cuMemcpyHtoDAsync_v2", (CUdeviceptr to, const void* from, size_t size, CUstream stream))       \
  X(cuMemcpyDtoHAsync, "cuMemcpyDtoHAsync_v2", (void* to, CUdeviceptr from, size_t size, CUstream stream))             \
  X(cuMemsetD32Async, "cuMemsetD32Async", (CUdeviceptr to, unsigned value, size_t count, CUstream stream))             \
  X(cuMemcpy3DAsync, "cuMemcpy3DAsync_v2", (const CUDA_MEMCPY3D* parameters, CUstream stream))                         \
  X(cuMipmappedArrayCreate, "cuMipmappedArrayCreate",                                                                  \
    (CUmipmappedArray * array, const CUDA_ARRAY3D_DESCRIPTOR* properties, unsigned levels))                            \
  X(cuMipmappedArrayGetLevel, "cuMipmappedArrayGetLevel", (CUarray * level, CUmipmappedArray array, unsigned number))  \
  X(cuMipmappedArrayDestroy, "cuMipmappedArrayDestroy", (CUmipmappedArray array))                                      \
  X(cuTexObjectCreate, "cuTexObjectCreate",                                                                            \
    (CUtexObject * texture, const CUDA_RESOURCE_DESC* resource, const CUDA_TEXTURE_DESC* properties,                   \
     const void* view))                                                                                                \
  X(cuTexObjectDestroy, "cuTexObjectDestroy", (CUtexObject texture))                                                   \
  X(cuSurfObjectCreate, "cuSurfObjectCreate", (CUsurfObject * surface, const CUDA_RESOURCE_DESC* resource))            \
  X(cuSurfObjectDestroy, "cuSurfObjectDestroy", (CUsurfObject surface))                                                \
  X(cuStreamCreate, "cuStreamCreate", (CUstream * stream, unsigned flags))                                             \
  X(cuStreamCreateWithPriority, "cuStreamCreateWithPriority", (CUstream * stream, unsigned flags, int priority))       \
  X(cuStreamDestroy, "cuStreamDestroy_v2", (CUstream stream))                                                          \
  X(cuStreamSynchronize, "cuStreamSynchronize", (CUstream stream))                                                     \
  X(cuStreamQuery, "cuStreamQuery", (CUstream stream))                                                                 \
  X(cuStreamWaitEvent, "cuStreamWaitEvent", (CUstream stream, CUevent event, unsigned flags))                          \
  X(cuStreamWriteValue64, "cuStreamWriteValue64_v2",                                                                   \
    (CUstream stream, CUdeviceptr address, uint64_t value, unsigned flags))                                            \
  X(cuStreamGetCtx, "cuStreamGetCtx", (CUstream stream, CUcontext * context))                                          \
  X(cuStreamIsCapturing, "cuStreamIsCapturing", (CUstream stream, CUstreamCaptureStatus * status))                     \
  X(cuThreadExchangeStreamCaptureMode, "cuThreadExchangeStreamCaptureMode", (CUstreamCaptureMode * mode))              \
  X(cuPointerGetAttribute, "cuPointerGetAttribute", (void* value, CUpointer_attribute attribute, CUdeviceptr address)) \
  X(cuMemHostRegister, "cuMemHostRegister_v2", (void* pointer, size_t size, unsigned flags))                           \
  X(cuMemHostUnregister, "cuMemHostUnregister", (void* pointer))                                                       \
  X(cuMemGetAllocationGranularity, "cuMemGetAllocationGranularity",                                                    \
    (size_t * granularity, const CUmemAllocationProp* properties, int option))                                         \
  X(cuMemCreate, "cuMemCreate",                                                                                        \
    (CUmemGenericAllocationHandle * memory, size_t size, const CUmemAllocationProp* properties,                        \
     unsigned long long flags))                                                                                        \
  X(cuMemRelease, "cuMemRelease", (CUmemGenericAllocationHandle memory))                                               \
  X(cuMemAddressReserve, "cuMemAddressReserve",                                                                        \
    (CUdeviceptr * address, size_t size, size_t alignment, CUdeviceptr wish, unsigned long long flags))                \
  X(cuMemAddressFree, "cuMemAddressFree", (CUdeviceptr address, size_t size))                                          \
  X(cuMemMap, "cuMemMap",                                                                                              \
    (CUdeviceptr address, size_t size, size_t offset, CUmemGenericAllocationHandle memory, unsigned long long flags))  \
  X(cuMemUnmap, "cuMemUnmap", (CUdeviceptr address, size_t size))                                                      \
  X(cuMemSetAccess, "cuMemSetAccess", (CUdeviceptr address, size_t size, const CUmemAccessDesc* access, size_t count)) \
  X(cuMemExportToShareableHandle, "cuMemExportToShareableHandle",                                                      \
    (void* handle, CUmemGenericAllocationHandle memory, int type, unsigned long long flags))                           \
  X(cuImportExternalMemory, "cuImportExternalMemory",                                                                  \
    (CUexternalMemory * memory, const CUDA_EXTERNAL_MEMORY_HANDLE_DESC* handle))                                       \
  X(cuExternalMemoryGetMappedBuffer, "cuExternalMemoryGetMappedBuffer",                                                \
    (CUdeviceptr * address, CUexternalMemory memory, const CUDA_EXTERNAL_MEMORY_BUFFER_DESC* buffer))                  \
  X(cuDestroyExternalMemory, "cuDestroyExternalMemory", (CUexternalMemory memory))                                     \
  X(cuImportExternalSemaphore, "cuImportExternalSemaphore",                                                            \
    (CUexternalSemaphore * semaphore, const CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC* handle))                              \
  X(cuSignalExternalSemaphoresAsync, "cuSignalExternalSemaphoresAsync",                                                \
    (const CUexternalSemaphore* semaphores, const CUDA_EXTERNAL_SEMAPHORE_PARAMS* values, unsigned count,              \
     CUstream stream))                                                                                                 \
  X(cuWaitExternalSemaphoresAsync, "cuWaitExternalSemaphoresAsync",                                                    \
    (const CUexternalSemaphore* semaphores, const CUDA_EXTERNAL_SEMAPHORE_PARAMS* values, unsigned count,              \
     CUstream stream))                                                                                                 \
  X(cuDestroyExternalSemaphore, "cuDestroyExternalSemaphore", (CUexternalSemaphore semaphore))                         \
  X(cuEventCreate, "cuEventCreate", (CUevent * event, unsigned flags))                                                 \
  X(cuEventDestroy, "cuEventDestroy_v2", (CUevent event))                                                              \
  X(cuEventRecord, "cuEventRecord", (CUevent event, CUstream stream))                                                  \
  X(cuEventQuery, "cuEventQuery", (CUevent event))                                                                     \
  X(cuModuleLoadDataEx, "cuModuleLoadDataEx",                                                                          \
    (CUmodule * module, const void* image, unsigned count, CUjit_option* options, void** values))                      \
  X(cuModuleUnload, "cuModuleUnload", (CUmodule module))                                                               \
  X(cuModuleGetFunction, "cuModuleGetFunction", (CUfunction * function, CUmodule module, const char* name))            \
  X(cuFuncGetAttribute, "cuFuncGetAttribute", (int* value, CUfunction_attribute attribute, CUfunction function))       \
  X(cuFuncSetAttribute, "cuFuncSetAttribute", (CUfunction function, CUfunction_attribute attribute, int value))        \
  X(cuLaunchKernel, "cuLaunchKernel",                                                                                  \
    (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,       \
     unsigned block_z, unsigned shared_size, CUstream stream, void** parameters, void** extra))                        \
  X(cuLaunchHostFunc, "cuLaunchHostFunc", (CUstream stream, CUhostFn function, void* data))                            \
  X(cuGraphCreate, "cuGraphCreate", (CUgraph * graph, unsigned flags))                                                 \
  X(cuGraphDestroy, "cuGraphDestroy", (CUgraph graph))                                                                 \
  X(cuGraphAddKernelNode, "cuGraphAddKernelNode_v2",                                                                   \
    (CUgraphNode * node, CUgraph graph, const CUgraphNode* after, size_t after_count,                                  \
     const CUDA_KERNEL_NODE_PARAMS* parameters))                                                                       \
  X(cuGraphAddMemcpyNode, "cuGraphAddMemcpyNode",                                                                      \
    (CUgraphNode * node, CUgraph graph, const CUgraphNode* after, size_t after_count, const CUDA_MEMCPY3D* parameters, \
     CUcontext context))                                                                                               \
  X(cuGraphAddMemsetNode, "cuGraphAddMemsetNode",                                                                      \
    (CUgraphNode * node, CUgraph graph, const CUgraphNode* after, size_t after_count,                                  \
     const CUDA_MEMSET_NODE_PARAMS* parameters, CUcontext context))                                                    \
  X(cuGraphAddDependencies, "cuGraphAddDependencies",                                                                  \
    (CUgraph graph, const CUgraphNode* from, const CUgraphNode* to, size_t count))                                     \
  X(cuGraphRemoveDependencies, "cuGraphRemoveDependencies",                                                            \
    (CUgraph graph, const CUgraphNode* from, const CUgraphNode* to, size_t count))                                     \
  X(cuGraphInstantiate, "cuGraphInstantiateWithFlags", (CUgraphExec * exec, CUgraph graph, unsigned long long flags))  \
  X(cuGraphExecDestroy, "cuGraphExecDestroy", (CUgraphExec exec))                                                      \
  X(cuGraphKernelNodeSetParams, "cuGraphKernelNodeSetParams_v2",                                                       \
    (CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS* parameters))                                                     \
  X(cuGraphMemcpyNodeSetParams, "cuGraphMemcpyNodeSetParams", (CUgraphNode node, const CUDA_MEMCPY3D* parameters))     \
  X(cuGraphMemsetNodeSetParams, "cuGraphMemsetNodeSetParams",                                                          \
    (CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS* parameters))                                                     \
  X(cuGraphExecKernelNodeSetParams, "cuGraphExecKernelNodeSetParams_v2",                                               \
    (CUgraphExec exec, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS* parameters))                                   \
  X(cuGraphExecMemcpyNodeSetParams, "cuGraphExecMemcpyNodeSetParams",                                                  \
    (CUgraphExec exec, CUgraphNode node, const CUDA_MEMCPY3D* parameters, CUcontext context))                          \
  X(cuGraphExecMemsetNodeSetParams, "cuGraphExecMemsetNodeSetParams",                                                  \
    (CUgraphExec exec, CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS* parameters, CUcontext context))                \
  X(cuGraphUpload, "cuGraphUpload", (CUgraphExec exec, CUstream stream))                                               \
  X(cuGraphLaunch, "cuGraphLaunch", (CUgraphExec exec, CUstream stream))

}  // namespace vd::cuda
