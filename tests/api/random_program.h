// The state that a random program works on, and the same on the host: memory as bytes, buffers that are parts of it, and operations that
// are submitted, recorded and computed here.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "api/support.h"

namespace api::random {

using Bytes = std::vector<uint8_t>;

constexpr uint32_t kLocal = 8;        // workgroup of the kernels
constexpr uint32_t kSummed = 512;     // words of a reduction
constexpr uint32_t kTexels = 24 * 5;  // of a picture

// The bytes that buffers share, as they are after all that was submitted so far.
struct Memory {
  Bytes bytes;
  bool discarded = false;
  // Memory of the program's, of which the device's bytes are an alias.
  struct Free {
    void operator()(std::byte* p) const { ::operator delete(p, std::align_val_t{4096}); }
  };
  std::unique_ptr<std::byte, Free> theirs;
  std::atomic<int> imports{0}, released{0};
};

struct Handle {
  Buffer buffer;
  std::shared_ptr<Memory> memory;
  uint64_t first = 0, size = 0;  // in the memory
  uint64_t origin = 0;           // the same for a buffer and its slices, and no other import

  bool is_part_of(const Handle& other) const {
    return origin == other.origin && first >= other.first && first + size <= other.first + other.size;
  }
};
using Ref = std::shared_ptr<Handle>;

// An image with a word a texel.
struct Picture {
  Image image;
  std::vector<uint32_t> texels = std::vector<uint32_t>(kTexels);
};

struct Range {
  Ref of;
  uint64_t offset = 0, size = 0;
  bool whole = false;  // bound to the end of the buffer

  bool fits() const { return !of->memory->discarded && offset <= of->size && size <= of->size - offset; }
  uint64_t begin() const { return of->first + offset; }
  uint8_t* bytes() const { return of->memory->bytes.data() + begin(); }
  // The bytes that it is bound with.
  uint64_t bound() const { return whole ? of->size - offset : size; }
  vd_binding binding() const { return VD_BINDING_OF(of->buffer, offset, whole ? VD_WHOLE_SIZE : size); }
  bool overlaps(const Range& other) const {
    return of->memory == other.of->memory && begin() < other.begin() + other.bound() &&
           other.begin() < begin() + bound();
  }
  uint32_t word(uint64_t i) const {
    uint32_t w;
    std::memcpy(&w, bytes() + 4 * i, 4);
    return w;
  }
  void set_word(uint64_t i, uint32_t w) const { std::memcpy(bytes() + 4 * i, &w, 4); }
};

struct Plans {
  Kernel kernel = mix_kernel();
  Plan mix, sum;
  explicit Plans(vd_context* ctx) : mix(make_plan(ctx, kernel, kLocal)) {
    vd_reduce_desc desc = VD_REDUCE_DESC_INIT;
    desc.rank = 1;
    desc.shape[0] = kSummed;
    desc.in_type = VD_TYPE_U32;
    EXPECT_OK(vd_plan_create_reduce(ctx, &desc, sum.out()));
  }
};

enum class Kind { kMix, kCounted, kSum, kCopy, kFill, kPattern, kStrided, kToPicture, kFromPicture, kCall };
constexpr int kKinds = 10;

struct Op {
  Kind kind = Kind::kMix;
  std::vector<Range> at;  // as a node's arguments are counted
  uint32_t size = 0;      // invocations
  uint32_t value = 0;
  Bytes pattern;
  vd_strided_copy_desc strided = VD_STRIDED_COPY_DESC_INIT;
  std::shared_ptr<Picture> picture;
  std::atomic<uint64_t>* calls = nullptr;

  bool launches() const { return kind == Kind::kMix || kind == Kind::kCounted; }

