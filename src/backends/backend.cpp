// Defaults of the functions that a backend need not have.
#include "backends/backend.h"

#include "core/error.h"

namespace vd::backends {
std::unique_ptr<Image> Device::make_image(const ImageShape&) {
  fail(VD_ERR_INTERNAL, "the {} backend has no images of its own", backend_name(info().backend));
}
std::shared_ptr<Sampler> Device::make_sampler(const vd_sampler_desc&) {
  fail(VD_ERR_INTERNAL, "the {} backend has no samplers of its own", backend_name(info().backend));
}

void refuse_image_copy() { fail(VD_ERR_INTERNAL, "a copy of an image came to a device without images of its own"); }

void Queue::wait_for(const vd_semaphore_point& point) {
  fail(VD_ERR_UNSUPPORTED, "waiting for a semaphore ({:#x}) is not in this version of the backend", point.semaphore);
}
void Queue::signal(const vd_semaphore_point& point) {
  fail(VD_ERR_UNSUPPORTED, "signalling a semaphore ({:#x}) is not in this version of the backend", point.semaphore);
}
uint64_t Queue::submit_timed(const CommandList&, std::unique_ptr<Timing>&) {
  fail(VD_ERR_UNSUPPORTED, "the queue has no clock");
}
void Queue::check_stream(uint64_t stream, const std::string& name) {
  fail(VD_ERR_UNSUPPORTED, "{} ({:#x}) is a stream of CUDA's, and the queue is of another backend", name, stream);
}

std::unique_ptr<Memory> Device::import_memory(const ExternalMemory& memory) {
  fail(VD_ERR_UNSUPPORTED, "the {} backend imports no memory of desc->kind ({}): {}", backend_name(info().backend),
       static_cast<int>(memory.kind),
       memory.kind == VD_MEMORY_KIND_HOST ? "nothing runs there" : "the address is CUDA's");
}

}  // namespace vd::backends
