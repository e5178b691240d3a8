// Entries that fuzz_calls leaves out: images, samplers, mappings, semaphores, imports, profiles, strided copies, changes of
// recorded graphs, notifications, receivers of the log, and properties of devices that nobody has. Numbers are those at
// which sums and products overflow. Every call returns a status, each notification comes once, and no object is left.
// VD_FUZZ_BACKEND names another backend than the host's.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "fuzz/input.h"
#include "vkdispatch.h"

namespace {

constexpr size_t kSlots = 3;
constexpr uint64_t kBytes = 1 << 14;  // of every block of host memory that is given

struct Numbers : Input {
  bool rarely() { return below(16) == 15; }
  // Small, or at an edge of 8 to 64 bits.
  uint64_t number() {
    const uint8_t kind = byte();
    if (kind < 100) return kind % 20;
    if (kind < 180) return word() % kBytes;
    return (uint64_t{1} << below(64)) + static_cast<uint64_t>(below(5)) - 2;
  }
  template <class T>
  T any() {
    return static_cast<T>(number());
  }
};

void check(vd_status status) {
  const bool named = std::strcmp(vd_status_name(status), "VD_STATUS_UNKNOWN") != 0;
  const bool told = status >= 0 || status == VD_ERR_WOULD_BLOCK || vd_last_error()[0] != '\0';
  if (named && told && status != VD_ERR_INTERNAL) return;
  std::fprintf(stderr, "status %d: %s\n", static_cast<int>(status), vd_last_error());
  std::abort();
}

void expect(bool good, const char* what) {
  if (good) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

vd_backend wanted_backend() {
  const char* name = std::getenv("VD_FUZZ_BACKEND");
  for (int32_t b = VD_BACKEND_VULKAN; name != nullptr && b <= VD_BACKEND_DUMMY; ++b) {
    vd_backend_info info = VD_BACKEND_INFO_INIT;
    if (vd_backend_get_info(static_cast<vd_backend>(b), &info) == VD_OK && std::strcmp(info.name, name) == 0)
      return static_cast<vd_backend>(b);
  }
  return VD_BACKEND_HOST;
}

struct Counts {
  std::atomic<uint64_t> asked{0}, came{0}, freed{0};
};

struct Program {
  Numbers in;
  vd_context* contexts[kSlots] = {};
  vd_buffer* buffers[kSlots] = {};
  vd_image* images[kSlots] = {};
  vd_sampler* samplers[kSlots] = {};
  vd_mapping* mappings[kSlots] = {};
  vd_semaphore* semaphores[kSlots] = {};
  vd_profile* profiles[kSlots] = {};
  vd_graph* graphs[kSlots] = {};
  vd_plan* plans[kSlots] = {};
  vd_blob* blobs[kSlots] = {};
  vd_ticket tickets[kSlots] = {};
  vd_log_receiver receivers[kSlots] = {};
  std::vector<uint8_t> bytes = std::vector<uint8_t>(kBytes);
  Counts counts;

  template <class T>
  T*& slot(T* (&pool)[kSlots]) {
    const uint8_t n = in.byte();
    return pool[n < 180 ? 0 : n % kSlots];
  }
  vd_ticket* ticket() { return in.below(4) == 0 ? nullptr : &tickets[in.below(kSlots)]; }
  uint32_t queue() { return in.below(8) == 0 ? in.any<uint32_t>() : in.below(2); }
  template <class T>
  T chosen(T most) {
    return static_cast<T>(in.rarely() ? in.number() : in.below(static_cast<uint32_t>(most) + 1));
  }
  // A bit of flags, or none.
  static uint32_t flag(bool set, uint32_t bit) { return set ? bit : 0; }
  // Mostly what _INIT says.
  uint32_t struct_size(size_t size) {
    if (!in.rarely()) return static_cast<uint32_t>(size);
    return in.below(2) == 0 ? in.any<uint32_t>() % static_cast<uint32_t>(size + 1) : static_cast<uint32_t>(size);
  }
  template <class T, size_t N>
  void fill(T (&numbers)[N]) {
    for (T& number : numbers)
      if (in.below(3) != 0) number = in.any<T>();
  }

  // ---- Descriptors

  std::vector<vd_ticket> waits;
  vd_semaphore_point points[2];
  const vd_order_desc* order(vd_order_desc& desc) {
    if (in.below(3) != 0) return nullptr;
    desc = VD_ORDER_DESC_INIT;
    desc.struct_size = struct_size(sizeof(desc));
    waits.assign(std::begin(tickets), std::end(tickets));
    if (in.rarely()) waits[0] = in.number();
    desc.waits = in.rarely() ? nullptr : waits.data();
    desc.wait_count = in.below(kSlots + 1);
    if (in.rarely()) desc.stream = in.number();
    for (vd_semaphore_point& point : points) point = {slot(semaphores), in.number(), in.rarely() ? 1u : 0u};
    if (in.below(4) == 0) desc.wait_semaphores = points, desc.wait_semaphore_count = 1 + in.below(2);
    if (in.below(4) == 0) desc.signal_semaphores = points, desc.signal_semaphore_count = 1 + in.below(2);
    desc.label = in.below(2) == 0 ? "fuzz" : nullptr;
    return &desc;
  }
  const vd_image_region* region(vd_image_region& desc) {
    if (in.below(3) == 0) return nullptr;
    desc = VD_IMAGE_REGION_INIT;
    desc.struct_size = struct_size(sizeof(desc));
    desc.level = in.below(3), desc.layer = in.below(3);
    if (in.rarely()) desc.level = in.any<uint32_t>(), desc.layer = in.any<uint32_t>();
    if (in.below(3) == 0) desc.layer_count = in.any<uint32_t>();
    if (in.below(3) == 0) fill(desc.offset);
    if (in.below(3) == 0) fill(desc.extent);
    return &desc;
  }
  const vd_strided_copy_desc* strides(vd_strided_copy_desc& desc) {
    desc = VD_STRIDED_COPY_DESC_INIT;
    desc.struct_size = struct_size(sizeof(desc));
    desc.element_size = in.below(2) == 0 ? 4 : in.any<uint32_t>();
    for (uint32_t i = in.below(4); i-- != 0;) {
      desc.counts[i] = in.below(2) == 0 ? 1 + in.below(9) : in.number();
      desc.source_strides[i] = in.below(2) == 0 ? in.below(9) * 4 : in.number();
      desc.destination_strides[i] = in.below(2) == 0 ? 4 << (4 * (3 - i)) : in.number();
    }
    if (in.rarely()) fill(desc.counts);
    if (in.below(3) == 0) desc.source_offset = in.number();
    if (in.below(3) == 0) desc.destination_offset = in.number();
    return &desc;
  }
  vd_binding binding() {
    vd_binding made = VD_BINDING_OF(slot(buffers), in.below(3) == 0 ? in.number() : 0,
                                    in.below(3) == 0 ? in.number() : VD_WHOLE_SIZE);
    if (in.below(4) == 0) made.image = slot(images), made.buffer = in.rarely() ? made.buffer : nullptr;
    if (in.rarely()) made.sampler = slot(samplers);
    if (in.rarely()) made.level = in.any<uint32_t>(), made.reserved[0] = in.below(2);
    return made;
  }

  // ---- Objects

  void context() {
    vd_context*& place = slot(contexts);
    vd_context_release(place);
    vd_context_desc desc = VD_CONTEXT_DESC_INIT;
    static const vd_backend kBackend = wanted_backend();
    desc.backend = in.below(4) == 0 ? VD_BACKEND_DUMMY : kBackend;
    desc.flags = VD_CONTEXT_NO_CACHE;
    if (desc.backend == VD_BACKEND_HOST) desc.flags |= VD_CONTEXT_CHECKED;
    desc.device_count = 1;
    desc.thread_count = in.rarely() ? 4097 : 1;
    desc.watchdog_ns = 20000000;
    uint32_t queues = in.rarely() ? 1u << 31 >> in.below(24) : 1 + in.below(2), families[2] = {};
    desc.queue_counts = &queues;
    if (in.rarely()) desc.queue_families = families, desc.queue_family_count = in.any<uint32_t>() % 3;
    if (in.rarely()) desc.device_name = "no such device";
    vd_device_info device = VD_DEVICE_INFO_INIT;
    if (desc.backend == VD_BACKEND_DUMMY && in.below(2) == 0) {
      odd_device(device);
      desc.dummy_device = &device;
    }
    desc.struct_size = struct_size(sizeof(desc));
    check(vd_context_create(&desc, &place));
    if (place == nullptr) return;
    vd_context_info info = VD_CONTEXT_INFO_INIT;
    info.struct_size = struct_size(sizeof(info));
    check(vd_context_get_info(place, &info));
    check(vd_context_get_device(place, in.any<uint32_t>(), &device));
    vd_queue_info queue_info = VD_QUEUE_INFO_INIT;
    check(vd_context_get_queue(place, queue(), &queue_info));
    vd_bool enabled = 0;
    check(vd_context_has_extension(place, 0, in.rarely() ? nullptr : "VK_KHR_none", &enabled));
    check(vd_context_get_last_ticket(place, queue(), &tickets[0]));
  }
  // One that nobody has, made from one that there is: every number may be at an edge.
  void odd_device(vd_device_info& device) {
    check(vd_device_get_info(VD_BACKEND_DUMMY, 0, &device));
    for (uint32_t changes = in.below(4); changes != 0; --changes) {
      const uint32_t numbers[] = {0, 1, 2, 3, 31, 48, 1u << in.below(32), UINT32_MAX};
      const uint32_t number = numbers[in.below(std::size(numbers))];
      switch (in.below(14)) {
        case 0:
          device.max_workgroup_size[in.below(3)] = number;
          break;
        case 1:
          device.max_workgroup_invocations = number;
          break;
        case 2:
          device.max_workgroup_count[in.below(3)] = number;
          break;
        case 3:
          device.max_storage_buffer_range = in.number();
          break;
        case 4:
          device.max_allocation_size = device.memory_size = in.number();
          break;
        case 5:
          device.max_push_constant_size = number;
          break;
        case 6:
          device.storage_buffer_alignment = device.uniform_buffer_alignment = number;
          break;
        case 7:
          device.max_shared_memory_size = device.max_shared_memory_opt_in = number;
          break;
        case 8:
          device.shared_memory_per_multiprocessor = number;
          break;
        case 9:
          device.registers_per_multiprocessor = number;
          break;
        case 10:
          device.multiprocessor_count = number;
          break;
        case 11:
          device.subgroup_size = number;
          break;
        case 12:
          device.features = in.below(2) == 0 ? 0 : in.number();
          break;
        default:
          device.max_image_extent[in.below(3)] = device.max_image_layers = number;
      }
    }
  }

  void buffer() {
    vd_buffer*& place = slot(buffers);
    vd_buffer* made = nullptr;
    vd_context* ctx = slot(contexts);
    switch (in.below(5)) {
      case 0: {
        vd_buffer_view_desc desc = VD_BUFFER_VIEW_DESC_INIT;
        desc.struct_size = struct_size(sizeof(desc));
        desc.offset = in.number(), desc.size = in.number();
        if (in.below(3) == 0) fill(desc.shape);
        check(vd_buffer_view(slot(buffers), &desc, &made));
        break;
      }
      case 1: {
        vd_buffer_import_desc desc = VD_BUFFER_IMPORT_DESC_INIT;
        desc.struct_size = struct_size(sizeof(desc));
        desc.kind = in.below(3) == 0 ? chosen(VD_MEMORY_KIND_FD) : VD_MEMORY_KIND_HOST;
        // Nothing can tell that other memory is not there: only a range that ends behind all memory is refused.
        const bool ours = in.below(4) != 0;
        desc.handle = ours ? reinterpret_cast<uint64_t>(bytes.data()) + in.below(64) : UINT64_MAX - in.below(64);
        desc.size = ours ? in.number() % (kBytes - 64) : kBytes;
        if (in.below(4) == 0) fill(desc.shape);
        desc.read_only = in.below(8) == 0 ? in.below(3) : 0;
        if (in.rarely()) desc.stream = in.number();
        vd_memory_fd fd = VD_MEMORY_FD_INIT;
        fd.memory_size = in.number(), fd.offset = in.number(), fd.size = in.number();
        if (in.rarely()) desc.fd = &fd, desc.handle = 0;
        desc.release = [](void* user) { ++static_cast<Counts*>(user)->freed; };
        desc.user = &counts;
        check(vd_buffer_import(ctx, &desc, &made));
        break;
      }
      default: {
        vd_buffer_desc desc = VD_BUFFER_DESC_INIT;
        desc.size = in.below(8) == 0 ? in.number() : 256 * (1 + in.below(16));
        desc.flags = chosen(7);
        if (in.below(4) == 0) fill(desc.shape);
        desc.data = desc.size <= kBytes && in.below(2) == 0 ? bytes.data() : nullptr;
        check(vd_buffer_create(ctx, &desc, &made));
      }
    }
    vd_buffer_release(place);
    place = made;
  }

  void image() {
    vd_image*& place = slot(images);
    vd_image_release(place);
    static constexpr vd_format kFormats[] = {VD_FORMAT_R8_UNORM,   VD_FORMAT_RGBA8_U8,   VD_FORMAT_R16_F16,
                                             VD_FORMAT_RGBA16_F16, VD_FORMAT_R32_F32,    VD_FORMAT_RG32_I32,
                                             VD_FORMAT_RGBA32_F32, VD_FORMAT_RGBA8_UNORM};
    vd_image_desc desc = VD_IMAGE_DESC_INIT;
    desc.struct_size = struct_size(sizeof(desc));
    desc.format = in.rarely() ? in.any<vd_format>() : kFormats[in.below(std::size(kFormats))];
    desc.dimensions = in.rarely() ? in.any<uint32_t>() : 1 + in.below(3);
    desc.layers = in.rarely() ? in.any<uint32_t>() : in.below(3);
    for (uint32_t i = 0; i < 3; ++i) desc.extent[i] = i < desc.dimensions ? 1 + in.below(9) : 0;
    if (in.rarely()) fill(desc.extent);
    desc.mip_levels = in.rarely() ? in.any<uint32_t>() : in.below(4) == 0 ? VD_MIP_LEVELS_ALL : in.below(3);
    desc.flags = chosen(3);
    check(vd_image_create(slot(contexts), &desc, &place));
    if (place == nullptr) return;
    vd_image_info info = VD_IMAGE_INFO_INIT;
    info.struct_size = struct_size(sizeof(info));
    check(vd_image_get_info(place, &info));
    vd_image_level_info level = VD_IMAGE_LEVEL_INFO_INIT;
    check(vd_image_get_level(place, in.any<uint32_t>(), &level));
  }

  void sampler() {
    vd_sampler*& place = slot(samplers);
    vd_sampler_release(place);
    vd_sampler_desc desc = VD_SAMPLER_DESC_INIT;
    desc.struct_size = struct_size(sizeof(desc));
    desc.mag_filter = chosen(VD_FILTER_LINEAR), desc.min_filter = chosen(VD_FILTER_LINEAR);
    desc.mip_filter = chosen(VD_FILTER_LINEAR), desc.address_mode = chosen(VD_ADDRESS_MIRROR_CLAMP_TO_EDGE);
    desc.border_color = chosen(VD_BORDER_INT_OPAQUE_WHITE);
    static constexpr float kFloats[] = {0, -1, 1, 1e30f, -1e30f, 1e-30f, __builtin_nanf(""), __builtin_inff()};
    for (float* number : {&desc.mip_lod_bias, &desc.min_lod, &desc.max_lod})
      if (in.below(4) == 0) *number = kFloats[in.below(std::size(kFloats))];
    check(vd_sampler_create(slot(contexts), &desc, &place));
  }

  void image_transfer() {
    vd_image* image = slot(images);
    vd_image_region from, to;
    vd_order_desc desc;
    const vd_image_region* part = region(from);
    // The size of the part; mostly another number is refused at once.
    uint64_t size = in.number() % kBytes;
    vd_image_info info = VD_IMAGE_INFO_INIT;
    if (in.below(4) != 0 && vd_image_get_info(image, &info) == VD_OK && info.size <= kBytes) size = info.size;
    switch (in.below(6)) {
      case 0:
        return check(vd_image_write(image, part, bytes.data(), size, queue()));
      case 1:
        return check(vd_image_read(image, part, size, queue(), bytes.data()));
      case 2:
        return check(
            vd_image_copy_from_buffer(image, part, slot(buffers), in.number(), queue(), order(desc), ticket()));
      case 3:
        return check(vd_image_copy_to_buffer(image, part, slot(buffers), in.number(), queue(), order(desc), ticket()));
      case 4:
        return check(vd_image_copy(image, part, slot(images), region(to), queue(), order(desc), ticket()));
      default:
        return check(vd_image_generate_mips(image, queue(), order(desc), ticket()));
    }
  }

  void transfer() {
    vd_buffer* b = slot(buffers);
    const uint64_t offset = in.below(2) == 0 ? 0 : in.number(), size = in.below(2) == 0 ? 64 : in.number();
    vd_order_desc desc;
    vd_strided_copy_desc copy;
    switch (in.below(6)) {
      case 0: {
        vd_blob*& place = slot(blobs);
        vd_blob_release(place);
        return check(vd_buffer_fetch(b, offset, size, queue(), order(desc), &place, ticket()));
      }
      case 1: {
        uint64_t held = 0;
        vd_blob* blob = slot(blobs);
        const void* data = vd_blob_data(blob, in.below(2) == 0 ? &held : nullptr);
        expect(data != nullptr || held == 0, "a size without bytes");
        return;
      }
      case 2:
        // A send of more than there is must be refused before the memory is read.
        return check(vd_buffer_send(b, offset, bytes.data(), std::min(size, kBytes), queue(), order(desc), ticket()));
      case 3:
        return check(
            vd_buffer_fill_pattern(b, offset, size, bytes.data(), chosen(16u), queue(), order(desc), ticket()));
      case 4:
        return check(vd_buffer_copy_strided(b, slot(buffers), strides(copy), queue(), order(desc), ticket()));
      default:
        return check(vd_buffer_copy(b, offset, slot(buffers), in.number(), size, queue(), order(desc), ticket()));
    }
  }

  void mapping() {
    vd_mapping*& place = slot(mappings);
    vd_mapping_info info = VD_MAPPING_INFO_INIT;
    info.struct_size = struct_size(sizeof(info));
    switch (in.below(4)) {
      case 0:
        return check(vd_mapping_end(place));
      case 1:
        if (place == nullptr || vd_mapping_get_info(place, &info) != VD_OK) return;
        if (info.struct_size < sizeof(info) || info.ended != 0) return;
        if ((info.flags & VD_MAP_WRITE) != 0) std::memset(info.data, 1, info.size);
        return;
      default:
        vd_mapping_release(place);
        return check(vd_buffer_map(slot(buffers), in.below(2) == 0 ? 0 : in.number(),
                                   in.below(2) == 0 ? VD_WHOLE_SIZE : in.number(),
                                   chosen(3u) | VD_MAP_NO_WAIT | flag(in.rarely(), VD_MAP_SHARED), queue(), &place));
    }
  }

  void semaphore() {
    vd_semaphore*& place = slot(semaphores);
    uint64_t value = 0;
    switch (in.below(6)) {
      case 0:
        return check(vd_semaphore_signal(place, in.number()));
      case 1:
        return check(vd_semaphore_wait(place, in.number(), in.below(2)));
      case 2:
        return check(vd_semaphore_get_value(place, &value));
      case 3:
        return check(vd_semaphore_get_native(place, in.rarely() ? nullptr : "VkSemaphore", &value));
      default: {
        vd_semaphore_release(place);
        vd_semaphore_desc desc = VD_SEMAPHORE_DESC_INIT;
        desc.struct_size = struct_size(sizeof(desc));
        // A native handle that is no object cannot be told from one that is.
        desc.source = in.rarely() ? static_cast<vd_semaphore_source>(3 + in.below(250)) : VD_SEMAPHORE_NEW;
        desc.initial_value = in.number();
        desc.timeout_ns = 1000000;
        if (in.rarely()) desc.device = in.any<uint32_t>();
        return check(vd_semaphore_create(slot(contexts), in.rarely() ? nullptr : &desc, &place));
      }
    }
  }

  void profile() {
    vd_profile*& place = slot(profiles);
    vd_profile_info info = VD_PROFILE_INFO_INIT;
    vd_span_info span = VD_SPAN_INFO_INIT;
    switch (in.below(5)) {
      case 0:
        return check(vd_profile_stop(place, in.below(2) == 0 ? 0 : 1000000000));
      case 1:
        info.struct_size = struct_size(sizeof(info));
        return check(vd_profile_get_info(place, &info));
      case 2:
        return check(vd_profile_get_span(place, in.number(), &span));
      default: {
        vd_profile_release(place);
        vd_profile_desc desc = VD_PROFILE_DESC_INIT;
        desc.capacity = in.below(3) == 0 ? in.any<uint32_t>() : in.below(4);
        return check(vd_profile_create(slot(contexts), &desc, &place));
      }
    }
  }

  void native() {
    static constexpr const char* kKinds[] = {"VkDevice", "VkBuffer", "CUdeviceptr", "cl_mem", "address", "VkImage",
                                             "",         "?"};
    const char* kind = in.rarely() ? nullptr : kKinds[in.below(std::size(kKinds))];
    uint64_t handle = 0, offset = 0;
    switch (in.below(6)) {
      case 0:
        return check(vd_context_get_native(slot(contexts), chosen(0u), kind, &handle));
      case 1:
        return check(vd_context_get_queue_native(slot(contexts), queue(), kind, &handle));
      case 2:
        return check(vd_buffer_get_native(slot(buffers), kind, queue(), &handle, &offset));
      case 3:
        return check(vd_image_get_native(slot(images), kind, queue(), &handle));
      case 4: {
        vd_memory_fd fd = VD_MEMORY_FD_INIT;
        fd.struct_size = struct_size(sizeof(fd));
        return check(vd_buffer_export_fd(slot(buffers), &fd));
      }
      default: {
        vd_dlpack_desc desc = VD_DLPACK_DESC_INIT;
        desc.struct_size = struct_size(sizeof(desc));
        desc.element = in.below(4) == 0 ? in.any<vd_type>() : vd_type{VD_TYPE_F32};
        desc.rank = in.rarely() ? in.any<uint32_t>() : in.below(VD_MAX_DIMS + 1);
        for (uint64_t& n : desc.shape) n = in.below(4) == 0 ? in.number() : 1 + in.below(3);
        desc.versioned = 1, desc.copied = in.below(3);
        uint64_t tensor = 0;
        check(vd_buffer_export_dlpack(slot(buffers), &desc, &tensor));
        free_tensor(tensor);
      }
    }
  }
  // As the head of a DLManagedTensorVersioned is laid out.
  static void free_tensor(uint64_t tensor) {
    struct Head {
      uint32_t version[2];
      void* context;
      void (*deleter)(void*);
    };
    if (tensor == 0) return;
    auto* head = reinterpret_cast<Head*>(tensor);
    head->deleter(head);
  }

  void plan() {
    static const char kText[] =
        "kernel \"mix\"\nargument 0 buffer u32 \"dst\"\nargument 1 buffer u32 \"src\"\nargument 2 constant u32 "
        "\"c\"\n{\n"
        "  %0: u32 = index global_id, u32 0\n  %1: storage u32 = index @0, %0\n  %2: storage u32 = index @1, %0\n"
        "  %3: u32 = load %2\n  %4: u32 = load @2\n  %5: u32 = add %3, %4\n  store %1, %5\n}\n";
    vd_kernel* kernel = nullptr;
    check(vd_kernel_parse(kText, sizeof(kText) - 1, &kernel));
    vd_plan_desc desc = VD_PLAN_DESC_INIT;
    desc.struct_size = struct_size(sizeof(desc));
    desc.kernel = kernel;
    if (in.below(3) == 2) desc.workgroup_size[in.below(3)] = in.any<uint32_t>();
    vd_plan*& place = slot(plans);
    vd_plan_release(place);
    check(vd_plan_create(slot(contexts), &desc, &place));
    vd_kernel_release(kernel);
    vd_blob* text = nullptr;
    check(vd_plan_explain(place, &text));
    vd_blob_release(text);
    static_cast<void>(vd_plan_get_source(place, nullptr));
  }

  // Transforms and reductions of any numbers, on devices that nobody has: nothing runs.
  void describe() {
    vd_context* ctx = slot(contexts);
    vd_plan* made = nullptr;
    if (in.below(3) == 0) {
      vd_reduce_desc desc = VD_REDUCE_DESC_INIT;
      desc.op = chosen(VD_REDUCE_OP_XOR), desc.rank = chosen(uint32_t{3});
      for (uint64_t& n : desc.shape) n = in.below(2) == 0 ? 1 + in.below(9) : in.number();
      if (in.below(3) == 0) fill(desc.in_strides);
      if (in.below(3) == 0) fill(desc.out_strides);
      if (in.rarely()) fill(desc.axes), desc.axis_count = in.below(4);
      if (in.below(3) == 0) desc.in_offset = in.number(), desc.out_offset = in.number();
      if (in.rarely()) desc.workgroup_size = in.any<uint32_t>();
      if (in.rarely()) desc.device = in.any<uint32_t>();
      check(vd_plan_create_reduce(ctx, &desc, &made));
    } else {
      vd_fft_desc desc = VD_FFT_DESC_INIT;
      desc.struct_size = struct_size(sizeof(desc));
      desc.kind = chosen(VD_FFT_KIND_C2R), desc.direction = chosen(VD_FFT_DIRECTION_INVERSE);
      desc.flags = in.below(2) == 0 ? in.below(16) | (in.below(2) * VD_FFT_WORKSPACE) : 0;
      desc.norm = chosen(VD_FFT_NORM_FORWARD), desc.rank = chosen(uint32_t{3});
      for (uint64_t& n : desc.shape) n = in.below(3) != 0 ? 1 + in.below(40) : in.number();
      if (in.below(3) == 0) fill(desc.in_strides);
      if (in.below(3) == 0) fill(desc.out_strides);
      if (in.below(3) == 0) fill(desc.in_low), fill(desc.in_high);
      if (in.below(3) == 0) fill(desc.out_low), fill(desc.out_high);
      if (in.below(4) == 0)
        fill(desc.filter_strides), desc.filter_offset = in.number(), desc.filter_count = in.below(70);
      if (in.rarely()) fill(desc.axes), desc.axis_count = in.below(4);
      if (in.below(3) == 0) desc.in_offset = in.number(), desc.out_offset = in.number();
      if (in.rarely()) desc.max_registers = in.any<uint32_t>();
      if (in.rarely()) desc.scale = __builtin_nan("");
      uint64_t size = 0;
      check(vd_context_get_fft_workspace_size(ctx, &desc, &size));
      if (in.rarely()) check(vd_plan_create_vkfft(ctx, &desc, &made));
      vd_plan_release(made);
      made = nullptr;
      uint64_t elements = 1;
      for (uint32_t i = 0; i < std::min<uint32_t>(desc.rank, VD_MAX_DIMS); ++i)
        elements = std::min<uint64_t>(elements * std::min<uint64_t>(desc.shape[i], 1 << 20), 1 << 20);
      if (elements >= 1 << 14) return;  // compiling it takes seconds here
      check(vd_plan_create_fft(ctx, &desc, &made));
    }
    vd_plan_release(made);
  }

  void launch() {
    vd_launch_desc desc = VD_LAUNCH_DESC_INIT;
    desc.struct_size = struct_size(sizeof(desc));
    desc.queue = queue();
    (in.below(2) == 0 ? desc.invocations : desc.workgroups)[0] = in.below(8) == 0 ? in.any<uint32_t>() & 0xFFFF : 8;
    vd_binding bindings[3] = {binding(), binding(), binding()};
    desc.bindings = bindings, desc.binding_count = in.rarely() ? 3 : 2;
    desc.values = bytes.data(), desc.values_size = in.rarely() ? in.below(16) : 4;
    if (in.rarely()) desc.counts = slot(buffers), desc.counts_offset = in.number();
    vd_order_desc other;
    if (in.below(2) == 0) {
      desc.order = order(other);
      return check(vd_plan_launch(slot(plans), &desc, ticket()));
    }
    if (in.rarely()) desc.order = order(other);
    check(vd_graph_launch(slot(graphs), slot(plans), &desc, nullptr));
  }

  void graph() {
    vd_graph*& g = slot(graphs);
    const vd_node node = in.rarely() ? in.any<vd_node>() : in.below(6);
    vd_image_region from, to;
    vd_strided_copy_desc copy;
    switch (in.below(18)) {
      case 0:
        vd_graph_release(g);
        return check(vd_graph_create(slot(contexts), nullptr, &g));
      case 1:
        return check(vd_graph_copy_strided(g, slot(buffers), slot(buffers), strides(copy), nullptr));
      case 2:
        return check(vd_graph_fill_pattern(g, slot(buffers), in.below(2) == 0 ? 0 : in.number(),
                                           in.below(2) == 0 ? 64 : in.number(), bytes.data(), chosen(16u), nullptr));
      case 3:
        return check(vd_graph_copy_buffer_to_image(g, slot(images), region(from), slot(buffers), in.number(), nullptr));
      case 4:
        return check(vd_graph_copy_image_to_buffer(g, slot(images), region(from), slot(buffers), in.number(), nullptr));
      case 5:
        return check(vd_graph_copy_image(g, slot(images), region(from), slot(images), region(to), nullptr));
      case 6:
        return check(vd_graph_generate_mips(g, slot(images), nullptr));
      case 7:
        return check(vd_graph_set_values(g, node, in.any<uint32_t>(), bytes.data(), in.any<uint32_t>() % kBytes));
      case 8: {
        vd_binding bindings[2] = {binding(), binding()};
        return check(
            vd_graph_set_bindings(g, node, in.rarely() ? in.any<uint32_t>() : in.below(2), bindings, in.below(3)));
      }
      case 9: {
        vd_buffer* const old[2] = {slot(buffers), slot(buffers)};
        vd_buffer* const fresh[2] = {slot(buffers), slot(buffers)};
        return check(vd_graph_replace_buffers(g, old, fresh, in.below(3)));
      }
      case 10: {
        vd_image* const old[2] = {slot(images), slot(images)};
        vd_image* const fresh[2] = {slot(images), slot(images)};
        return check(vd_graph_replace_images(g, old, fresh, in.below(3)));
      }
      case 11:
        return check(
            vd_graph_set_unordered(g, node, in.below(2) == 0 ? VD_ALL_ARGUMENTS : in.any<uint32_t>(), in.below(3)));
      case 12:
        return check(vd_graph_set_label(g, node, in.rarely() ? nullptr : "\"\\\n<label>"));
      case 13: {
        vd_graph_info info = VD_GRAPH_INFO_INIT;
        vd_graph* other = slot(graphs);
        // Twice as many nodes each time would be endless.
        if (vd_graph_get_info(other, &info) == VD_OK && info.node_count > 100) return;
        return check(vd_graph_add_graph(g, other, nullptr));
      }
      case 14: {
        vd_blob* text = nullptr;
        check(vd_graph_get_dot(g, &text));
        return vd_blob_release(text);
      }
      case 15:
        return check(vd_graph_call(
            g, [](void* user) { ++static_cast<Counts*>(user)->came; }, &counts, nullptr, nullptr));
      default:
        return submit(g);
    }
  }
  void submit(vd_graph* g) {
    vd_submit_desc desc = VD_SUBMIT_DESC_INIT;
    desc.struct_size = struct_size(sizeof(desc));
    desc.queue = queue();
    desc.repeat = in.below(5);
    vd_order_desc other;
    desc.order = order(other);
    vd_instance_values values[2];
    for (vd_instance_values& one : values) {
      one = {in.below(4),
             in.below(2) == 0 ? 0 : in.any<uint32_t>(),
             in.below(2) == 0 ? 4 : in.any<uint32_t>(),
             0,
             bytes.data(),
             0};
      one.values_size = in.below(4) == 0 ? in.number() % kBytes : uint64_t{one.size} * std::max(desc.repeat, 1u);
      if (one.values_size > kBytes) one.values_size = 0;
    }
    desc.instance_values = values;
    desc.instance_value_count = in.below(3);
    check(vd_graph_submit(g, &desc, ticket()));
  }

  void notify() {
    vd_context* ctx = slot(contexts);
    const vd_ticket at = in.rarely() ? in.number() : tickets[in.below(kSlots)];
    const auto done = [](vd_status status, const char* message, void* user) {
      expect((status == VD_OK) == (message[0] == '\0'), "a status without its message");
      ++static_cast<Counts*>(user)->came;
    };
    const vd_status status = vd_ticket_notify(ctx, at, in.rarely() ? nullptr : +done, &notified);
    check(status);
    if (status == VD_OK) ++notified.asked;
  }
  Counts notified;

  void log() {
    vd_log_receiver& place = receivers[in.below(kSlots)];
    switch (in.below(4)) {
      case 0:
        return check(vd_log_write(chosen(VD_LOG_ERROR), in.rarely() ? nullptr : "%s%n fuzz"));
      case 1:
        return check(vd_log_remove(in.rarely() ? in.number() : place));
      default: {
        if (place != 0) static_cast<void>(vd_log_remove(place));
        // A receiver that writes to the log is not called for that.
        const auto received = [](const vd_log_message* message, void*) {
          static_cast<void>(vd_log_write(message->level, "again"));
        };
        return check(vd_log_add(chosen(VD_LOG_OFF), received, nullptr, nullptr, &place));
      }
    }
  }

  void others() {
    uint32_t size = 0;
    vd_op_info op = VD_OP_INFO_INIT;
    vd_backend_info backend = VD_BACKEND_INFO_INIT;
    vd_vulkan_device_info vulkan = VD_VULKAN_DEVICE_INFO_INIT;
    switch (in.below(5)) {
      case 0:
        return check(vd_type_get_size(in.any<vd_type>(), &size));
      case 1:
        op.struct_size = struct_size(sizeof(op));
        return check(vd_op_get_info(in.any<vd_op>(), &op));
      case 2:
        return check(vd_backend_get_info(in.any<vd_backend>(), &backend));
      case 3:
        return check(vd_device_get_vulkan_info(1 + in.below(200), &vulkan));
      default:
        return check(vd_option_set(in.rarely() ? "log" : "no such option", in.rarely() ? nullptr : "?"));
    }
  }

  void let_go() {
    switch (in.below(11)) {
      case 0:
        return release(slot(contexts), vd_context_release);
      case 1:
        return release(slot(buffers), vd_buffer_release);
      case 2:
        return release(slot(images), vd_image_release);
      case 3:
        return release(slot(samplers), vd_sampler_release);
      case 4:
        return release(slot(mappings), vd_mapping_release);
      case 5:
        return release(slot(semaphores), vd_semaphore_release);
      case 6:
        return release(slot(profiles), vd_profile_release);
      case 7:
        return release(slot(graphs), vd_graph_release);
      case 8:
        return release(slot(blobs), vd_blob_release);
      case 9:
        return check(vd_image_discard(slot(images)));
      default:
        return check(vd_buffer_discard(slot(buffers)));
    }
  }
  template <class T>
  static void release(T*& handle, void (*function)(T*)) {
    function(handle);
    handle = nullptr;
  }

  void wait() {
    vd_context* ctx = slot(contexts);
    check(vd_context_wait_idle(ctx, queue(), in.below(2) == 0 ? 0 : 1000000000));
    check(vd_ticket_wait(ctx, tickets[in.below(kSlots)], 0));
  }

  void run() {
    Numbers rest{{nullptr, nullptr}};
    std::swap(in, rest);
    begin();
    plan();
    std::swap(in, rest);
    for (int steps = 0; !in.empty() && steps < 200; ++steps) {
      static constexpr void (Program::*kSteps[])() = {
          &Program::context, &Program::buffer,    &Program::buffer,   &Program::image,
          &Program::sampler, &Program::transfer,  &Program::transfer, &Program::image_transfer,
          &Program::mapping, &Program::semaphore, &Program::profile,  &Program::native,
          &Program::plan,    &Program::launch,    &Program::graph,    &Program::graph,
          &Program::graph,   &Program::notify,    &Program::log,      &Program::others,
          &Program::let_go,  &Program::wait,      &Program::describe, &Program::image_transfer};
      (this->*kSteps[in.below(std::size(kSteps))])();
    }
    for (size_t i = 0; i < kSlots; ++i) {
      if (receivers[i] != 0) static_cast<void>(vd_log_remove(receivers[i]));
      release(mappings[i], vd_mapping_release), release(buffers[i], vd_buffer_release);
      release(images[i], vd_image_release), release(samplers[i], vd_sampler_release);
      release(semaphores[i], vd_semaphore_release), release(profiles[i], vd_profile_release);
      release(graphs[i], vd_graph_release), release(plans[i], vd_plan_release), release(blobs[i], vd_blob_release);
    }
    for (vd_context*& context : contexts) release(context, vd_context_release);
    expect(notified.asked == notified.came, "a notification did not come, or came twice");
  }
  void begin() {
    vd_context_desc desc = VD_CONTEXT_DESC_INIT;
    static const vd_backend kBackend = wanted_backend();
    desc.backend = kBackend;
    desc.flags = VD_CONTEXT_NO_CACHE | flag(kBackend == VD_BACKEND_HOST, VD_CONTEXT_CHECKED);
    desc.thread_count = 1;
    check(vd_context_create(&desc, &contexts[0]));
    vd_buffer_desc buffer = VD_BUFFER_DESC_INIT;
    buffer.size = 4096;
    check(vd_buffer_create(contexts[0], &buffer, &buffers[0]));
    check(vd_graph_create(contexts[0], nullptr, &graphs[0]));
    vd_image_desc image = VD_IMAGE_DESC_INIT;
    image.format = VD_FORMAT_RGBA8_UNORM, image.dimensions = 2, image.extent[0] = 8, image.extent[1] = 5;
    image.mip_levels = VD_MIP_LEVELS_ALL;
    check(vd_image_create(contexts[0], &image, &images[0]));
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  vd_log_set_level(VD_LOG_OFF);
  auto program = std::make_unique<Program>();
  program->in = {{data, data + size}};
  program->run();
  if (vd_live_objects() != 0) {
    std::fprintf(stderr, "%llu objects were left\n", static_cast<unsigned long long>(vd_live_objects()));
    std::abort();
  }
  return 0;
}
