// Each allocation of the library fails in turn: every call ends in a status, nothing hangs or leaks, and what comes
// after it is right.
//
//   vd_allocations BACKEND [PART]
//
// A part is run again and again on one context, each time with a later allocation that fails, until none does.
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <numeric>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "allocations/failing.h"
#include "support/argument.h"
#include "support/owned.h"
#include "support/samples.h"
#include "vkdispatch.h"

namespace {

// ---- What fails

bool g_wrong = false;
uint32_t g_other = 0;    // another queue than the first, where the device has one
char g_place[200] = "";  // for a process that ends in the middle

template <class... Args>
void complain(const char* format, const Args&... args) {
  std::printf("%s: %s\n", g_place, fmt::format(fmt::runtime(format), args...).c_str());
  std::fflush(stdout);
  g_wrong = true;
}

// Ends a run of a part.
struct Stop {};

void need(vd_status status, const char* call) {
  if (status == VD_OK || status == VD_INCOMPLETE) return;
  if (status != VD_ERR_OUT_OF_MEMORY)
    complain("{} gave {} ({}), not VD_ERR_OUT_OF_MEMORY", call, vd_status_name(status), vd_last_error());
  throw Stop();
}
#define NEED(call) need(call, #call)

// ---- Handles

using Context = vd::test::Owned<vd_context, vd_context_release>;
using Buffer = vd::test::Owned<vd_buffer, vd_buffer_release>;
using Builder = vd::test::Owned<vd_builder, vd_builder_release>;
using Kernel = vd::test::Owned<vd_kernel, vd_kernel_release>;
using Plan = vd::test::Owned<vd_plan, vd_plan_release>;
using Graph = vd::test::Owned<vd_graph, vd_graph_release>;
using Blob = vd::test::Owned<vd_blob, vd_blob_release>;
using Mapping = vd::test::Owned<vd_mapping, vd_mapping_release>;
using Image = vd::test::Owned<vd_image, vd_image_release>;
using Sampler = vd::test::Owned<vd_sampler, vd_sampler_release>;
using Profile = vd::test::Owned<vd_profile, vd_profile_release>;
using Semaphore = vd::test::Owned<vd_semaphore, vd_semaphore_release>;

constexpr uint32_t kWords = 256;
constexpr uint64_t kSize = kWords * 4;
using Words = std::array<uint32_t, kWords>;

Words counting(uint32_t first) {
  Words words;
  std::iota(words.begin(), words.end(), first);
  return words;
}

void make(vd_context* ctx, Buffer& buffer, const Words* data = nullptr, vd_buffer_flags flags = 0) {
  vd_buffer_desc desc = VD_BUFFER_DESC_INIT;
  desc.size = kSize;
  desc.flags = flags;
  desc.label = "a buffer of the test's, whose name is long";
  desc.data = data;
  NEED(vd_buffer_create(ctx, &desc, buffer.out()));
}

void expect(vd_buffer* buffer, const Words& wanted) {
  Words got{};
  NEED(vd_buffer_read(buffer, 0, kSize, 0, got.data()));
  if (got != wanted)
    complain("a buffer has wrong words: {} {} ..., not {} {} ...", got[0], got[1], wanted[0], wanted[1]);
}

// add(x, c): x[i] = x[i] + c
void write_add(vd_builder* builder) {
  vd_value x = 0, c = 0, id = 0, i = 0, at = 0, sum = 0;
  const auto emit = [&](vd_op op, vd_type type, std::initializer_list<vd_value> operands, uint64_t immediate,
                        vd_value* out) {
    NEED(vd_builder_emit(builder, op, type, operands.begin(), static_cast<uint32_t>(operands.size()), immediate, 0,
                         out));
  };
  NEED(declare_argument(builder, VD_ARGUMENT_BUFFER, VD_TYPE_U32, "x", &x));
  NEED(declare_argument(builder, VD_ARGUMENT_CONSTANT, VD_TYPE_U32, "c", &c));
  emit(VD_OP_BUILTIN, 0, {}, VD_BUILTIN_GLOBAL_ID, &id);
  emit(VD_OP_SWIZZLE, 0, {id}, 1 << 8, &i);
  emit(VD_OP_INDEX, 0, {x, i}, 0, &at);
  emit(VD_OP_ADD, 0, {at, c}, 0, &sum);
  emit(VD_OP_STORE, 0, {at, sum}, 0, nullptr);
}

void make_add(Kernel& kernel) {
  Builder builder;
  vd_builder_desc desc = VD_BUILDER_DESC_INIT;
  desc.name = "add";
  NEED(vd_builder_create(&desc, builder.out()));
  write_add(builder);
  NEED(vd_builder_finish(builder, kernel.out()));
}

struct Launch {
  vd_binding binding;
  uint32_t value;
  vd_launch_desc desc = VD_LAUNCH_DESC_INIT;

