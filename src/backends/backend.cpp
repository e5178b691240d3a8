// Defaults of the functions that a backend need not have.
#include "backends/backend.h"

#include "core/error.h"

namespace vd::backends {
namespace {

[[noreturn]] void missing(const Device& device, const char* what) {
  fail(VD_ERR_UNSUPPORTED, "the {} backend has no {} in this version", backend_name(device.info().backend), what);
}

}  // namespace

std::unique_ptr<Image> Device::make_image(const vd_image_desc&) { missing(*this, "images"); }
std::unique_ptr<Sampler> Device::make_sampler(const vd_sampler_desc&) { missing(*this, "samplers"); }

void Queue::wait_for(const vd_semaphore_point& point) {
  fail(VD_ERR_UNSUPPORTED, "waiting for a semaphore ({:#x}) is not in this version of the backend", point.semaphore);
}
void Queue::signal(const vd_semaphore_point& point) {
  fail(VD_ERR_UNSUPPORTED, "signalling a semaphore ({:#x}) is not in this version of the backend", point.semaphore);
}
void Queue::use_stream(uint64_t stream) {
  fail(VD_ERR_UNSUPPORTED, "running on a stream ({:#x}) of another library is not in this version of the backend",
       stream);
}

}  // namespace vd::backends
