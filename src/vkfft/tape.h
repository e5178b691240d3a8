// The Vulkan device that VkFFT sees: it runs nothing and records everything. VkFFT writes shaders, fills tables and
// records dispatches on it; the recording becomes steps of one of our plans, with its tables and its workspace as
// hidden buffers. So its work is compiled, ordered, replayed and freed as all other work is.
//
// A table that VkFFT computes on the device is computed on ours at once.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <unordered_set>
#include <variant>
#include <vector>

#include "runtime/buffer.h"
#include "runtime/context.h"
#include "runtime/plan.h"

namespace vd::vkfft {

struct Buffer;

struct Memory {
  uint64_t size = 0;
  std::vector<std::byte> bytes;  // none until the host looks at it
  Buffer* buffer = nullptr;      // a buffer in this memory
};

struct Buffer {
  static constexpr uint32_t kOwn = ~0u;
  uint64_t size = 0;
  uint32_t argument = kOwn;  // of the plan; kOwn: VkFFT's own
  Memory* memory = nullptr;
  uint64_t offset = 0;  // in `memory`
  Ref<vd_buffer> real;  // once the device has used it
};

struct Slice {
  Buffer* buffer = nullptr;
  uint64_t offset = 0;
  uint64_t size = 0;  // 0: all
};

struct Pipeline {
  std::string glsl;
  uint32_t binding_count = 0;
  uint32_t values_size = 0;
};

struct Dispatch {
  const Pipeline* pipeline = nullptr;
  std::vector<Slice> slices;
  std::vector<std::byte> values;
  std::array<uint32_t, 3> workgroups{};
};

struct Copy {
  Slice source, destination;
};

// A command buffer, with its bindings.
struct Commands {
  const Pipeline* pipeline = nullptr;
  const std::vector<Slice>* set = nullptr;
  std::vector<std::byte> values;
  std::vector<std::variant<Dispatch, Copy>> work;
};

class Tape {
 public:
  Tape(vd_context& context, uint32_t device, std::string name)
      : context_(context), device_(device), name_(std::move(name)) {}

  Tape(const Tape&) = delete;
  Tape& operator=(const Tape&) = delete;
  ~Tape();

  // An object that lives as long as the tape.
  template <class T, class... Args>
  T* make(Args&&... args) {
    auto made = std::make_shared<T>(std::forward<Args>(args)...);
    objects_.push_back(made);
    return made.get();
  }
  // Makes the host's copy of a memory current and returns its address.
  std::byte* map(Memory& memory);
  // Runs the work that VkFFT needs done before the transform exists.
  void run(const Commands& commands);
  // The plan of the recorded work. `sizes` are the bytes of its arguments, `only_read` those that it never writes.
  Ref<vd_plan> finish(const Commands& commands, const std::vector<uint64_t>& sizes, const std::vector<bool>& only_read,
                      const std::string& heading);

  // The last failure on this device; VkFFT itself hands on a number only.
  std::exception_ptr failure;
  // Host memory that VkFFT has taken.
  std::unordered_set<void*> host;

 private:
  vd_plan::Step step(const Dispatch& dispatch, const std::vector<bool>& only_read);
  void copy(const Copy& copy);
  vd_buffer& realize(Buffer& buffer);

  vd_context& context_;
  const uint32_t device_;
  const std::string name_;
  std::vector<std::shared_ptr<void>> objects_;
};

}  // namespace vd::vkfft
