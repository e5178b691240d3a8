#include "runtime/dlpack.h"

#include <array>
#include <memory>
#include <utility>

#include "core/error.h"
#include "core/thread_pool.h"
#include "ir/type.h"

namespace vd::runtime {
namespace {

// ---- The structs of dlpack.h, version 1.0, with its names and numbers

struct DLDevice {
  int32_t device_type;
  int32_t device_id;
};

struct DLDataType {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
};
constexpr uint8_t kDLInt = 0, kDLUInt = 1, kDLFloat = 2, kDLComplex = 5, kDLBool = 6;

struct DLTensor {
  void* data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t* shape;
  int64_t* strides;  // in elements
  uint64_t byte_offset;
};

// A deleter takes its own struct; written as void*, it is one type of function for whoever has another copy of these structs.
struct DLManagedTensor {
  DLTensor dl_tensor;
  void* manager_ctx;
  void (*deleter)(void* self);
};

struct DLManagedTensorVersioned {
  struct {
    uint32_t major, minor;
  } version;
  void* manager_ctx;
  void (*deleter)(void* self);
  uint64_t flags;
  DLTensor dl_tensor;
};
constexpr uint64_t kReadOnly = 1, kIsCopied = 2;

static_assert(sizeof(DLTensor) == 48 && sizeof(DLManagedTensor) == 64 && sizeof(DLManagedTensorVersioned) == 80);

// ---- Ours

// Everything that a tensor keeps. Both kinds of tensor point to it.
struct Exported {
  vd_buffer::Shared shared;
  std::array<int64_t, VD_MAX_DIMS> shape{}, strides{};
  DLManagedTensor plain{};
  DLManagedTensorVersioned versioned{};
};

void destroy(void* exported) noexcept {
  // The consumer's thread may hold locks that the owners of imported memory need: a context that ends here is closed by a
  // thread of the library.
  const LibraryThread borrowed(nullptr);
  delete static_cast<Exported*>(exported);
}
void delete_plain(void* self) {
  if (self != nullptr) destroy(static_cast<DLManagedTensor*>(self)->manager_ctx);
}
void delete_versioned(void* self) {
  if (self != nullptr) destroy(static_cast<DLManagedTensorVersioned*>(self)->manager_ctx);
}

DLDataType dtype_of(vd_type number) {
  const ir::Type type(number);
  const auto code = [&]() -> int {
    switch (type.scalar()) {
      case ir::Scalar::Bool:
        return kDLBool;
      case ir::Scalar::I8:
      case ir::Scalar::I16:
      case ir::Scalar::I32:
      case ir::Scalar::I64:
        return kDLInt;
      case ir::Scalar::U8:
      case ir::Scalar::U16:
      case ir::Scalar::U32:
      case ir::Scalar::U64:
        return kDLUInt;
      case ir::Scalar::F16:
      case ir::Scalar::F32:
      case ir::Scalar::F64:
        return kDLFloat;
      default:
        return -1;
    }
  }();
  const bool complex = type == ir::Type::complex(type.scalar()) && type.is_float();
  if (code < 0 || (type != ir::Type(type.scalar()) && !complex))
    fail(VD_ERR_INVALID, "desc->element ({}) is neither a scalar nor a complex number", ir::shown_type(type));
  // In the memory of others truth is a byte.
  const uint32_t size = code == kDLBool ? 1 : ir::scalar_size(type.scalar());
  const auto bits = static_cast<uint8_t>(8 * size * (type.is_complex() ? 2 : 1));
  return {static_cast<uint8_t>(type.is_complex() ? kDLComplex : code), bits, 1};
}

}  // namespace

uint64_t export_dlpack(const vd_buffer& buffer, const vd_dlpack_desc& desc) {
  buffer.check_usable();
  if (desc.rank > VD_MAX_DIMS) fail(VD_ERR_INVALID, "desc->rank ({}) is more than {}", desc.rank, VD_MAX_DIMS);
  const DLDataType dtype = dtype_of(desc.element);
  uint64_t size = dtype.bits / 8;
  if (size > buffer.size())
    fail(VD_ERR_INVALID, "desc->element ({}) has {} bytes, more than {} ({} bytes)",
         ir::shown_type(ir::Type(desc.element)), size, buffer.name(), buffer.size());
  for (uint32_t i = 0; i < desc.rank; ++i) {
    if (desc.shape[i] == 0) fail(VD_ERR_INVALID, "desc->shape[{}] (0) is zero", i);
    if (desc.shape[i] > buffer.size() / size)
      fail(VD_ERR_INVALID, "desc->shape[{}] ({}) makes a tensor that is larger than {} ({} bytes)", i, desc.shape[i],
           buffer.name(), buffer.size());
    size *= desc.shape[i];
  }
  if (buffer.read_only() && desc.versioned == 0)
    fail(VD_ERR_UNSUPPORTED, "{} is read-only, which only a versioned tensor can say", buffer.name());
  if (buffer.per_queue())
    fail(VD_ERR_UNSUPPORTED, "{} has a replica for each queue, and a tensor is one memory", buffer.name());
  const vd_context& context = buffer.context();
  auto exported = std::make_unique<Exported>();
  const auto device = context.device(buffer.device()).dlpack();
  if (!device)
    fail(VD_ERR_UNSUPPORTED, "the {} backend has no addresses of memory that other libraries could use",
         backends::backend_name(context.backend()));
  exported->shared = buffer.share("address");

  DLTensor tensor{};
  tensor.data = reinterpret_cast<void*>(exported->shared.address + buffer.offset());
  tensor.device = {device->type, device->number};
  tensor.ndim = static_cast<int32_t>(desc.rank);
  tensor.dtype = dtype;
  tensor.shape = exported->shape.data();
  tensor.strides = exported->strides.data();
  int64_t stride = 1;
  for (uint32_t i = desc.rank; i-- != 0;) {
    exported->shape[i] = static_cast<int64_t>(desc.shape[i]);
    exported->strides[i] = stride;
    stride *= exported->shape[i];
  }
  exported->plain = {tensor, exported.get(), delete_plain};
  exported->versioned.version = {1, 0};
  exported->versioned.manager_ctx = exported.get();
  exported->versioned.deleter = delete_versioned;
  exported->versioned.flags = (buffer.read_only() ? kReadOnly : 0) | (desc.copied != 0 ? kIsCopied : 0);
  exported->versioned.dl_tensor = tensor;
  Exported* const made = exported.release();
  return desc.versioned != 0 ? reinterpret_cast<uint64_t>(&made->versioned) : reinterpret_cast<uint64_t>(&made->plain);
}

}  // namespace vd::runtime
