// Sequences of API calls, with handles of every kind in every state: every call returns a status, and no object is left
// when all handles are released. The input is read as a program: a byte chooses a call, the next ones its arguments.
// Handles are in small pools, whose empty places give NULL.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <type_traits>
#include <vector>

#include "fuzz/input.h"
#include "support/argument.h"
#include "vkdispatch.h"

namespace {

constexpr size_t kSlots = 4;
constexpr uint64_t kMaxBuffer = 1 << 14;

struct Numbers : Input {
  // Mostly small, sometimes anything at all.
  uint64_t number() {
    const uint8_t kind = byte();
    if (kind < 200) return word() % (2 * kMaxBuffer);
    if (kind < 240) return kind - 200u;
    uint64_t n = 0;
    for (int i = 0; i < 8; ++i) n = n << 8 | byte();
    return n;
  }
};

// Sticky failures, for one that some kernel broke a rule, are answers too; anything that is no status is a bug.
void check(vd_status status) {
  if (std::strcmp(vd_status_name(status), "VD_STATUS_UNKNOWN") == 0 || status == VD_ERR_INTERNAL ||
      (status < 0 && vd_last_error()[0] == '\0')) {
    std::fprintf(stderr, "status %d: %s\n", static_cast<int>(status), vd_last_error());
    std::abort();
  }
}

struct Program {
  Numbers in;
  vd_context* contexts[kSlots] = {};
  vd_buffer* buffers[kSlots] = {};
  vd_builder* builders[kSlots] = {};
  vd_kernel* kernels[kSlots] = {};
  vd_plan* plans[kSlots] = {};
  vd_graph* graphs[kSlots] = {};
  vd_fft_gen* ffts[kSlots] = {};
  vd_reduce_gen* reductions[kSlots] = {};
  vd_fft_block* blocks[kSlots] = {};
  vd_ticket tickets[kSlots] = {};
  std::vector<vd_value> values[kSlots];  // of each builder
  std::vector<uint8_t> bytes = std::vector<uint8_t>(2 * kMaxBuffer);

  template <class T>
  T*& slot(T* (&pool)[kSlots]) {
    return pool[in.below(kSlots)];
  }
  // A queue that there may be.
  uint32_t queue() {
    const uint8_t n = in.byte();
    return n < 250 ? n % 3 : VD_QUEUE_ALL;
  }

  void context() {
    vd_context*& place = slot(contexts);
    vd_context_release(place);
    vd_context_desc desc = VD_CONTEXT_DESC_INIT;
    desc.backend = in.below(8) == 7 ? VD_BACKEND_DUMMY : VD_BACKEND_HOST;
    desc.flags = VD_CONTEXT_CHECKED | VD_CONTEXT_NO_CACHE;  // unchecked kernels may write where they like
    const uint32_t queue_count = 1 + in.below(2);
    desc.device_count = 1;
    desc.queue_counts = &queue_count;
    desc.thread_count = 1 + in.below(2);
    desc.watchdog_ns = 20000000;
    check(vd_context_create(&desc, &place));
  }

  void buffer() {
    vd_context* ctx = slot(contexts);
    vd_buffer*& place = slot(buffers);
    vd_buffer_release(place);
    vd_buffer_desc desc = VD_BUFFER_DESC_INIT;
    desc.size = in.empty() ? 4096 : std::min(in.number(), kMaxBuffer);
    desc.flags = in.below(16);
    desc.shape[0] = in.byte();
    desc.label = in.below(2) == 0 ? "fuzz" : nullptr;
    desc.data = in.below(2) == 0 ? bytes.data() : nullptr;
    check(vd_buffer_create(ctx, &desc, &place));
  }

  void slice() {
    vd_buffer* from = slot(buffers);
    vd_buffer*& place = slot(buffers);
    vd_buffer* part = nullptr;
    check(vd_buffer_slice(from, in.number(), in.number(), &part));
    vd_buffer_release(place);
    place = part;
  }

