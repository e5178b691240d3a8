#include "vkfft/tape.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "core/count_of.h"
#include "core/error.h"
#include "core/log.h"
#include "runtime/hidden.h"
#include "runtime/launch.h"

namespace vd::vkfft {

Tape::~Tape() {
  for (void* memory : host) std::free(memory);
}

// VkFFT's own buffers are created when a dispatch first uses them, with the bytes that the host has stored.
vd_buffer& Tape::realize(Buffer& buffer) {
  if (!buffer.real) {
    if (buffer.argument != Buffer::kOwn) fail(VD_ERR_INTERNAL, "VkFFT uses a caller's buffer before the launch");
    const bool filled = buffer.memory != nullptr && !buffer.memory->bytes.empty();
    buffer.real = runtime::hidden_buffer(context_, device_, buffer.size,
                                         filled ? buffer.memory->bytes.data() + buffer.offset : nullptr,
                                         filled ? "VkFFT table" : "VkFFT workspace");
    if (filled) buffer.memory->bytes = {};
  }
  return *buffer.real;
}

// Copies the device's results back; the host's bytes are copied to the device at the next use.
std::byte* Tape::map(Memory& memory) {
  memory.bytes.resize(memory.size);
  if (memory.buffer != nullptr && memory.buffer->real) {
    const Ref<vd_buffer> real = std::move(memory.buffer->real);
    memory.buffer->real = {};
    real->read(context_.first_queue(device_), 0, memory.bytes.data() + memory.buffer->offset, real->size());
  }
  return memory.bytes.data();
}

vd_plan::Step Tape::step(const Dispatch& dispatch, const std::vector<bool>& only_read) {
  const Pipeline& pipeline = *dispatch.pipeline;
  const auto count = static_cast<uint32_t>(only_read.size());
  backends::SourceText source;
  source.language = VD_LANGUAGE_GLSL;
  source.text = pipeline.glsl;
  source.entry = "main";
  source.bindings.assign(pipeline.binding_count, VD_BINDING_STORAGE_BUFFER);
  source.values_size = pipeline.values_size;
  vd_plan::Desc desc;
  desc.source = &source;
  desc.device = device_;
  desc.label = name_;
  vd_plan::Step step;
  try {
    step.plan = vd_plan::create(context_, desc);
  } catch (const Error& error) {
    if (error.status() != VD_ERR_COMPILE) throw;
    // VkFFT 1.3.4 leaves a brace open in some convolutions. The whole shader is in the log.
    log_verbose("{}", error.what());
    const std::string what = error.what();
    fail(VD_ERR_UNSUPPORTED, "VkFFT wrote a shader that does not compile: {}",
         what.substr(0, what.find('\n', what.find('\n') + 1)));
  }
  step.workgroups = dispatch.workgroups;
  step.values = dispatch.values;
  for (uint32_t i = 0; i < pipeline.binding_count; ++i) {
    const Slice& slice = dispatch.slices[i];
    if (slice.buffer->argument != Buffer::kOwn) {
      step.arguments.push_back({slice.buffer->argument, slice.offset, slice.size});
      if (only_read.at(slice.buffer->argument)) step.plan->set_only_read(i);
      continue;
    }
    step.arguments.push_back({count + static_cast<uint32_t>(step.hidden.size()), slice.offset, slice.size});
    step.hidden.push_back(Ref<vd_buffer>::retain(&realize(*slice.buffer)));
  }
  return step;
}

void Tape::copy(const Copy& copy) {
  Buffer& from = *copy.source.buffer;
  Buffer& to = *copy.destination.buffer;
  const uint64_t size = copy.source.size;
  const auto past_end = [&](const Slice& slice) {
    return slice.offset > slice.buffer->size || size > slice.buffer->size - slice.offset;
  };
  if (past_end(copy.source) || past_end(copy.destination) || from.memory == nullptr || to.memory == nullptr)
    fail(VD_ERR_INTERNAL, "VkFFT copies {} bytes past the end of a buffer", size);
  if (from.real) {
    runtime::copy(*from.real, copy.source.offset, realize(to), copy.destination.offset, size,
                  context_.first_queue(device_));
    return;
  }
  from.memory->bytes.resize(from.memory->size);
  const std::byte* bytes = from.memory->bytes.data() + from.offset + copy.source.offset;
  if (to.real) {
    to.real->write(context_.first_queue(device_), copy.destination.offset, bytes, size);
    return;
  }
  to.memory->bytes.resize(to.memory->size);
  std::memcpy(to.memory->bytes.data() + to.offset + copy.destination.offset, bytes, size);
}

void Tape::run(const Commands& commands) {
  for (const auto& work : commands.work) {
    if (const auto* one = std::get_if<Copy>(&work)) {
      copy(*one);
      continue;
    }
    std::vector<vd_plan::Step> steps;
    steps.push_back(step(std::get<Dispatch>(work), {}));
    const Ref<vd_plan> plan = vd_plan::compose(context_, device_, name_, std::move(steps), 0, {}, 0);
    constexpr uint32_t none[3] = {};
    const runtime::Arguments arguments(*plan, none, none, nullptr, 0, 0, [](uint32_t) { return runtime::Bound{}; });
    runtime::launch(arguments, context_.first_queue(device_), {}, true);
  }
}

Ref<vd_plan> Tape::finish(const Commands& commands, const std::vector<uint64_t>& sizes,
                          const std::vector<bool>& only_read, const std::string& heading) {
  std::vector<vd_plan::Step> steps;
  std::vector<vd_plan::Explanation> explanation{{heading}};
  for (const auto& work : commands.work) {
    const auto* one = std::get_if<Dispatch>(&work);
    if (one == nullptr) fail(VD_ERR_INTERNAL, "VkFFT copies within a transform");
    steps.push_back(step(*one, only_read));
    explanation.push_back({fmt::format("  {}: {} x {} x {} workgroups, {} of which {} hidden", steps.size(),
                                       one->workgroups[0], one->workgroups[1], one->workgroups[2],
                                       count_of(one->slices.size(), "buffer"), steps.back().hidden.size()),
                           steps.back().plan});
    explanation.push_back({"\n"});
  }
  if (steps.empty()) fail(VD_ERR_UNSUPPORTED, "VkFFT has nothing to do for this transform");
  Ref<vd_plan> plan = vd_plan::compose(context_, device_, name_, std::move(steps), static_cast<uint32_t>(sizes.size()),
                                       std::move(explanation), 0);
  plan->set_least_sizes(sizes);
  return plan;
}

}  // namespace vd::vkfft
