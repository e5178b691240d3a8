// Buffers over the program's memory, tensors of DLPack over buffers, and streams where there are none.
#include <atomic>
#include <chrono>
#include <cstring>
#include <numeric>
#include <thread>

#include "api/support.h"

namespace {

// The structs of dlpack.h, version 1.0.
struct DLTensor {
  void* data;
  struct {
    int32_t type, id;
  } device;
  int32_t ndim;
  struct {
    uint8_t code, bits;
    uint16_t lanes;
  } dtype;
  int64_t* shape;
  int64_t* strides;
  uint64_t byte_offset;
};
struct DLManagedTensor {
  DLTensor tensor;
  void* manager;
  void (*deleter)(void*);
};
struct DLManagedTensorVersioned {
  uint32_t major, minor;
  void* manager;
  void (*deleter)(void*);
  uint64_t flags;
  DLTensor tensor;
};

// x[i] = x[i] * 2.
api::Kernel doubling_kernel() {
  api::Writer w("double");
  const vd_value x = w.buffer("x"), i = w.x();
  w.store(w.at(x, i), w.emit(VD_OP_MUL, {w.at(x, i), w.u32(2)}));
  return w.finish();
}

struct ImportTest : testing::Test {
  api::Context ctx = api::host_context();

  vd_buffer_import_desc over(void* bytes, uint64_t size) { return api::host_import(bytes, size, released); }
  api::Buffer import(void* bytes, uint64_t size) {
    api::Buffer buffer;
    const vd_buffer_import_desc desc = over(bytes, size);
    EXPECT_OK(vd_buffer_import(ctx, &desc, buffer.out()));
    return buffer;
  }
  // The owner is told on a thread of the library's.
  bool is_released(int times) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (released < times && std::chrono::steady_clock::now() < end) std::this_thread::yield();
    return released == times;
  }
  void wait() { EXPECT_OK(vd_context_wait_idle(ctx, VD_QUEUE_ALL, VD_WAIT_FOREVER)); }

  std::atomic<int> released{0};
};

TEST_F(ImportTest, WorkIsOnTheProgramsBytes) {
  std::vector<uint32_t> words(64, 1);
  api::Buffer buffer = import(words.data(), 256);
  ASSERT_OK(vd_buffer_fill(buffer, 0, 128, 7, 0, nullptr, nullptr));
  wait();
  EXPECT_EQ(words[31], 7u);
  EXPECT_EQ(words[32], 1u);
  words[40] = 99;
  uint32_t got = 0;
  ASSERT_OK(vd_buffer_read(buffer, 160, 4, 0, &got));
  EXPECT_EQ(got, 99u);
  vd_buffer_info info = VD_BUFFER_INFO_INIT;
  ASSERT_OK(vd_buffer_get_info(buffer, &info));
  EXPECT_EQ(info.imported, 1u);
  EXPECT_EQ(info.read_only, 0u);
  vd_context_info all = VD_CONTEXT_INFO_INIT;
  ASSERT_OK(vd_context_get_info(ctx, &all));
  EXPECT_EQ(all.memory_in_use, 0u) << "it is not the library's";
  EXPECT_EQ(released, 0);
  buffer = {};
  EXPECT_TRUE(is_released(1));
}

TEST_F(ImportTest, TheOwnerIsToldOnceWhateverEndsFirst) {
  std::vector<uint8_t> bytes(64);
  {
    api::Buffer whole = import(bytes.data(), 64), slice;
    ASSERT_OK(vd_buffer_slice(whole, 16, 16, slice.out()));
    whole = {};
    EXPECT_EQ(released, 0) << "a slice keeps it";
    ASSERT_OK(vd_buffer_discard(slice));
    EXPECT_TRUE(is_released(1)) << "discarding lets go of it at once";
    EXPECT_FAILS(vd_buffer_write(slice, 0, bytes.data(), 1, 0), VD_ERR_STATE,
                 "vd_buffer_write: buffer \"theirs\" was discarded.");
  }
  EXPECT_TRUE(is_released(1));
  {
    const api::Buffer buffer = import(bytes.data(), 64);
    ctx = {};  // which the buffer keeps alive
  }
  EXPECT_TRUE(is_released(2)) << "the end of the context waits for that";
}