  void transfer() {
    vd_buffer* b = slot(buffers);
    const uint64_t offset = in.number(), size = in.number();
    switch (in.below(5)) {
      case 0:
        return check(vd_buffer_write(b, offset, bytes.data(), size, queue()));
      case 1:
        return check(vd_buffer_read(b, offset, size, queue(), bytes.data()));
      case 2:
        return check(
            vd_buffer_copy(b, offset, slot(buffers), in.number(), size, queue(), nullptr, &tickets[in.below(kSlots)]));
      case 3:
        return check(vd_buffer_fill(b, offset, size, in.word(), queue(), nullptr, &tickets[in.below(kSlots)]));
      default: {
        vd_buffer_info info = VD_BUFFER_INFO_INIT;
        info.struct_size = in.below(4) == 0 ? in.word() % sizeof(info) : sizeof(info);
        return check(vd_buffer_get_info(b, &info));
      }
    }
  }

  void builder() {
    const uint32_t i = in.below(kSlots);
    vd_builder_release(builders[i]);
    vd_builder_desc desc = VD_BUILDER_DESC_INIT;
    desc.flags = in.below(2) == 0 ? 0 : in.byte() & 0x7F;
    desc.workgroup_size[0] = in.below(4) == 0 ? in.byte() : 0;
    desc.return_type = in.below(4) == 0 ? VD_TYPE_F32 : VD_TYPE_NONE;
    check(vd_builder_create(&desc, &builders[i]));
    values[i].assign(1, 0);
  }

  vd_type type() {
    static constexpr vd_type kTypes[] = {VD_TYPE_NONE, VD_TYPE_BOOL,  VD_TYPE_I32,   VD_TYPE_U32,         VD_TYPE_F32,
                                         VD_TYPE_F64,  VD_TYPE_F32X3, VD_TYPE_U32X4, VD_TYPE_COMPLEX_F32, VD_TYPE_F32M2,
                                         VD_TYPE_I64,  VD_TYPE_F16,   VD_TYPE_U8};
    const uint8_t n = in.byte();
    return n < 240 ? kTypes[n % std::size(kTypes)] : static_cast<vd_type>(in.word()) << in.below(17);
  }

  void emit() {
    static const std::vector<vd_op> ops = [] {
      uint32_t count = 0;
      check(vd_op_list(0, nullptr, &count));
      std::vector<vd_op> list(count);
      check(vd_op_list(count, list.data(), &count));
      return list;
    }();
    const uint32_t i = in.below(kSlots);
    std::vector<vd_value>& known = values[i];
    if (known.empty()) known.push_back(0);
    vd_value value = 0;
    switch (in.below(8)) {
      case 0:
        check(declare_argument(builders[i], static_cast<vd_argument_kind>(in.below(7)), type(), "a", &value));
        break;
      case 1:
        check(vd_builder_shared(builders[i], type(), in.byte(), in.below(2) == 0 ? VD_SHARED_OFFSET_AUTO : in.byte(),
                                "s", &value));
        break;
      case 2: {
        vd_kernel* function = slot(kernels);
        vd_value operands[3];
        for (vd_value& operand : operands) operand = known[in.byte() % known.size()];
        check(vd_builder_call(builders[i], function, operands, in.below(4), 0, &value));
        break;
      }
      default: {
        const vd_op op = in.below(32) == 0 ? static_cast<vd_op>(in.word()) : ops[in.word() % ops.size()];
        vd_value operands[4];
        for (vd_value& operand : operands) {
          // Mostly what was made last, so that chains grow.
          operand = in.below(2) == 0 ? known[known.size() - 1 - in.byte() % std::min<size_t>(known.size(), 6)]
                                     : known[in.byte() % known.size()];
        }
        const uint64_t immediate = in.below(3) == 0 ? in.number() : in.below(12);
        check(vd_builder_emit(builders[i], op, type(), operands, in.below(5), immediate, 0, &value));
      }
    }
    if (value != 0 && known.size() < 200) known.push_back(value);
  }