  // Whether the library takes it, and its result is defined.
  bool valid() const {
    for (const Range& range : at)
      if (!range.fits()) return false;
    switch (kind) {
      case Kind::kMix:
      case Kind::kCounted: {
        for (const Range& range : at)
          if (range.begin() % 4 != 0) return false;
        const bool same = at[0].of->memory == at[1].of->memory && at[0].begin() == at[1].begin();
        if (!same && at[0].overlaps(at[1])) return false;
        return kind == Kind::kMix || !at[0].overlaps(at[2]);
      }
      case Kind::kSum:
        return at[0].begin() % 4 == 0 && at[1].begin() % 16 == 0 && !at[0].overlaps(at[1]);
      case Kind::kFill:
        return at[0].offset % 4 == 0 && at[0].begin() % 4 == 0;
      case Kind::kToPicture:
      case Kind::kFromPicture:
        return at[0].begin() % 16 == 0;
      case Kind::kCopy:
      case Kind::kStrided:
        return !at[0].overlaps(at[1]);
      default:
        return true;
    }
  }

  // On the host's bytes.
  void compute(uint32_t with) const {
    switch (kind) {
      case Kind::kMix:
      case Kind::kCounted: {
        uint32_t runs = size;
        if (kind == Kind::kCounted) {
          const bool any = at[2].word(1) != 0 && at[2].word(2) != 0;
          runs = any ? std::min<uint64_t>(size, uint64_t{at[2].word(0)} * kLocal) : 0;
        }
        for (uint32_t i = 0; i < runs; ++i) at[0].set_word(i, at[0].word(i) * 3 + at[1].word(i) + with);
        return;
      }
      case Kind::kSum: {
        uint32_t sum = 0;
        for (uint32_t i = 0; i < kSummed; ++i) sum += at[1].word(i);
        return at[0].set_word(0, sum);
      }
      case Kind::kCopy:
        std::memmove(at[1].bytes(), at[0].bytes(), at[0].size);
        return;
      case Kind::kFill:
        for (uint64_t i = 0; i < at[0].size / 4; ++i) at[0].set_word(i, value);
        return;
      case Kind::kPattern:
        for (uint64_t i = 0; i < at[0].size; ++i) at[0].bytes()[i] = pattern[i % pattern.size()];
        return;
      case Kind::kStrided: {
        const uint64_t rows = strided.counts[0], columns = strided.counts[1];
        for (uint64_t r = 0; r < rows; ++r)
          for (uint64_t c = 0; c < columns; ++c)
            std::memcpy(at[1].bytes() + r * strided.destination_strides[0] + c * strided.destination_strides[1],
                        at[0].bytes() + r * strided.source_strides[0] + c * strided.source_strides[1],
                        strided.element_size);
        return;
      }
      case Kind::kToPicture:
        std::memcpy(picture->texels.data(), at[0].bytes(), at[0].size);
        return;
      case Kind::kFromPicture:
        std::memcpy(at[0].bytes(), picture->texels.data(), at[0].size);
        return;
      case Kind::kCall:
        return;
    }
  }

  vd_strided_copy_desc strided_desc() const {
    vd_strided_copy_desc desc = strided;
    desc.source_offset = at[0].offset;
    desc.destination_offset = at[1].offset;
    return desc;
  }

  // The launch of a kernel.
  struct Launch {
    std::vector<vd_binding> bindings;
    vd_launch_desc desc = VD_LAUNCH_DESC_INIT;
    explicit Launch(const Op& op) {
      for (size_t i = 0; i < std::min<size_t>(op.at.size(), 2); ++i) bindings.push_back(op.at[i].binding());
      desc.bindings = bindings.data();
      desc.binding_count = static_cast<uint32_t>(bindings.size());
      if (!op.launches()) return;
      desc.invocations[0] = op.size;
      desc.values = &op.value;
      desc.values_size = 4;
      if (op.kind == Kind::kMix) return;
      desc.counts = op.at[2].of->buffer;
      desc.counts_offset = op.at[2].offset;
    }
    Launch(const Launch&) = delete;
  };