// Each fill of one import comes after the fills of the other that share its bytes.
TEST_F(ImportTest, WorkIsOrderedByAddress) {
  vd_context_desc desc = VD_CONTEXT_DESC_INIT;
  const uint32_t device = 0, queues = 4;
  desc.backend = VD_BACKEND_HOST;
  desc.device_count = 1;
  desc.devices = &device;
  desc.queue_counts = &queues;
  ASSERT_OK(vd_context_create(&desc, ctx.out()));
  std::vector<uint32_t> words(1 << 18);
  const uint64_t size = words.size() * 4;
  const api::Buffer one = import(words.data(), size), other = import(words.data() + 64, size - 256);
  for (uint32_t i = 1; i < 200; ++i) {
    ASSERT_OK(vd_buffer_fill(i % 2 == 0 ? one : other, 0, size - 256, i, i % queues, nullptr, nullptr));
  }
  uint32_t first = 0, last = 0;
  ASSERT_OK(vd_buffer_read(other, 0, 4, 0, &first));
  ASSERT_OK(vd_buffer_read(other, size - 260, 4, 0, &last));
  EXPECT_EQ(first, 199u);
  EXPECT_EQ(last, 199u);
  EXPECT_FAILS(vd_buffer_copy(one, 0, other, 0, 512, 0, nullptr, nullptr), VD_ERR_INVALID,
               "vd_buffer_copy: source bytes 0 to 512 and destination bytes 0 to 512 of buffer \"theirs\" overlap.");
}