  void finish() {
    const uint32_t i = in.below(kSlots);
    vd_kernel* made = nullptr;
    check(vd_builder_finish(builders[i], &made));
    vd_kernel*& place = slot(kernels);
    if (made == nullptr) return;
    vd_kernel_release(place);
    place = made;
  }

  void print() {
    vd_kernel* kernel = slot(kernels);
    vd_print_desc desc = VD_PRINT_DESC_INIT;
    desc.language = static_cast<vd_language>(in.below(4));
    desc.flags = in.below(8);
    desc.workgroup_size[0] = in.byte();
    vd_blob* text = nullptr;
    check(vd_kernel_print(kernel, &desc, &text));
    // Text printed as IR can be read back, except with line numbers.
    if (text != nullptr && desc.language == VD_LANGUAGE_IR && (desc.flags & VD_PRINT_LINE_NUMBERS) == 0) {
      uint64_t size = 0;
      const char* data = static_cast<const char*>(vd_blob_data(text, &size));
      vd_kernel* parsed = nullptr;
      if (vd_kernel_parse(data, size, &parsed) != VD_OK) {
        std::fprintf(stderr, "%s\n%s\n", vd_last_error(), data);
        std::abort();
      }
      vd_kernel_release(parsed);
    }
    vd_blob_release(text);
    vd_kernel_info info = VD_KERNEL_INFO_INIT;
    check(vd_kernel_get_info(kernel, &info));
    vd_argument_info argument = VD_ARGUMENT_INFO_INIT;
    check(vd_kernel_get_argument(kernel, in.below(4), &argument));
  }

  // mix(dst, src, c): a kernel that fits most launches below.
  void ready_kernel() {
    static const char kText[] =
        "kernel \"mix\"\nargument 0 buffer u32 \"dst\"\nargument 1 buffer u32 \"src\"\nargument 2 constant u32 "
        "\"c\"\n{\n"
        "  %0: u32 = index global_id, u32 0\n  %1: storage u32 = index @0, %0\n  %2: storage u32 = index @1, %0\n"
        "  %3: u32 = load %2\n  %4: u32 = load @2\n  %5: u32 = add %3, %4\n  store %1, %5\n}\n";
    vd_kernel*& place = slot(kernels);
    vd_kernel_release(place);
    check(vd_kernel_parse(kText, sizeof(kText) - 1, &place));
  }

  void plan() {
    vd_context* ctx = slot(contexts);
    vd_plan*& place = slot(plans);
    vd_plan_release(place);
    vd_plan_desc desc = VD_PLAN_DESC_INIT;
    desc.kernel = slot(kernels);
    desc.workgroup_size[0] = in.below(2) == 0 ? 0 : in.byte();
    desc.device = in.below(16) == 0 ? 1 : 0;
    if (in.below(4) == 0) {
      vd_plan* two[2] = {};
      const vd_plan_desc descs[2] = {desc, desc};
      check(vd_plan_create_many(ctx, descs, 2, two));
      place = two[0];
      vd_plan_release(two[1]);
    } else {
      check(vd_plan_create(ctx, &desc, &place));
    }
    vd_plan_info info = VD_PLAN_INFO_INIT;
    check(vd_plan_get_info(place, &info));
  }