  vd_status submit(const Plans& plans, uint32_t queue, const vd_order_desc* order, vd_ticket* ticket) const {
    switch (kind) {
      case Kind::kMix:
      case Kind::kCounted:
      case Kind::kSum: {
        Launch launch(*this);
        launch.desc.queue = queue;
        launch.desc.order = order;
        return vd_plan_launch(kind == Kind::kSum ? plans.sum : plans.mix, &launch.desc, ticket);
      }
      case Kind::kCopy:
        return vd_buffer_copy(at[0].of->buffer, at[0].offset, at[1].of->buffer, at[1].offset, at[0].size, queue, order,
                              ticket);
      case Kind::kFill:
        return vd_buffer_fill(at[0].of->buffer, at[0].offset, at[0].size, value, queue, order, ticket);
      case Kind::kPattern:
        return vd_buffer_fill_pattern(at[0].of->buffer, at[0].offset, at[0].size, pattern.data(),
                                      static_cast<uint32_t>(pattern.size()), queue, order, ticket);
      case Kind::kStrided: {
        const vd_strided_copy_desc desc = strided_desc();
        return vd_buffer_copy_strided(at[0].of->buffer, at[1].of->buffer, &desc, queue, order, ticket);
      }
      case Kind::kToPicture:
        return vd_image_copy_from_buffer(picture->image, nullptr, at[0].of->buffer, at[0].offset, queue, order, ticket);
      case Kind::kFromPicture:
        return vd_image_copy_to_buffer(picture->image, nullptr, at[0].of->buffer, at[0].offset, queue, order, ticket);
      case Kind::kCall:
        return VD_OK;
    }
    return VD_OK;
  }

  vd_status record(const Plans& plans, vd_graph* graph, vd_node* node) const {
    switch (kind) {
      case Kind::kMix:
      case Kind::kCounted:
      case Kind::kSum: {
        const Launch launch(*this);
        return vd_graph_launch(graph, kind == Kind::kSum ? plans.sum : plans.mix, &launch.desc, node);
      }
      case Kind::kCopy:
        return vd_graph_copy(graph, at[0].of->buffer, at[0].offset, at[1].of->buffer, at[1].offset, at[0].size, node);
      case Kind::kFill:
        return vd_graph_fill(graph, at[0].of->buffer, at[0].offset, at[0].size, value, node);
      case Kind::kPattern:
        return vd_graph_fill_pattern(graph, at[0].of->buffer, at[0].offset, at[0].size, pattern.data(),
                                     static_cast<uint32_t>(pattern.size()), node);
      case Kind::kStrided: {
        const vd_strided_copy_desc desc = strided_desc();
        return vd_graph_copy_strided(graph, at[0].of->buffer, at[1].of->buffer, &desc, node);
      }
      case Kind::kToPicture:
        return vd_graph_copy_buffer_to_image(graph, picture->image, nullptr, at[0].of->buffer, at[0].offset, node);
      case Kind::kFromPicture:
        return vd_graph_copy_image_to_buffer(graph, picture->image, nullptr, at[0].of->buffer, at[0].offset, node);
      case Kind::kCall:
        return vd_graph_call(
            graph, [](void* user) { ++*static_cast<std::atomic<uint64_t>*>(user); }, calls, nullptr, node);
    }
    return VD_OK;
  }

  std::string text() const {
    static constexpr const char* kNames[kKinds] = {"mix",     "counted", "sum",        "copy",         "fill",
                                                   "pattern", "strided", "to_picture", "from_picture", "call"};
    std::string all = kNames[static_cast<int>(kind)];
    for (const Range& range : at) {
      char part[120];
      std::snprintf(part, sizeof(part), " %p%s[%llu, %llu%s)", static_cast<void*>(range.of->memory.get()),
                    range.of->memory->discarded ? " (gone)" : "", static_cast<unsigned long long>(range.begin()),
                    static_cast<unsigned long long>(range.begin() + range.size), range.whole ? ".." : "");
      all += part;
    }
    return all + " size " + std::to_string(size) + " value " + std::to_string(value);
  }
};

}  // namespace api::random
