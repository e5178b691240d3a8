#include "backends/opencl/memory.h"

#include <atomic>
#include <string_view>

namespace vd::opencl {
namespace {

std::atomic<uint64_t> g_serial{0};

}  // namespace

Memory::Memory(std::shared_ptr<const Context> context, uint64_t size, bool host_visible, const std::string& label,
               SideQueue side, Queues queues, Disposer& disposer)
    : size_(size), serial_(g_serial.fetch_add(1, std::memory_order_relaxed) + 1) {
  context->require_alive();
  const auto& info = context->info();
  if (size > info.max_allocation_size)
    fail(VD_ERR_OUT_OF_MEMORY, "a buffer of {} bytes is larger than OpenCL device \"{}\" allows ({}).", size, info.name,
         info.max_allocation_size);
  if (host_visible && !context->direct_transfers) {
    host_side_ = std::make_unique<HostSide>(context, side(), std::move(queues), size, disposer);
    context_ = std::move(context);
    side_ = std::move(side);
    return;
  }
  const cl_mem_flags flags = CL_MEM_READ_WRITE | (host_visible ? CL_MEM_ALLOC_HOST_PTR : 0);
  cl_int result = CL_SUCCESS;
  const cl_mem handle = context->cl.CreateBuffer(context->handle(), flags, size, nullptr, &result);
  context->check(result, "clCreateBuffer", "{} bytes of {} memory{}{}{} on \"{}\"", size,
                 host_visible ? "host" : "device", label.empty() ? "" : " for \"", label, label.empty() ? "" : "\"",
                 info.name);
  if (host_visible || context->direct_transfers) {
    context_ = context;
    side_ = std::move(side);
  }
  handle_ = MemHandle(std::move(context), handle);
}

HostImport::HostImport(std::shared_ptr<const Context> context, const backends::HostPages& imported,
                       const std::string& label)
    : pages(imported) {
  context->require_alive();
  cl_int result = CL_SUCCESS;
  const cl_mem made = context->cl.CreateBuffer(context->handle(), CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, pages.size,
                                               pages.pointer(), &result);
  context->check(result, "clCreateBuffer", "{} bytes of the host's memory at {:#x}{}{}{} on \"{}\"", pages.size,
                 pages.begin, label.empty() ? "" : " for \"", label, label.empty() ? "" : "\"", context->info().name);
  handle = MemHandle(std::move(context), made);
}

Memory::Memory(std::shared_ptr<const Context> context, std::shared_ptr<const HostImport> import, uint64_t address,
               SideQueue side)
    : size_(import->pages.size),
      serial_(g_serial.fetch_add(1, std::memory_order_relaxed) + 1),
      front_(address - import->pages.begin),
      import_(std::move(import)),
      context_(std::move(context)),
      side_(std::move(side)) {}

cl_mem Memory::handle() const {
  if (host_side_) return host_side_->buffer();
  return import_ ? import_->handle.get() : handle_.get();
}

std::byte* Memory::host_bytes() const {
  if (host_side_) return host_side_->bytes();
  return pinned_ ? pinned_->data() : plain_.get();
}

// All conflicting work is done by now, so the map and its end wait for no kernel.
void* Memory::map(uint64_t offset, uint64_t size, bool write) {
  if (write) note_write();
  if (host_side_) return host_side_->map(offset, size);
  const std::lock_guard lock(mapping_mutex());
  const cl_map_flags flags = write ? CL_MAP_READ | CL_MAP_WRITE : CL_MAP_READ;
  cl_int result = CL_SUCCESS;
  void* data =
      context_->cl.EnqueueMapBuffer(side_(), handle(), CL_TRUE, flags, offset, size, 0, nullptr, nullptr, &result);
  context_->check(result, "clEnqueueMapBuffer", "{} bytes at {}", size, offset);
  return data;
}

void Memory::unmap(void* data, uint64_t offset, uint64_t size, bool write) {
  if (host_side_) return host_side_->unmap(offset, size, write);
  const std::lock_guard lock(mapping_mutex());
  const cl_command_queue queue = side_();
  context_->check(context_->cl.EnqueueUnmapMemObject(queue, handle(), data, 0, nullptr, nullptr),
                  "clEnqueueUnmapMemObject", "{} bytes at {}", size, offset);
  context_->check(context_->cl.Finish(queue), "clFinish", "the end of a mapping");
}

Memory::Memory(std::shared_ptr<const Context> context, uint64_t size, cl_command_queue queue)
    : size_(size), serial_(g_serial.fetch_add(1, std::memory_order_relaxed) + 1) {
  context->require_alive();
  if (context->direct_transfers)
    plain_.reset(new std::byte[size]);  // make_unique would write every byte
  else
    pinned_ = std::make_unique<PinnedMemory>(std::move(context), queue, size);
}

bool Memory::native(const char* kind, uint64_t& out) const {
  if (std::string_view(kind) != "cl_mem" || handle() == nullptr) return false;
  if (host_side_) host_side_->move_now();
  out = reinterpret_cast<uint64_t>(handle());
  if (copy_) copy_->expect_writes();
  return true;
}

}  // namespace vd::opencl