  void launch() {
    vd_plan* plan = slot(plans);
    vd_binding bindings[3];
    vd_buffer* whole[3];
    for (int i = 0; i < 3; ++i) {
      bindings[i] =
          VD_BINDING_OF(slot(buffers), in.below(2) == 0 ? 0 : in.number(), in.below(2) == 0 ? 0 : in.number());
      whole[i] = bindings[i].buffer;
    }
    const uint32_t count = in.below(8) == 0 ? in.below(4) : 2, values_size = in.below(8) == 0 ? in.byte() : 4;
    const uint32_t invocations = in.byte();
    if (in.below(2) == 0) {
      vd_graph* graph = in.below(2) == 0 ? slot(graphs) : nullptr;
      check(vd_plan_try_launch(plan, graph, queue(), invocations, in.below(3), in.below(3), whole, count, bytes.data(),
                               values_size));
      return;
    }
    vd_launch_desc desc = VD_LAUNCH_DESC_INIT;
    desc.queue = queue();
    (in.below(2) == 0 ? desc.invocations : desc.workgroups)[0] = invocations;
    desc.bindings = bindings;
    desc.binding_count = count;
    desc.values = bytes.data();
    desc.values_size = values_size;
    if (in.below(2) == 0) {
      check(vd_plan_launch(plan, &desc, &tickets[in.below(kSlots)]));
    } else {
      uint32_t node = 0;
      check(vd_graph_launch(slot(graphs), plan, &desc, &node));
    }
  }

  void graph() {
    switch (in.below(7)) {
      case 0: {
        vd_context* ctx = slot(contexts);
        vd_graph*& place = slot(graphs);
        vd_graph_release(place);
        return check(vd_graph_create(ctx, nullptr, &place));
      }
      case 1:
        return check(
            vd_graph_copy(slot(graphs), slot(buffers), in.number(), slot(buffers), in.number(), in.number(), nullptr));
      case 2:
        return check(vd_graph_fill(slot(graphs), slot(buffers), in.number() & ~3ull, in.number() & ~3ull, 1, nullptr));
      case 3:
        return check(vd_graph_reset(slot(graphs)));
      case 4: {
        vd_graph_info info = VD_GRAPH_INFO_INIT;
        return check(vd_graph_get_info(slot(graphs), &info));
      }
      default: {
        vd_submit_desc desc = VD_SUBMIT_DESC_INIT;
        desc.queue = queue();
        desc.repeat = in.below(4);
        vd_order_desc order = VD_ORDER_DESC_INIT;
        order.waits = tickets;
        order.wait_count = in.below(kSlots + 1);
        desc.order = &order;
        return check(vd_graph_submit(slot(graphs), &desc, &tickets[in.below(kSlots)]));
      }
    }
  }

  // Mostly the first place, so that one object is made, used and completed before its place is taken.
  template <class T>
  T*& near(T* (&pool)[kSlots]) {
    const uint8_t n = in.byte();
    return pool[n < 200 ? 0 : n % kSlots];
  }
  // Mostly lengths of which there are several kinds; one of them may be long.
  void lengths(uint64_t (&shape)[VD_MAX_DIMS], uint32_t rank) {
    for (uint32_t i = 0; i < rank; ++i) shape[i] = 1 + in.below(in.below(4) == 0 ? 64 : 9);
    if (rank < 3 && in.below(16) == 0) shape[in.below(rank)] = in.number() % 3000;
  }
  // Strides get small numbers, which may be negative; the rest keeps its value.
  template <class T>
  void sometimes(T (&numbers)[VD_MAX_DIMS], uint32_t rank) {
    if (in.below(6) != 0) return;
    const int least = std::is_signed_v<T> && in.below(4) == 0 ? -20 : 0;
    for (uint32_t i = 0; i < rank; ++i) numbers[i] = static_cast<T>(static_cast<int>(in.below(40)) + least);
  }

  void axes(int32_t (&axes)[VD_MAX_DIMS], uint32_t& count, uint32_t rank, bool wild) {
    if (in.below(3) != 0) return;
    const uint32_t first = in.byte();
    count = wild ? in.below(rank + 2) : in.below(rank) + 1;
    for (uint32_t i = 0; i < rank; ++i) {
      axes[i] = static_cast<int32_t>(wild ? in.below(2 * rank + 1) : (first + i) % rank) -
                (wild || first > 128 ? static_cast<int32_t>(rank) : 0);
    }
  }
  vd_builder_flags builder_flags(bool wild) {
    static constexpr vd_builder_flags kFlags[] = {0, VD_BUILDER_BY_VALUE, VD_BUILDER_NO_SUBGROUP, VD_BUILDER_PRECISE};
    return wild ? in.byte() : kFlags[in.below(4)];
  }
  void keep(vd_plan* made) {
    if (made == nullptr) return;
    vd_plan*& place = slot(plans);
    vd_plan_release(place);
    place = made;
  }