  Launch(vd_buffer* buffer, uint32_t given) : binding VD_BINDING_OF(buffer, 0, VD_WHOLE_SIZE), value(given) {
    desc.invocations[0] = kWords;
    desc.bindings = &binding;
    desc.binding_count = 1;
    desc.values = &value;
    desc.values_size = sizeof(value);
  }
  Launch(const Launch&) = delete;
};

void make_plan(vd_context* ctx, Plan& plan) {
  Kernel kernel;
  make_add(kernel);
  vd_plan_desc desc = VD_PLAN_DESC_INIT;
  desc.kernel = kernel;
  NEED(vd_plan_create(ctx, &desc, plan.out()));
}

// Waits for what was promised to be called.
struct Calls {
  std::atomic<int> called{0};
  int wanted = 0;
  ~Calls() {
    while (called < wanted) std::this_thread::yield();
    if (called > wanted) complain("a function was called {} times, not {}", called.load(), wanted);
  }
  static void notified(vd_status status, const char* message, void* user) {
    if (status != VD_OK && status != VD_ERR_OUT_OF_MEMORY)
      complain("a notification brought {} ({})", vd_status_name(status), message);
    ++static_cast<Calls*>(user)->called;
  }
};

// ---- Parts: each may stop at any call

vd_status open(vd_backend backend, Context& ctx) {
  vd_context_desc desc = VD_CONTEXT_DESC_INIT;
  desc.backend = backend;
  desc.flags = VD_CONTEXT_USE_CPU;
  const uint32_t queues = g_other + 1;
  desc.device_count = 1;
  desc.queue_counts = &queues;
  return vd_context_create(&desc, ctx.out());
}

void open_part(vd_backend backend, Context& ctx) { need(open(backend, ctx), "vd_context_create"); }

void kernel_part(vd_context*) {
  Kernel kernel, again;
  make_add(kernel);
  Blob text;
  NEED(vd_kernel_print(kernel, nullptr, text.out()));
  uint64_t size = 0;
  const auto* bytes = static_cast<const char*>(vd_blob_data(text, &size));
  NEED(vd_kernel_parse(bytes, size, again.out()));
}

void plan_part(vd_context* ctx) {
  Plan plan;
  make_plan(ctx, plan);
  Blob text;
  NEED(vd_plan_explain(plan, text.out()));
}

void transfers_part(vd_context* ctx) {
  const Words data = counting(1);
  Buffer buffer, other, host;
  make(ctx, buffer, &data);
  make(ctx, other);
  make(ctx, host, &data, VD_BUFFER_HOST);
  NEED(vd_buffer_write(other, 0, data.data(), kSize, 0));
  NEED(vd_buffer_send(other, 4, data.data(), 8, g_other, nullptr, nullptr));
  NEED(vd_buffer_copy(buffer, 0, other, 0, VD_WHOLE_SIZE, g_other, nullptr, nullptr));
  NEED(vd_buffer_copy(host, 0, buffer, 0, VD_WHOLE_SIZE, 0, nullptr, nullptr));
  expect(other, data);
  NEED(vd_buffer_fill(other, 0, kSize, 7, 0, nullptr, nullptr));
  const uint8_t pattern[] = {1, 2, 3};
  NEED(vd_buffer_fill_pattern(other, 0, 768, pattern, 3, 0, nullptr, nullptr));
  vd_strided_copy_desc strided = VD_STRIDED_COPY_DESC_INIT;
  strided.element_size = 4;
  strided.counts[0] = 10;
  strided.source_strides[0] = 8;
  strided.destination_strides[0] = 12;
  NEED(vd_buffer_copy_strided(buffer, other, &strided, 0, nullptr, nullptr));
  Mapping mapping;
  NEED(vd_buffer_map(host, 0, kSize, VD_MAP_READ | VD_MAP_WRITE, 0, mapping.out()));
  NEED(vd_mapping_end(mapping));
  Buffer slice;
  NEED(vd_buffer_slice(other, 16, 64, slice.out()));
  NEED(vd_buffer_fill(slice, 0, 64, 3, g_other, nullptr, nullptr));
  NEED(vd_context_wait_idle(ctx, VD_QUEUE_ALL, VD_WAIT_FOREVER));
  expect(host, data);
}

void completion_part(vd_context* ctx) {
  Calls calls;
  Buffer buffer;
  make(ctx, buffer);
  for (uint32_t i = 0; i < 3; ++i) {
    Blob blob;
    vd_ticket ticket = 0;
    NEED(vd_buffer_fill(buffer, 0, kSize, i, i % 2 * g_other, nullptr, nullptr));
    NEED(vd_buffer_fetch(buffer, 0, kSize, i % 2 * g_other, nullptr, blob.out(), &ticket));
    NEED(vd_ticket_notify(ctx, ticket, Calls::notified, &calls));
    ++calls.wanted;
    NEED(vd_ticket_wait(ctx, ticket, VD_WAIT_FOREVER));
    const void* bytes = vd_blob_data(blob, nullptr);
    if (bytes == nullptr || std::memcmp(bytes, &i, 4) != 0) complain("fetched bytes are wrong");
  }
}

void launch_part(vd_context* ctx) {
  Plan plan;
  make_plan(ctx, plan);
  Words data = counting(0);
  Buffer buffer, counts;
  make(ctx, buffer, &data);
  Launch launch(buffer, 3);
  vd_ticket ticket = 0;
  NEED(vd_plan_launch(plan, &launch.desc, &ticket));
  NEED(vd_ticket_wait(ctx, ticket, VD_WAIT_FOREVER));
  vd_buffer* buffers[] = {buffer};
  vd_status tried = VD_ERR_WOULD_BLOCK;
  while (tried == VD_ERR_WOULD_BLOCK)
    tried = vd_plan_try_launch(plan, nullptr, g_other, kWords, 1, 1, buffers, 1, &launch.value, sizeof(launch.value));
  need(tried, "vd_plan_try_launch");
  vd_order_desc order = VD_ORDER_DESC_INIT;
  order.waits = &ticket;
  order.wait_count = 1;
  order.label = "a launch behind another, on the other queue";
  launch.desc.order = &order;
  launch.desc.queue = g_other;
  NEED(vd_plan_launch(plan, &launch.desc, nullptr));
  const Words one = [] {
    Words words{};
    words[0] = words[1] = words[2] = 1;
    return words;
  }();
  make(ctx, counts, &one);
  launch.desc.counts = counts;
  launch.desc.order = nullptr;
  NEED(vd_plan_launch(plan, &launch.desc, nullptr));
  // A read reports what failed on its own queue alone.
  NEED(vd_context_wait_idle(ctx, VD_QUEUE_ALL, VD_WAIT_FOREVER));
  Words got{};
  NEED(vd_buffer_read(buffer, 0, kSize, 0, got.data()));
  if (got[0] != 12) complain("launches gave {}, not 12", got[0]);
}

void graph_part(vd_context* ctx) {
  Calls calls;
  Plan plan;
  make_plan(ctx, plan);
  Words data = counting(0);
  constexpr int kBranches = 20;  // more than a driver runs side by side without help
  Buffer buffers[kBranches], spare;
  for (Buffer& buffer : buffers) make(ctx, buffer, &data);
  make(ctx, spare, &data);
  Graph graph, inner;
  NEED(vd_graph_create(ctx, nullptr, graph.out()));
  NEED(vd_graph_create(ctx, nullptr, inner.out()));
  vd_node first = 0;
  for (int round = 0; round < 2; ++round)
    for (Buffer& buffer : buffers) {
      Launch launch(buffer, 1);
      vd_node node = 0;
      NEED(vd_graph_launch(graph, plan, &launch.desc, &node));
      if (round == 0 && &buffer == buffers) first = node;
    }
  NEED(vd_graph_set_label(graph, first, "a label of a node that is long enough"));
  NEED(vd_graph_copy(graph, buffers[0], 0, spare, 0, kSize, nullptr));
  NEED(vd_graph_submit(graph, nullptr, nullptr));
  vd_submit_desc submit = VD_SUBMIT_DESC_INIT;
  submit.queue = g_other;
  NEED(vd_graph_submit(graph, &submit, nullptr));
  // Two instances that add 10 and 20 in place of the first 1.
  const uint32_t tens[] = {10, 20};
  vd_instance_values values{};
  values.node = first;
  values.size = 4;
  values.values = tens;
  values.values_size = sizeof(tens);
  submit.repeat = 2;
  submit.instance_values = &values;
  submit.instance_value_count = 1;
  NEED(vd_graph_submit(graph, &submit, nullptr));
  const uint32_t two = 2;
  NEED(vd_graph_set_values(graph, first, 0, &two, 4));
  const vd_binding other = VD_BINDING_OF(spare, 0, VD_WHOLE_SIZE);
  NEED(vd_graph_fill(inner, buffers[1], 0, kSize, 5, nullptr));
  NEED(vd_graph_call(
      inner, [](void* user) { ++static_cast<Calls*>(user)->called; }, &calls, nullptr, nullptr));
  NEED(vd_graph_add_graph(graph, inner, nullptr));
  NEED(vd_graph_set_bindings(graph, first, 0, &other, 1));
  const vd_status submitted = vd_graph_submit(graph, nullptr, nullptr);
  if (submitted == VD_OK) ++calls.wanted;
  need(submitted, "vd_graph_submit");
  Blob dot;
  NEED(vd_graph_get_dot(graph, dot.out()));
  NEED(vd_context_wait_idle(ctx, VD_QUEUE_ALL, VD_WAIT_FOREVER));
  Words got{};
  NEED(vd_buffer_read(buffers[0], 0, kSize, 0, got.data()));
  const uint32_t wanted = 2 + 2 + 11 + 21 + 1;
  if (got[0] != wanted) complain("the graph gave {}, not {}", got[0], wanted);
}

// A graph that stays, of which each run changes arguments and values.
struct Kept {
  Plan plan;
  Buffer first, second;
  Graph graph;
  vd_node node = 0;
  uint32_t added = 1;  // as it was recorded last
  vd_buffer* bound = nullptr;
};

void make_kept(vd_context* ctx, Kept& kept) {
  make_plan(ctx, kept.plan);
  const Words zeros{};
  make(ctx, kept.first, &zeros);
  make(ctx, kept.second, &zeros);
  NEED(vd_graph_create(ctx, nullptr, kept.graph.out()));
  Launch launch(kept.first, kept.added);
  NEED(vd_graph_launch(kept.graph, kept.plan, &launch.desc, &kept.node));
  Launch second(kept.second, 100);
  NEED(vd_graph_launch(kept.graph, kept.plan, &second.desc, nullptr));
  kept.bound = kept.first;
}

// Each submission that succeeds adds all that the graph adds.
void run_kept(vd_context* ctx, Kept& kept) {
  uint32_t wanted[2];
  const auto read = [&](uint32_t(&out)[2]) {
    NEED(vd_buffer_read(kept.first, 0, 4, 0, &out[0]));
    NEED(vd_buffer_read(kept.second, 0, 4, 0, &out[1]));
  };
  read(wanted);
  const auto submit = [&](const vd_submit_desc* desc, uint32_t sum) {
    NEED(vd_graph_submit(kept.graph, desc, nullptr));
    wanted[kept.bound == kept.first ? 0 : 1] += sum;
    wanted[1] += 100 * (desc != nullptr ? desc->repeat : 1);
  };
  submit(nullptr, kept.added);
  const uint32_t tens[] = {10, 20, 30};
  vd_instance_values values{};
  values.node = kept.node;
  values.size = 4;
  values.values = tens;
  values.values_size = sizeof(tens);
  vd_submit_desc instances = VD_SUBMIT_DESC_INIT;
  instances.repeat = 3;
  instances.instance_values = &values;
  instances.instance_value_count = 1;
  submit(&instances, 60);
  vd_buffer* other = kept.bound == kept.first ? kept.second : kept.first;
  const vd_binding binding = VD_BINDING_OF(other, 0, VD_WHOLE_SIZE);
  NEED(vd_graph_set_bindings(kept.graph, kept.node, 0, &binding, 1));
  kept.bound = other;
  submit(nullptr, kept.added);
  const uint32_t more = kept.added % 7 + 1;
  NEED(vd_graph_set_values(kept.graph, kept.node, 0, &more, 4));
  kept.added = more;
  submit(nullptr, kept.added);
  submit(&instances, 60);
  submit(nullptr, kept.added);
  NEED(vd_context_wait_idle(ctx, VD_QUEUE_ALL, VD_WAIT_FOREVER));
  uint32_t got[2];
  read(got);
  if (got[0] != wanted[0] || got[1] != wanted[1])
    complain("the graph gave {} and {}, not {} and {}", got[0], got[1], wanted[0], wanted[1]);
}

void image_part(vd_context* ctx) {
  Image image, other;
  vd_image_desc desc = VD_IMAGE_DESC_INIT;
  desc.format = VD_FORMAT_RGBA8_UNORM;
  desc.dimensions = 2;
  desc.extent[0] = desc.extent[1] = 16;
  desc.mip_levels = VD_MIP_LEVELS_ALL;
  desc.flags = VD_IMAGE_STORAGE;
  desc.label = "an image of the test's, whose name is long";
  NEED(vd_image_create(ctx, &desc, image.out()));
  NEED(vd_image_create(ctx, &desc, other.out()));
  const Words data = counting(1000);
  NEED(vd_image_write(image, nullptr, data.data(), kSize, 0));
  NEED(vd_image_copy(image, nullptr, other, nullptr, 0, nullptr, nullptr));
  NEED(vd_image_generate_mips(other, g_other, nullptr, nullptr));
  Buffer buffer;
  make(ctx, buffer);
  NEED(vd_image_copy_to_buffer(other, nullptr, buffer, 0, 0, nullptr, nullptr));
  expect(buffer, data);
  NEED(vd_context_wait_idle(ctx, VD_QUEUE_ALL, VD_WAIT_FOREVER));
  Words got{};
  NEED(vd_image_read(other, nullptr, kSize, g_other, got.data()));
  if (got != data) complain("an image has wrong texels");
}

void image_map_part(vd_context* ctx) {
  Image image;
  vd_image_desc desc = VD_IMAGE_DESC_INIT;
  desc.format = VD_FORMAT_RGBA8_UNORM;
  desc.dimensions = 2;
  desc.extent[0] = desc.extent[1] = 16;
  desc.flags = VD_IMAGE_HOST;
  const vd_status status = vd_image_create(ctx, &desc, image.out());
  if (status == VD_ERR_UNSUPPORTED) return;
  need(status, "vd_image_create");
  const Words data = counting(1000);
  NEED(vd_image_write(image, nullptr, data.data(), kSize, 0));
  Mapping mapping;
  NEED(vd_image_map(image, 0, VD_MAP_READ | VD_MAP_WRITE, 0, mapping.out()));
  vd_mapping_info info = VD_MAPPING_INFO_INIT;
  NEED(vd_mapping_get_info(mapping, &info));
  if (std::memcmp(info.data, data.data(), 16 * 4) != 0) complain("a mapped image has wrong texels");
  NEED(vd_mapping_end(mapping));
}

void profile_part(vd_context* ctx) {
  Plan plan;
  make_plan(ctx, plan);
  Buffer buffer;
  make(ctx, buffer);
  Profile profile;
  NEED(vd_profile_create(ctx, nullptr, profile.out()));
  Launch launch(buffer, 1);
  NEED(vd_plan_launch(plan, &launch.desc, nullptr));
  NEED(vd_buffer_fill(buffer, 0, kSize, 4, g_other, nullptr, nullptr));
  Graph graph;
  NEED(vd_graph_create(ctx, nullptr, graph.out()));
  NEED(vd_graph_launch(graph, plan, &launch.desc, nullptr));
  NEED(vd_graph_submit(graph, nullptr, nullptr));
  NEED(vd_profile_stop(profile, VD_WAIT_FOREVER));
  vd_span_info span = VD_SPAN_INFO_INIT;
  vd_profile_info info = VD_PROFILE_INFO_INIT;
  NEED(vd_profile_get_info(profile, &info));
  for (uint64_t i = 0; i < info.span_count; ++i) NEED(vd_profile_get_span(profile, i, &span));
}

void transform_part(vd_context* ctx) {
  vd_fft_desc desc = VD_FFT_DESC_INIT;
  desc.rank = 2;
  desc.shape[0] = 4;
  desc.shape[1] = 32;
  Plan plan;
  NEED(vd_plan_create_fft(ctx, &desc, plan.out()));
  Buffer buffer;
  const Words zeros{};
  make(ctx, buffer, &zeros);
  const vd_binding binding = VD_BINDING_OF(buffer, 0, VD_WHOLE_SIZE);
  vd_launch_desc launch = VD_LAUNCH_DESC_INIT;
  launch.bindings = &binding;
  launch.binding_count = 1;
  NEED(vd_plan_launch(plan, &launch, nullptr));
  expect(buffer, zeros);
}

// Candidates are compiled and run; compilers of drivers take too long for that.
void tune_part(vd_context* ctx) {
  vd_device_info info = VD_DEVICE_INFO_INIT;
  NEED(vd_context_get_device(ctx, 0, &info));
  if (info.backend != VD_BACKEND_HOST) return;
  vd_fft_desc desc = VD_FFT_DESC_INIT;
  desc.rank = 1;
  desc.shape[0] = 12;
  desc.tune = VD_FFT_TUNE_BEST;
  Plan plan;
  NEED(vd_plan_create_fft(ctx, &desc, plan.out()));
}

void reduction_part(vd_context* ctx) {
  vd_reduce_desc desc = VD_REDUCE_DESC_INIT;
  desc.rank = 1;
  desc.shape[0] = kWords;
  desc.compute_type = VD_TYPE_U32;
  Plan plan;
  NEED(vd_plan_create_reduce(ctx, &desc, plan.out()));
  Buffer buffer, sum;
  const Words data = counting(0);
  make(ctx, buffer, &data);
  make(ctx, sum);
  const vd_binding bindings[] = {VD_BINDING_OF(sum, 0, 4), VD_BINDING_OF(buffer, 0, VD_WHOLE_SIZE)};
  vd_launch_desc launch = VD_LAUNCH_DESC_INIT;
  launch.bindings = bindings;
  launch.binding_count = 2;
  NEED(vd_plan_launch(plan, &launch, nullptr));
  uint32_t got = 0;
  NEED(vd_buffer_read(sum, 0, 4, 0, &got));
  if (got != kWords * (kWords - 1) / 2) complain("the sum is {}", got);
}

void semaphore_part(vd_context* ctx) {
  Buffer buffer;
  make(ctx, buffer);
  Semaphore semaphore;
  const vd_status status = vd_semaphore_create(ctx, nullptr, semaphore.out());
  if (status == VD_ERR_UNSUPPORTED) return;
  need(status, "vd_semaphore_create");
  const vd_semaphore_point one{semaphore, 1, 0}, two{semaphore, 2, 0};
  vd_order_desc order = VD_ORDER_DESC_INIT;
  order.wait_semaphores = &one;
  order.wait_semaphore_count = 1;
  order.signal_semaphores = &two;
  order.signal_semaphore_count = 1;
  NEED(vd_semaphore_signal(semaphore, 1));
  NEED(vd_buffer_fill(buffer, 0, kSize, 9, 0, &order, nullptr));
  NEED(vd_semaphore_wait(semaphore, 2, VD_WAIT_FOREVER));
}

void import_part(vd_context* ctx) {
  struct Pages {
    void* bytes = std::aligned_alloc(4096, 4096);
    ~Pages() { std::free(bytes); }
  } pages;
  std::atomic<int> released{0};
  vd_buffer_import_desc desc = VD_BUFFER_IMPORT_DESC_INIT;
  desc.kind = VD_MEMORY_KIND_HOST;
  desc.handle = reinterpret_cast<uint64_t>(pages.bytes);
  desc.size = 4096;
  desc.release = [](void* user) { ++*static_cast<std::atomic<int>*>(user); };
  desc.user = &released;
  vd_buffer* buffer = nullptr;
  const vd_status status = vd_buffer_import(ctx, &desc, &buffer);
  if (status == VD_ERR_UNSUPPORTED) return;
  need(status, "vd_buffer_import");
  const vd_status filled = vd_buffer_fill(buffer, 0, 4096, 1, 0, nullptr, nullptr);
  const vd_status waited = vd_context_wait_idle(ctx, 0, VD_WAIT_FOREVER);
  vd_buffer_release(buffer);
  while (released == 0) std::this_thread::yield();
  need(filled, "vd_buffer_fill");
  need(waited, "vd_context_wait_idle");
}

struct Part {
  const char* name;
  void (*run)(vd_context*);
};
constexpr Part kParts[] = {
    {"kernel", kernel_part},         {"plan", plan_part},           {"transfers", transfers_part},
    {"completion", completion_part}, {"launch", launch_part},       {"graph", graph_part},
    {"image", image_part},           {"image_map", image_map_part}, {"profile", profile_part},
    {"import", import_part},         {"semaphore", semaphore_part}, {"transform", transform_part},
    {"reduction", reduction_part},   {"tune", tune_part},
};

bool attempt(const std::function<void()>& body) {
  try {
    body();
    return true;
  } catch (const Stop&) {
    return false;
  }
}

// Runs with a later allocation that fails each time, until none does. In the short form more and more are left out.
void each_allocation(
    const char* name, const std::function<void()>& run, const std::function<void()>& after = [] {}) {
  std::snprintf(g_place, sizeof(g_place), "%s, nothing fails", name);
  if (!attempt(run)) complain("the part fails without a failing allocation");
  uint64_t n = 1, runs = 0;
  for (;; ++runs) {
    std::snprintf(g_place, sizeof(g_place), "%s, allocation %llu", name, static_cast<unsigned long long>(n));
    allocations::fail(n);
    const bool done = attempt(run);
    const bool failed = allocations::failed();
    if (!failed && !done) complain("it stopped without a failing allocation");
    if (!failed) break;
    if (!attempt(after)) complain("what came after it failed");
    n += vd::test::full_form() || n < 50 ? 1 : 1 + n / 12;
  }
  std::printf("%s: %llu allocations, %llu runs\n", name, static_cast<unsigned long long>(n - 1),
              static_cast<unsigned long long>(runs));
  std::fflush(stdout);
}

vd_backend backend_of(std::string_view name) {
  return name == "vulkan"   ? VD_BACKEND_VULKAN
         : name == "cuda"   ? VD_BACKEND_CUDA
         : name == "opencl" ? VD_BACKEND_OPENCL
                            : VD_BACKEND_HOST;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const vd_backend backend = backend_of(argv[1]);
  const std::string_view only = argc > 2 ? argv[2] : "";
  std::set_terminate([] {
    std::printf("%s: std::terminate\n", g_place);
    std::fflush(stdout);
    std::abort();
  });
  {
    Context ctx;
    if (const vd_status status = open(backend, ctx); status != VD_OK) {
      std::printf("%s\n", vd_last_error());
      return status == VD_ERR_UNAVAILABLE ? 77 : 1;
    }
    vd_device_info info = VD_DEVICE_INFO_INIT;
    if (vd_context_get_device(ctx, 0, &info) != VD_OK) return 1;
    g_other = info.queue_count > 1 ? 1 : 0;
  }
  {
    Context ctx;
    if (!attempt([&] { open_part(backend, ctx); })) return 1;
    attempt([&] { launch_part(ctx); });  // drivers load what they need
  }
  if (!allocations::watch("libvkdispatch")) {
    std::printf("libvkdispatch is not loaded as a shared library\n");
    return 1;
  }
  if (only.empty() || only == "open")
    each_allocation("open", [&] {
      Context ctx;
      open_part(backend, ctx);
    });
  for (const Part& part : kParts) {
    if (!only.empty() && only != part.name) continue;
    Context ctx;
    const auto open = [&] { open_part(backend, ctx); };
    if (!attempt(open)) return 1;
    each_allocation(
        part.name, [&] { part.run(ctx); },
        [&] {
          vd_context_wait_idle(ctx, VD_QUEUE_ALL, VD_WAIT_FOREVER);  // what failed is no news to later work
          part.run(ctx);
          launch_part(ctx);
        });
    if (vd_context_wait_idle(ctx, VD_QUEUE_ALL, VD_WAIT_FOREVER) != VD_OK) complain("{}", vd_last_error());
  }
  if (only.empty() || only == "changes") {
    Context ctx;
    Kept kept;
    if (!attempt([&] {
          open_part(backend, ctx);
          make_kept(ctx, kept);
        }))
      return 1;
    each_allocation(
        "changes", [&] { run_kept(ctx, kept); },
        [&] {
          vd_context_wait_idle(ctx, VD_QUEUE_ALL, VD_WAIT_FOREVER);
          run_kept(ctx, kept);
        });
  }
  std::snprintf(g_place, sizeof(g_place), "the end");
  for (int i = 0; i < 10000 && vd_live_objects() != 0; ++i) usleep(1000);
  if (vd_live_objects() != 0) complain("{} objects are alive", vd_live_objects());
  return g_wrong ? 1 : 0;
}
