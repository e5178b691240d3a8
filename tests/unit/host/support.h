// Kernels written as text, run on the host device and looked at.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "backends/backend.h"
#include "core/error.h"
#include "ir/text.h"
#include "support/queue/commands.h"

namespace vd::host::test {

class Host {
 public:
  explicit Host(backends::DeviceOptions options = {}) {
    if (options.thread_count == 0) options.thread_count = 2;
    device_ = backends::get_backend(VD_BACKEND_HOST).make_device(0, options);
  }

  backends::Device& device() { return *device_; }
  backends::Queue& queue(uint32_t i = 0) { return device_->queue(i); }

  std::shared_ptr<backends::Module> module(const std::string& text, std::array<uint32_t, 3> workgroup_size) {
    const ir::Kernel kernel = ir::parse_text(text);
    return device_->make_module({&kernel, nullptr, workgroup_size, "test"});
  }

  template <class T>
  std::unique_ptr<backends::Memory> buffer(const std::vector<T>& data) {
    auto memory = device_->make_memory(data.size() * sizeof(T), false, "test");
    vd::test::write(queue(), {memory.get(), 0, memory->size()}, data.data());
    return memory;
  }
  std::unique_ptr<backends::Memory> space(size_t bytes) { return device_->make_memory(bytes, false, "test"); }

  template <class T>
  std::vector<T> read(backends::Memory& memory) {
    std::vector<T> data(memory.size() / sizeof(T));
    queue().read({&memory, 0, data.size() * sizeof(T)}, data.data());
    return data;
  }

  // Submits one launch; gives its value.
  uint64_t launch(backends::Module& module, std::array<uint32_t, 3> workgroups,
                  const std::vector<backends::Memory*>& memories, const std::vector<std::byte>& values = {},
                  uint32_t queue_index = 0) {
    backends::CommandList list;
    backends::Command command;
    command.module = &module;
    command.workgroups = workgroups;
    command.binding_count = static_cast<uint32_t>(memories.size());
    command.values_size = static_cast<uint32_t>(values.size());
    for (backends::Memory* m : memories) list.ranges.push_back({m, 0, m->size()});
    list.values = values;
    list.commands.push_back(command);
    return queue(queue_index).submit(list);
  }
  // And waits for it, and throws its failure.
  void run(backends::Module& module, std::array<uint32_t, 3> workgroups, const std::vector<backends::Memory*>& memories,
           const std::vector<std::byte>& values = {}) {
    const uint64_t value = launch(module, workgroups, memories, values);
    queue().wait(value, ~uint64_t{0});
    queue().failures.report(value, true);
  }

 private:
  std::unique_ptr<backends::Device> device_;
};

// Bytes of values one after the other.
template <class... T>
std::vector<std::byte> pack(const T&... values) {
  std::vector<std::byte> bytes((sizeof(values) + ... + 0));
  std::byte* out = bytes.data();
  ((std::memcpy(out, &values, sizeof(values)), out += sizeof(values)), ...);
  return bytes;
}

template <class F>
Error error_of(F&& f) {
  try {
    f();
  } catch (const Error& e) {
    return e;
  }
  ADD_FAILURE() << "nothing was thrown";
  return Error(VD_OK, "");
}

}  // namespace vd::host::test