  void begin_fft() {
    vd_context* ctx = near(contexts);
    vd_fft_gen*& place = near(ffts);
    const bool wild = in.below(8) == 0;  // else what is mostly taken, so that writing goes on
    vd_fft_desc desc = VD_FFT_DESC_INIT;
    desc.kind = static_cast<vd_fft_kind>(in.below(wild ? 5 : 3));
    desc.direction = static_cast<vd_fft_direction>(in.below(wild ? 3 : 2));
    desc.flags = in.byte();
    const bool convolve = (desc.flags & VD_FFT_CONVOLVE) != 0 && desc.kind != VD_FFT_KIND_C2R;
    constexpr uint32_t kKernel = VD_FFT_CONVOLVE | VD_FFT_CONJUGATE | VD_FFT_SHARED_FILTER | VD_FFT_MAP_FILTER;
    if (!wild && !convolve) desc.flags &= ~kKernel;
    if (!wild && (desc.flags & (VD_FFT_MAP_OUTPUT | VD_FFT_MAP_INPUT)) == VD_FFT_MAP_OUTPUT)
      desc.flags |= VD_FFT_OUT_OF_PLACE;
    desc.norm = static_cast<vd_fft_norm>(in.below(wild ? 6 : 4));
    desc.rank = 1 + in.below(wild ? 10 : 3);
    const uint32_t rank = std::min<uint32_t>(desc.rank, VD_MAX_DIMS);
    lengths(desc.shape, std::min(rank, 3u));
    axes(desc.axes, desc.axis_count, rank, wild);
    sometimes(desc.in_strides, rank), sometimes(desc.out_strides, rank);
    const uint32_t ranged = wild ? rank : desc.axis_count == 0 ? 0 : 1;
    sometimes(desc.in_low, ranged), sometimes(desc.in_high, ranged);
    sometimes(desc.out_low, ranged), sometimes(desc.out_high, ranged);
    if (in.below(6) == 0) desc.in_offset = in.number(), desc.out_offset = in.number();
    if (wild || convolve) {
      sometimes(desc.filter_strides, rank);
      desc.filter_count = in.below(4);
      if (in.below(6) == 0) desc.filter_offset = in.number(), desc.filter_type = type();
    }
    if (wild) desc.in_type = type(), desc.out_type = type(), desc.compute_type = type(), desc.max_registers = in.byte();
    desc.builder_flags = builder_flags(wild);
    desc.scale = in.below(4) == 0 ? in.byte() : 0;
    if (in.below(8) == 0) {  // without a generator
      if (!wild) desc.flags &= ~uint32_t{VD_FFT_MAP_OUTPUT | VD_FFT_MAP_INPUT | VD_FFT_MAP_FILTER};
      vd_plan* made = nullptr;
      check(vd_plan_create_fft(ctx, &desc, &made));
      return keep(made);
    }
    vd_fft_gen* made = nullptr;
    check(vd_fft_gen_create(ctx, &desc, &made));
    if (made == nullptr) return;
    vd_fft_gen_release(place);
    place = made;
  }