// All imports are of one region, whichever thread makes its first.
TEST_F(ImportTest, ThreadsImportAtTheSameTime) {
  constexpr uint32_t kThreads = 4, kTurns = 20, kCount = 64;
  std::vector<uint32_t> words(kThreads * kCount);
  std::vector<std::thread> threads;
  for (uint32_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, mine = words.data() + t * kCount] {
      for (uint32_t i = 0; i < kTurns; ++i) {
        const api::Buffer buffer = import(mine, 4 * kCount);
        api::Graph graph;
        ASSERT_OK(vd_graph_create(ctx, nullptr, graph.out()));
        ASSERT_OK(vd_graph_fill(graph, buffer, 0, 4 * kCount, i, nullptr));
        ASSERT_OK(vd_graph_fill(graph, buffer, 4, 4, i + 1, nullptr));
        ASSERT_OK(vd_graph_submit(graph, nullptr, nullptr));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(is_released(kThreads * kTurns));
  for (uint32_t t = 0; t < kThreads; ++t) {
    EXPECT_EQ(words[t * kCount], kTurns - 1);
    EXPECT_EQ(words[t * kCount + 1], kTurns);
  }
}

// A buffer's own memory that comes back as an import conflicts with the buffer.
TEST_F(ImportTest, OwnMemoryComesBack) {
  const api::Buffer own = api::make_buffer(ctx, 4096, "own");
  uint64_t address = 0, offset = 0;
  ASSERT_OK(vd_buffer_get_native(own, "address", 0, &address, &offset));
  const api::Buffer alias = import(reinterpret_cast<void*>(address + 1024), 1024);
  EXPECT_FAILS(vd_buffer_copy(own, 1536, alias, 0, 1024, 0, nullptr, nullptr), VD_ERR_INVALID,
               "vd_buffer_copy: source bytes 1536 to 2560 and destination bytes 0 to 1024 of buffer \"own\" overlap.");
  EXPECT_OK(vd_buffer_copy(own, 2048, alias, 0, 1024, 0, nullptr, nullptr));
}

TEST_F(ImportTest, ReadOnlyMemoryIsNotWritten) {
  std::vector<uint32_t> words(16, 3);
  vd_buffer_import_desc desc = over(words.data(), 64);
  desc.read_only = 2;
  api::Buffer buffer;
  EXPECT_FAILS(vd_buffer_import(ctx, &desc, buffer.out()), VD_ERR_INVALID,
               "vd_buffer_import: desc->read_only (2) is neither 0 nor 1.");
  desc.read_only = 1;
  ASSERT_OK(vd_buffer_import(ctx, &desc, buffer.out()));
  const uint32_t value = 1;
  EXPECT_FAILS(vd_buffer_write(buffer, 0, &value, 4, 0), VD_ERR_INVALID,
               "vd_buffer_write: buffer \"theirs\" is read-only: it was imported so.");
  EXPECT_EQ(vd_buffer_fill(buffer, 0, 4, 1, 0, nullptr, nullptr), VD_ERR_INVALID);
  const api::Buffer other = api::make_buffer(ctx, 64, "x");
  EXPECT_EQ(vd_buffer_copy(other, 0, buffer, 0, 64, 0, nullptr, nullptr), VD_ERR_INVALID);
  EXPECT_OK(vd_buffer_copy(buffer, 0, other, 0, 64, 0, nullptr, nullptr));
  const api::Plan plan = api::make_plan(ctx, doubling_kernel());
  const api::Launch launch(16, {{buffer, 0, 0}});
  EXPECT_EQ(vd_plan_launch(plan, &launch.desc, nullptr), VD_ERR_INVALID);
  EXPECT_THAT(vd_last_error(), testing::HasSubstr("is written, and buffer \"theirs\" is read-only"));
  wait();
  EXPECT_EQ(words, std::vector<uint32_t>(16, 3));
}

TEST_F(ImportTest, WhatIsNoMemory) {
  uint32_t word = 0;
  api::Buffer buffer;
  const auto fails = [&](const vd_buffer_import_desc& desc, vd_status status, const char* message) {
    EXPECT_FAILS(vd_buffer_import(ctx, &desc, buffer.out()), status, message);
    EXPECT_EQ(static_cast<vd_buffer*>(buffer), nullptr);
  };
  vd_buffer_import_desc desc = over(&word, 4);
  desc.kind = VD_MEMORY_KIND_NONE;
  fails(desc, VD_ERR_INVALID, "vd_buffer_import: desc->kind (0) is unknown.");
  desc.kind = VD_MEMORY_KIND_CUDA;
  fails(desc, VD_ERR_UNSUPPORTED,
        "vd_buffer_import: the host backend imports no memory of desc->kind (2): the address is CUDA's.");
  fails(over(nullptr, 4), VD_ERR_INVALID,
        "vd_buffer_import: desc->handle (0) is a null pointer, not the address of memory.");
  fails(over(&word, 0), VD_ERR_INVALID, "vd_buffer_import: desc->size (0) is zero.");
  desc = over(&word, ~uint64_t{0});
  EXPECT_EQ(vd_buffer_import(ctx, &desc, buffer.out()), VD_ERR_INVALID);
  desc = over(&word, 4);
  desc.device = 3;
  fails(desc, VD_ERR_INVALID, "vd_buffer_import: desc->device (3) is not below the context's devices (1).");
  desc = over(&word, 4);
  desc.shape[0] = 5;
  fails(desc, VD_ERR_INVALID,
        "vd_buffer_import: desc->shape[0] (5) makes more elements than desc->size (4) has bytes.");
  desc = over(&word, 4);
  desc.stream = 1;
  fails(desc, VD_ERR_UNSUPPORTED,
        "vd_buffer_import: desc->stream (0x1) is a stream of CUDA's, and the queue is of another backend.");
  EXPECT_EQ(released, 0) << "the owner keeps what was not imported";
}

TEST_F(ImportTest, AddressesMustSuitTheKernel) {
  alignas(16) uint8_t bytes[64] = {};
  const api::Buffer buffer = import(bytes + 2, 32);
  const api::Plan plan = api::make_plan(ctx, doubling_kernel());
  const api::Launch launch(4, {{buffer, 0, 0}});
  EXPECT_EQ(vd_plan_launch(plan, &launch.desc, nullptr), VD_ERR_INVALID);
  EXPECT_THAT(vd_last_error(), testing::HasSubstr("is not a multiple of 4"));
}

// ---- DLPack

TEST_F(ImportTest, ATensorKeepsTheMemory) {
  api::Buffer buffer = api::make_buffer(ctx, 96, "x");
  std::vector<float> values(24);
  std::iota(values.begin(), values.end(), 0.0f);
  ASSERT_OK(vd_buffer_write(buffer, 0, values.data(), 96, 0));
  vd_dlpack_desc desc = VD_DLPACK_DESC_INIT;
  desc.element = VD_TYPE_F32;
  desc.rank = 2;
  desc.shape[0] = 4;
  desc.shape[1] = 6;
  desc.versioned = 1;
  uint64_t address = 0;
  ASSERT_OK(vd_buffer_export_dlpack(buffer, &desc, &address));
  auto* tensor = reinterpret_cast<DLManagedTensorVersioned*>(address);
  EXPECT_EQ(tensor->major, 1u);
  EXPECT_EQ(tensor->flags, 0u);
  EXPECT_EQ(tensor->tensor.device.type, 1);
  EXPECT_EQ(tensor->tensor.ndim, 2);
  EXPECT_EQ(tensor->tensor.dtype.code, 2);
  EXPECT_EQ(tensor->tensor.dtype.bits, 32);
  EXPECT_EQ(tensor->tensor.dtype.lanes, 1);
  EXPECT_EQ(tensor->tensor.shape[1], 6);
  EXPECT_EQ(tensor->tensor.strides[0], 6);
  EXPECT_EQ(tensor->tensor.strides[1], 1);
  wait();
  ASSERT_OK(vd_buffer_discard(buffer));
  buffer = {};
  ctx = {};
  EXPECT_EQ(std::memcmp(tensor->tensor.data, values.data(), 96), 0);
  std::thread([&] { tensor->deleter(tensor); }).join();  // any thread may

  ctx = api::host_context();
  buffer = api::make_buffer(ctx, 16, "y");
  desc = VD_DLPACK_DESC_INIT;
  desc.element = VD_TYPE_COMPLEX_F64;
  ASSERT_OK(vd_buffer_export_dlpack(buffer, &desc, &address));
  auto* old = reinterpret_cast<DLManagedTensor*>(address);
  EXPECT_EQ(old->tensor.ndim, 0);
  EXPECT_EQ(old->tensor.dtype.code, 5);
  EXPECT_EQ(old->tensor.dtype.bits, 128);
  old->deleter(old);
}

TEST_F(ImportTest, WhatIsNoTensor) {
  const api::Buffer buffer = api::make_buffer(ctx, 96, "x");
  uint64_t address = 1;
  vd_dlpack_desc desc = VD_DLPACK_DESC_INIT;
  EXPECT_FAILS(vd_buffer_export_dlpack(buffer, &desc, &address), VD_ERR_INVALID,
               "vd_buffer_export_dlpack: desc->element (0) is neither a scalar nor a complex number.");
  EXPECT_EQ(address, 0u);
  desc.element = VD_TYPE_F32X2;
  EXPECT_FAILS(vd_buffer_export_dlpack(buffer, &desc, &address), VD_ERR_INVALID,
               "vd_buffer_export_dlpack: desc->element (f32x2) is neither a scalar nor a complex number.");
  desc.element = VD_TYPE_F32;
  desc.rank = 9;
  EXPECT_FAILS(vd_buffer_export_dlpack(buffer, &desc, &address), VD_ERR_INVALID,
               "vd_buffer_export_dlpack: desc->rank (9) is more than 8.");
  desc.rank = 2;
  desc.shape[0] = 25;
  EXPECT_FAILS(
      vd_buffer_export_dlpack(buffer, &desc, &address), VD_ERR_INVALID,
      "vd_buffer_export_dlpack: desc->shape[0] (25) makes a tensor that is larger than buffer \"x\" (96 bytes).");
  desc.shape[0] = 4;
  EXPECT_FAILS(vd_buffer_export_dlpack(buffer, &desc, &address), VD_ERR_INVALID,
               "vd_buffer_export_dlpack: desc->shape[1] (0) is zero.");
  desc.rank = 0;
  desc.element = VD_TYPE_F64;
  api::Buffer word_sized;
  ASSERT_OK(vd_buffer_slice(buffer, 8, 4, word_sized.out()));
  EXPECT_FAILS(vd_buffer_export_dlpack(word_sized, &desc, &address), VD_ERR_INVALID,
               "vd_buffer_export_dlpack: desc->element (f64) has 8 bytes, more than buffer \"x\" (4 bytes).");
  desc.element = VD_TYPE_F32;
  desc.rank = 2;
  desc.versioned = 3;
  EXPECT_FAILS(vd_buffer_export_dlpack(buffer, &desc, &address), VD_ERR_INVALID,
               "vd_buffer_export_dlpack: desc->versioned (3) is neither 0 nor 1.");
  desc.versioned = 0;
  desc.copied = 2;
  EXPECT_FAILS(vd_buffer_export_dlpack(buffer, &desc, &address), VD_ERR_INVALID,
               "vd_buffer_export_dlpack: desc->copied (2) is neither 0 nor 1.");
  desc.copied = 0;
  uint32_t word = 0;
  vd_buffer_import_desc only_read = over(&word, 4);
  only_read.read_only = 1;
  api::Buffer theirs;
  ASSERT_OK(vd_buffer_import(ctx, &only_read, theirs.out()));
  desc.rank = 0;
  EXPECT_FAILS(vd_buffer_export_dlpack(theirs, &desc, &address), VD_ERR_UNSUPPORTED,
               "vd_buffer_export_dlpack: buffer \"theirs\" is read-only, which only a versioned tensor can say.");
  desc.versioned = 1;
  ASSERT_OK(vd_buffer_export_dlpack(theirs, &desc, &address));
  auto* tensor = reinterpret_cast<DLManagedTensorVersioned*>(address);
  EXPECT_EQ(tensor->flags, 1u);
  tensor->deleter(tensor);
}

// ---- Streams

TEST_F(ImportTest, StreamsAreCudas) {
  EXPECT_FAILS(vd_context_wait_stream(ctx, 0, 0, nullptr), VD_ERR_INVALID,
               "vd_context_wait_stream: stream (0) is zero; CUDA's default stream is 1.");
  EXPECT_FAILS(vd_context_wait_stream(ctx, 0, 1, nullptr), VD_ERR_UNSUPPORTED,
               "vd_context_wait_stream: stream (0x1) is a stream of CUDA's, and the queue is of another backend.");
  EXPECT_FAILS(vd_context_signal_stream(ctx, 7, 1), VD_ERR_INVALID,
               "vd_context_signal_stream: queue (7) is not below the context's queues (1).");
  EXPECT_EQ(vd_context_signal_stream(ctx, VD_QUEUE_ALL, 1), VD_ERR_UNSUPPORTED);
  const api::Buffer buffer = api::make_buffer(ctx, 64, "x");
  vd_order_desc order = VD_ORDER_DESC_INIT;
  order.stream = 5;
  EXPECT_FAILS(vd_buffer_fill(buffer, 0, 4, 1, 0, &order, nullptr), VD_ERR_UNSUPPORTED,
               "vd_buffer_fill: order->stream (0x5) is a stream of CUDA's, and the queue is of another backend.");
}

}  // namespace
