// The backends of this build. Each folder defines `Backend& backend()` in its own namespace.
#include "backends/backend.h"
#include "core/error.h"

namespace vd {

#if VD_HAVE_VULKAN
namespace vulkan {
backends::Backend& backend();
}
#endif
#if VD_HAVE_CUDA
namespace cuda {
backends::Backend& backend();
}
#endif
#if VD_HAVE_OPENCL
namespace opencl {
backends::Backend& backend();
}
#endif
#if VD_HAVE_HOST
namespace host {
backends::Backend& backend();
}
#endif
#if VD_HAVE_DUMMY
namespace dummy {
backends::Backend& backend();
}
#endif

namespace backends {

const char* backend_name(vd_backend backend) noexcept {
  switch (backend) {
    case VD_BACKEND_AUTO:
      return "auto";
    case VD_BACKEND_VULKAN:
      return "vulkan";
    case VD_BACKEND_CUDA:
      return "cuda";
    case VD_BACKEND_OPENCL:
      return "opencl";
    case VD_BACKEND_HOST:
      return "host";
    case VD_BACKEND_DUMMY:
      return "dummy";
    default:
      return "unknown";
  }
}

const char* language_name(vd_language language) noexcept {
  switch (language) {
    case VD_LANGUAGE_IR:
      return "the text form";
    case VD_LANGUAGE_GLSL:
      return "GLSL";
    case VD_LANGUAGE_CUDA:
      return "CUDA C++";
    case VD_LANGUAGE_OPENCL:
      return "OpenCL C";
    case VD_LANGUAGE_SPIRV:
      return "SPIR-V";
    default:
      return "an unknown language";
  }
}

static Backend& find_backend(vd_backend backend) {
  switch (backend) {
#if VD_HAVE_VULKAN
    case VD_BACKEND_VULKAN:
      return vulkan::backend();
#endif
#if VD_HAVE_CUDA
    case VD_BACKEND_CUDA:
      return cuda::backend();
#endif
#if VD_HAVE_OPENCL
    case VD_BACKEND_OPENCL:
      return opencl::backend();
#endif
#if VD_HAVE_HOST
    case VD_BACKEND_HOST:
      return host::backend();
#endif
#if VD_HAVE_DUMMY
    case VD_BACKEND_DUMMY:
      return dummy::backend();
#endif
    case VD_BACKEND_AUTO:
      fail(VD_ERR_INVALID, "backend (auto) names no backend");
    default:
      break;
  }
  if (backend < VD_BACKEND_AUTO || backend > VD_BACKEND_DUMMY) {
    fail(VD_ERR_INVALID, "backend ({}) is not one of vulkan (1), cuda (2), opencl (3), host (4), dummy (5)",
         static_cast<int>(backend));
  }
  fail(VD_ERR_UNAVAILABLE, "this library was built without the {} backend", backend_name(backend));
}

Backend& get_backend(vd_backend backend) {
  Backend& found = find_backend(backend);
  found.refuse_in_child();
  return found;
}

}  // namespace backends
}  // namespace vd