  void begin_reduction() {
    vd_context* ctx = near(contexts);
    vd_reduce_gen*& place = near(reductions);
    const bool wild = in.below(8) == 0;
    vd_reduce_desc desc = VD_REDUCE_DESC_INIT;
    desc.op = static_cast<vd_reduce_op>(in.below(wild ? 12 : 8));
    desc.flags = in.below(wild ? 8 : 4);
    desc.rank = 1 + in.below(wild ? 10 : 3);
    const uint32_t rank = std::min<uint32_t>(desc.rank, VD_MAX_DIMS);
    lengths(desc.shape, std::min(rank, 3u));
    axes(desc.axes, desc.axis_count, rank, wild);
    sometimes(desc.in_strides, rank), sometimes(desc.out_strides, rank);
    if (in.below(6) == 0) desc.in_offset = in.number(), desc.out_offset = in.number();
    if (wild) desc.in_type = type(), desc.out_type = type(), desc.compute_type = type();
    if (!wild && desc.op >= VD_REDUCE_OP_AND) desc.compute_type = VD_TYPE_U32;
    if (desc.op == VD_REDUCE_OP_CUSTOM && in.below(8) != 0) {
      desc.identity = bytes.data();
      desc.identity_size = in.below(8) == 0 ? in.byte() : 4;
    }
    if (in.below(3) == 0) desc.workgroup_size = wild ? in.word() : in.byte();
    desc.builder_flags = builder_flags(wild);
    if (in.below(8) == 0) {
      vd_plan* made = nullptr;
      check(vd_plan_create_reduce(ctx, &desc, &made));
      return keep(made);
    }
    vd_reduce_gen* made = nullptr;
    check(vd_reduce_gen_create(ctx, &desc, &made));
    if (made == nullptr) return;
    vd_reduce_gen_release(place);
    place = made;
  }

  // Values that a generator hands out go into a pool, whose entries are written at random, even when they are stale.
  void hand_out(vd_builder* made, std::initializer_list<vd_value> given) {
    if (made == nullptr) return;
    const uint32_t i = in.below(kSlots);
    vd_builder_release(builders[i]);
    builders[i] = made;
    std::vector<vd_value>& known = values[i];
    if (known.empty() || known.size() > 100 || in.below(4) == 0) known.assign(1, 0);
    for (const vd_value value : given)
      if (value != 0) known.push_back(value);
  }
  vd_value any_value() {
    const std::vector<vd_value>& known = values[in.below(kSlots)];
    return known.empty() || in.below(4) == 0 ? 0 : known[in.byte() % known.size()];
  }
  // Emulates a map, so that some generators are completed: declares an argument where the generator has one.
  void declare(vd_builder* builder, vd_type of) {
    vd_value argument = 0;
    if (in.below(8) == 0) return;
    check(declare_argument(builder, VD_ARGUMENT_BUFFER, in.below(8) == 0 ? type() : of, "a", &argument));
    const uint32_t i = in.below(kSlots);
    if (argument != 0 && values[i].size() < 200) values[i].push_back(argument);
  }

  void go_on_with_fft() {
    vd_fft_gen* gen = near(ffts);
    switch (in.below(8)) {
      case 0: {
        vd_plan* made = nullptr;
        check(vd_fft_gen_finish(gen, &made));  // mostly too early
        return keep(made);
      }
      case 1:
        return check(vd_fft_gen_read(gen, any_value(), any_value(), any_value()));
      case 2:
        return check(vd_fft_gen_write(gen, any_value(), any_value(), any_value()));
      default:
        break;
    }
    // Several, as callers do, without a look at what is asked for.
    for (uint32_t left = 1 + in.below(20); left != 0; --left) {
      vd_fft_element element = VD_FFT_ELEMENT_INIT;
      if (in.below(32) == 0) element.struct_size = in.byte() % sizeof(element);
      vd_builder* builder = nullptr;
      check(vd_fft_gen_next(gen, &element, &builder));
      if (builder == nullptr) return;
      if (element.point == VD_FFT_POINT_ARGUMENTS) declare(builder, VD_TYPE_COMPLEX_F32);
      hand_out(builder, {element.position, element.index, element.value});
    }
  }

