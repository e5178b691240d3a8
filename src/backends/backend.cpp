// Defaults of the functions that a backend need not have.
#include "backends/backend.h"

#include "core/error.h"

namespace vd::backends {
void Backend::refuse_in_child() const {
  if (survives_fork() || process_number() == process_) return;
  fail(VD_ERR_STATE,
       "its driver was in use before this process was forked, and does not work in a child: processes that use it are "
       "started anew (exec; in Python the method \"spawn\" of multiprocessing)");
}

std::unique_ptr<Image> Device::make_image(const ImageShape&) {
  fail(VD_ERR_INTERNAL, "the {} backend has no images of its own", backend_name(info().backend));
}
std::shared_ptr<Sampler> Device::make_sampler(const vd_sampler_desc&) {
  fail(VD_ERR_INTERNAL, "the {} backend has no samplers of its own", backend_name(info().backend));
}

std::unique_ptr<Memory> Device::make_texels(const ImageShape& shape, uint64_t size) {
  return make_memory(size, shape.host, shape.label);
}
std::unique_ptr<Memory> Device::make_exportable(uint64_t, const std::string&) {
  fail(VD_ERR_UNSUPPORTED, "device \"{}\" has no memory by file descriptors (VD_FEATURE_MEMORY_FD)", info().name);
}
std::shared_ptr<Semaphore> Device::make_semaphore(const SemaphoreDesc&) {
  fail(VD_ERR_UNSUPPORTED, "the {} backend has no semaphores", backend_name(info().backend));
}
ExportedMemory Memory::export_memory() const { fail(VD_ERR_INVALID, "it was not made with VD_BUFFER_EXPORT"); }

uint64_t Semaphore::value() const { fail(VD_ERR_UNSUPPORTED, "the API of the semaphore does not tell its value"); }
void Semaphore::signal(uint64_t) { fail(VD_ERR_UNSUPPORTED, "the API of the semaphore does not let the host set it"); }
bool Semaphore::wait(uint64_t, uint64_t) {
  fail(VD_ERR_UNSUPPORTED, "the API of the semaphore does not let the host wait for it");
}
int Semaphore::export_fd() const {
  fail(VD_ERR_UNSUPPORTED,
       "the semaphore has no file descriptor to give away: Vulkan makes such semaphores, on devices "
       "with VD_FEATURE_SEMAPHORE_FD");
}

void refuse_image_copy() { fail(VD_ERR_INTERNAL, "a copy of an image came to a device without images of its own"); }

uint64_t Queue::wait_for(const SemaphoreUse& use) {
  fail(VD_ERR_INTERNAL, "{} came to a queue without semaphores", use.name);
}
uint64_t Queue::signal(const SemaphoreUse& use) { return wait_for(use); }
uint64_t Queue::submit_timed(const CommandList&, std::unique_ptr<Timing>&) {
  fail(VD_ERR_UNSUPPORTED, "the queue has no clock");
}
uint64_t Queue::submit_timed_executable(Executable&, std::unique_ptr<Timing>&) {
  fail(VD_ERR_UNSUPPORTED, "the queue times lists alone");
}
void Queue::check_stream(uint64_t stream, const std::string& name) {
  fail(VD_ERR_UNSUPPORTED, "{} ({:#x}) is a stream of CUDA's, and the queue is of another backend", name, stream);
}

std::unique_ptr<Memory> Device::import_memory(const ExternalMemory& memory) {
  fail(VD_ERR_UNSUPPORTED, "the {} backend imports no memory of desc->kind ({}): {}", backend_name(info().backend),
       static_cast<int>(memory.kind),
       memory.kind == VD_MEMORY_KIND_HOST ? "nothing runs there"
       : memory.kind == VD_MEMORY_KIND_FD ? "file descriptors are Vulkan's and CUDA's"
                                          : "the address is CUDA's");
}

}  // namespace vd::backends