  void go_on_with_reduction() {
    vd_reduce_gen* gen = near(reductions);
    if (in.below(6) == 0) {
      vd_plan* made = nullptr;
      check(vd_reduce_gen_finish(gen, &made));
      return keep(made);
    }
    for (uint32_t left = 1 + in.below(20); left != 0; --left) {
      vd_reduce_element element = VD_REDUCE_ELEMENT_INIT;
      if (in.below(32) == 0) element.struct_size = in.byte() % sizeof(element);
      vd_builder* builder = nullptr;
      check(vd_reduce_gen_next(gen, &element, &builder));
      if (builder == nullptr) return;
      if (element.point == VD_REDUCE_POINT_ARGUMENTS) declare(builder, VD_TYPE_F32);
      hand_out(builder, {element.index, element.left, element.right, element.value});
    }
  }

  void generator() {
    switch (in.below(6)) {
      case 0:
        return begin_fft();
      case 1:
        return begin_reduction();
      case 2:
      case 3:
        return go_on_with_fft();
      default:
        return go_on_with_reduction();
    }
  }

  void begin_block() {
    const uint32_t i = in.byte() < 200 ? 0 : in.below(kSlots);
    if (builders[i] == nullptr || in.below(4) == 0) {
      vd_builder_release(builders[i]);
      check(vd_builder_create(nullptr, &builders[i]));
      values[i].assign(1, 0);
    }
    vd_fft_block*& place = near(blocks);
    vd_fft_block_desc desc = VD_FFT_BLOCK_DESC_INIT;
    vd_device_info device = VD_DEVICE_INFO_INIT;
    desc.size = in.below(8) == 0 ? in.number() : 1 + in.below(100);
    desc.outer_count = in.below(4), desc.inner_count = in.below(4);
    if (in.below(4) == 0) desc.max_registers = in.byte(), desc.max_lines = in.byte();
    if (in.below(8) == 0) {
      desc.max_invocations = in.word(), desc.max_shared_size = in.word(), desc.compute_type = type();
      device.backend = static_cast<vd_backend>(in.below(8));
      device.max_workgroup_invocations = device.max_workgroup_size[0] = in.word();
      desc.device = &device;
    }
    vd_fft_block* made = nullptr;
    check(vd_fft_block_create(builders[i], &desc, &made));
    if (made == nullptr) return;
    vd_fft_block_release(place);
    place = made;
    vd_fft_block_assignment at = VD_FFT_BLOCK_ASSIGNMENT_INIT;
    check(vd_fft_block_get_assignment(made, &at));
    for (const vd_value value : {at.invocation, at.line, at.outer, at.inner, at.first, at.exists})
      if (value != 0 && values[i].size() < 200) values[i].push_back(value);
  }

  void go_on_with_block() {
    vd_fft_block* block = near(blocks);
    const auto order = static_cast<int32_t>(in.below(12)) - 6;
    vd_value reference = 0;
    switch (in.below(12)) {
      case 0:
        return check(vd_fft_block_execute(block, static_cast<vd_fft_direction>(in.below(16) == 0 ? 2 : in.below(2))));
      case 1:
        return check(vd_fft_block_normalize(block));
      case 2:
        return check(vd_fft_block_reorder(block, order));
      case 3:
        return check(vd_fft_block_set_order(block, order));
      case 4:
        return check(vd_fft_block_to_shared(block));
      case 5:
        return check(vd_fft_block_from_shared(block, order));
      case 6:
        return check(vd_fft_block_shared(block, any_value(), &reference));
      case 7:
        return check(vd_fft_block_sync_shared(block, static_cast<vd_fft_access>(in.below(4))));
      case 8:
        return check(vd_fft_block_end(block));
      case 9: {
        vd_value registers[64] = {};
        uint32_t count = 0;
        check(vd_fft_block_get_registers(block, 64, registers, &count));
        if (in.below(4) == 0) registers[in.below(64)] = any_value();
        return check(vd_fft_block_set_registers(block, registers, std::min(count, 64u)));
      }
      default:
        for (uint32_t left = 1 + in.below(20); left != 0; --left) {
          vd_fft_block_element element = VD_FFT_BLOCK_ELEMENT_INIT;
          check(vd_fft_block_next(block, static_cast<vd_fft_access>(in.below(32) == 0 ? in.byte() : 0), &element));
          if (in.below(4) == 0) emit();
        }
    }
  }

  void wait() {
    vd_context* ctx = slot(contexts);
    if (in.below(2) == 0) return check(vd_context_wait_idle(ctx, queue(), in.below(2) == 0 ? 0 : VD_WAIT_FOREVER));
    check(vd_ticket_wait(ctx, tickets[in.below(kSlots)] + (in.below(16) == 0 ? 1 : 0),
                         in.below(2) == 0 ? 0 : VD_WAIT_FOREVER));
  }

  void let_go() {
    const uint32_t i = in.below(kSlots);
    switch (in.below(10)) {
      case 0:
        vd_context_release(contexts[i]), contexts[i] = nullptr;
        break;
      case 1:
        vd_buffer_release(buffers[i]), buffers[i] = nullptr;
        break;
      case 2:
        vd_builder_release(builders[i]), builders[i] = nullptr, values[i].clear();
        break;
      case 3:
        vd_kernel_release(kernels[i]), kernels[i] = nullptr;
        break;
      case 4:
        vd_plan_release(plans[i]), plans[i] = nullptr;
        break;
      case 5:
        vd_graph_release(graphs[i]), graphs[i] = nullptr;
        break;
      case 6:
        vd_fft_gen_release(ffts[i]), ffts[i] = nullptr;
        break;
      case 7:
        vd_reduce_gen_release(reductions[i]), reductions[i] = nullptr;
        break;
      case 8:
        vd_fft_block_release(blocks[i]), blocks[i] = nullptr;
        break;
      default:
        check(vd_buffer_discard(buffers[i]));
        break;
    }
  }

  void run() {
    // Something to work with, so that short inputs reach deep.
    contexts[0] = nullptr;
    Numbers empty{{nullptr, nullptr}};
    std::swap(in, empty);
    context(), buffer(), ready_kernel(), plan();
    std::swap(in, empty);
    for (int steps = 0; !in.empty() && steps < 300; ++steps) {
      const uint8_t chosen = in.byte();
      if (chosen >= 236) {
        in.below(6) == 0 ? begin_block() : go_on_with_block();
        continue;
      }
      if (chosen >= 208) {
        generator();
        continue;
      }
      switch (chosen % 16) {
        case 0:
          context();
          break;
        case 1:
        case 2:
          buffer();
          break;
        case 3:
          slice();
          break;
        case 4:
          transfer();
          break;
        case 5:
          builder();
          break;
        case 6:
        case 7:
        case 8:
          emit();
          break;
        case 9:
          finish();
          break;
        case 10:
          print();
          break;
        case 11:
          in.below(2) == 0 ? ready_kernel() : plan();
          break;
        case 12:
          launch();
          break;
        case 13:
          graph();
          break;
        case 14:
          wait();
          break;
        default:
          let_go();
      }
    }
    for (size_t i = 0; i < kSlots; ++i) {
      vd_context_release(contexts[i]);
      vd_buffer_release(buffers[i]);
      vd_builder_release(builders[i]);
      vd_kernel_release(kernels[i]);
      vd_plan_release(plans[i]);
      vd_graph_release(graphs[i]);
      vd_fft_gen_release(ffts[i]);
      vd_reduce_gen_release(reductions[i]);
      vd_fft_block_release(blocks[i]);
    }
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  vd_log_set_level(VD_LOG_OFF);
  Program program;
  program.in = {{data, data + size}};
  program.run();
  if (vd_live_objects() != 0) {
    std::fprintf(stderr, "%llu objects were left\n", static_cast<unsigned long long>(vd_live_objects()));
    std::abort();
  }
  return 0;
}
