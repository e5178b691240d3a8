// Buffers over the program's memory on every backend whose device takes it.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "api/shared_context.h"
#include "api/support.h"

namespace {

constexpr uint64_t kPage = 4096;

// Whole pages, so that nothing else of the program lies in them.
class Pages {
 public:
  explicit Pages(uint64_t count) : bytes_(static_cast<std::byte*>(::operator new(count* kPage, kAlign))) {
    std::memset(bytes_, 0, count * kPage);
  }
  Pages(const Pages&) = delete;
  ~Pages() { ::operator delete(bytes_, kAlign); }
  uint32_t* words(uint64_t offset = 0) const { return reinterpret_cast<uint32_t*>(bytes_ + offset); }

 private:
  static constexpr std::align_val_t kAlign{kPage};
  std::byte* bytes_;
};

// x[i] = x[i] * 3 + c.
api::Kernel step_kernel() {
  api::Writer w("step");
  const vd_value x = w.buffer("x"), c = w.constant("c"), i = w.x();
  w.store(w.at(x, i), w.emit(VD_OP_ADD, {w.emit(VD_OP_MUL, {w.at(x, i), w.u32(3)}), c}));
  return w.finish();
}

class HostImport : public testing::TestWithParam<vd_backend> {
 protected:
  void SetUp() override { open(1); }
  void TearDown() override { expect_released(); }

  // Threads of the library's tell of releases, also when a test is over.
  void expect_released() const {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (released_ != imports_ && std::chrono::steady_clock::now() < end) std::this_thread::yield();
    EXPECT_EQ(released_, imports_);
  }

  void open(uint32_t queues) {
    ctx_ = api::shared_context(GetParam(), 0, queues);
    if (ctx_ == nullptr) GTEST_SKIP() << vd_last_error();
    ASSERT_OK(vd_context_get_device(ctx_, 0, &info_));
    if (info_.host_import_alignment == 0) GTEST_SKIP() << info_.name << " imports no memory of the host";
  }
  vd_buffer_import_desc over(void* bytes, uint64_t size) { return api::host_import(bytes, size, released_); }
  api::Buffer import(void* bytes, uint64_t size) {
    api::Buffer buffer;
    const vd_buffer_import_desc desc = over(bytes, size);
    EXPECT_OK(vd_buffer_import(ctx_, &desc, buffer.out()));
    if (buffer) ++imports_;
    return buffer;
  }
  void step(vd_plan* plan, vd_buffer* buffer, uint32_t words, uint32_t c, uint32_t queue = 0) {
    api::Launch launch(words, {{buffer, 0, 0}}, c);
    launch.desc.queue = queue;
    ASSERT_OK(vd_plan_launch(plan, &launch.desc, nullptr));
  }
  void wait() { ASSERT_OK(vd_context_wait_idle(ctx_, VD_QUEUE_ALL, VD_WAIT_FOREVER)); }

  api::Context ctx_;
  vd_device_info info_ = VD_DEVICE_INFO_INIT;
  std::atomic<int> released_{0};
  int imports_ = 0;
};

TEST_P(HostImport, KernelsWorkOnTheProgramsBytes) {
  const Pages pages(2);
  for (uint32_t i = 0; i < 2048; ++i) pages.words()[i] = i;
  {
    const api::Buffer buffer = import(pages.words(), 2 * kPage);
    const api::Plan plan = api::make_plan(ctx_, step_kernel());
    step(plan, buffer, 2048, 1);
    wait();
    for (uint32_t i = 0; i < 2048; ++i) ASSERT_EQ(pages.words()[i], 3 * i + 1);
    pages.words()[7] = 100;  // the program's own write, while nothing runs
    step(plan, buffer, 2048, 0);
    EXPECT_EQ(api::read<uint32_t>(buffer, 8)[7], 300u);
    EXPECT_EQ(released_, 0);
  }
  expect_released();
  EXPECT_EQ(released_, 1);
}

// At any element of a page, and across pages; nothing beside it changes.
TEST_P(HostImport, AnyElementIsTheFirst) {
  const Pages pages(3);
  const api::Plan plan = api::make_plan(ctx_, step_kernel());
  for (const uint64_t offset : {uint64_t{4}, uint64_t{60}, kPage - 8, kPage + 20}) {
    for (uint32_t i = 0; i < 3 * 1024; ++i) pages.words()[i] = 5;
    const api::Buffer buffer = import(pages.words(offset), 400);
    vd_buffer_info info = VD_BUFFER_INFO_INIT;
    ASSERT_OK(vd_buffer_get_info(buffer, &info));
    EXPECT_EQ(info.offset, 0u);
    EXPECT_EQ(info.size, 400u);
    EXPECT_EQ(info.imported, 1u);
    step(plan, buffer, 100, 2);
    ASSERT_OK(vd_buffer_fill(buffer, 396, 4, 9, 0, nullptr, nullptr));
    const uint32_t word = 77;
    ASSERT_OK(vd_buffer_write(buffer, 4, &word, 4, 0));
    api::Buffer slice;
    ASSERT_OK(vd_buffer_slice(buffer, 8, 8, slice.out()));
    ASSERT_OK(vd_buffer_get_info(slice, &info));
    EXPECT_EQ(info.offset, 8u);
    EXPECT_EQ(api::read<uint32_t>(slice, 2), (std::vector<uint32_t>{17, 17}));
    wait();
    for (uint32_t i = 0; i < 3 * 1024; ++i) {
      const uint64_t at = i * 4;
      const uint32_t expected = at < offset || at >= offset + 400 ? 5
                                : at == offset + 4                ? 77
                                : at == offset + 396              ? 9
                                                                  : 17;
      ASSERT_EQ(pages.words()[i], expected) << "byte " << at << " of an import at " << offset;
    }
  }
}

// Each step of one buffer comes after the step of the other that shares its bytes, also on other queues.
TEST_P(HostImport, TwoBuffersOverOneAddressConflict) {
  const uint32_t queues = std::min(info_.queue_count, 4u);
  open(queues);
  if (testing::Test::IsSkipped()) return;
  const Pages pages(64);
  const uint32_t words = 64 * 1024;
  const api::Buffer one = import(pages.words(), words * 4), other = import(pages.words(), words * 4);
  const api::Plan plan = api::make_plan(ctx_, step_kernel());
  uint32_t expected = 0;
  for (uint32_t i = 0; i < 60; ++i) {
    step(plan, i % 2 == 0 ? one : other, words, i, i % queues);
    expected = expected * 3 + i;
  }
  wait();
  for (uint32_t i = 0; i < words; ++i) ASSERT_EQ(pages.words()[i], expected) << i;
  EXPECT_FAILS(vd_buffer_copy(one, 0, other, 128, 256, 0, nullptr, nullptr), VD_ERR_INVALID,
               "vd_buffer_copy: source bytes 0 to 256 and destination bytes 128 to 384 of buffer \"theirs\" overlap.");
}

TEST_P(HostImport, AnImportWithinAnother) {
  const Pages pages(2);
  const api::Buffer whole = import(pages.words(), 2 * kPage), part = import(pages.words(1024), 512);
  const api::Plan plan = api::make_plan(ctx_, step_kernel());
  for (uint32_t i = 0; i < 20; ++i) {
    step(plan, whole, 2048, 1);
    step(plan, part, 128, 0);
  }
  wait();
  uint32_t inside = 0, outside = 0;
  for (uint32_t i = 0; i < 20; ++i) inside = (inside * 3 + 1) * 3, outside = outside * 3 + 1;
  EXPECT_EQ(pages.words(1024)[0], inside);
  EXPECT_EQ(pages.words(1024 + 508)[0], inside);
  EXPECT_EQ(pages.words(1020)[0], outside);
  EXPECT_EQ(pages.words(1536)[0], outside);
}

TEST_P(HostImport, IsMappedWhereItIs) {
  const Pages pages(1);
  const api::Buffer buffer = import(pages.words(64), 256);
  ASSERT_OK(vd_buffer_fill(buffer, 0, 256, 6, 0, nullptr, nullptr));
  api::Mapping mapping;
  ASSERT_OK(vd_buffer_map(buffer, 16, 64, VD_MAP_READ | VD_MAP_WRITE, 0, mapping.out()));
  vd_mapping_info info = VD_MAPPING_INFO_INIT;
  ASSERT_OK(vd_mapping_get_info(mapping, &info));
  EXPECT_EQ(info.data, pages.words(80));
  EXPECT_EQ(*static_cast<uint32_t*>(info.data), 6u);
  EXPECT_EQ(vd_buffer_fill(buffer, 0, 32, 1, 0, nullptr, nullptr), VD_ERR_STATE);
}

// An instance of a CUDA graph takes no memory of another kind for a copy.
TEST_P(HostImport, NodesOfAGraphTakeIt) {
  const Pages pages(1);
  pages.words()[0] = 7, pages.words()[1] = 8;
  const api::Buffer imported = import(pages.words(), kPage);
  if (!imported) return;
  const api::Buffer a = api::make_buffer(ctx_, std::vector<uint32_t>{1, 2}),
                    b = api::make_buffer(ctx_, std::vector<uint32_t>{3, 4});
  api::Graph graph;
  ASSERT_OK(vd_graph_create(ctx_, nullptr, graph.out()));
  vd_node copied = 0, filled = 0;
  ASSERT_OK(vd_graph_copy(graph, b, 0, a, 0, 4, &copied));
  ASSERT_OK(vd_graph_fill(graph, a, 4, 4, 9, &filled));
  const auto run = [&] {
    ASSERT_OK(vd_graph_submit(graph, nullptr, nullptr));
    ASSERT_OK(vd_context_wait_idle(ctx_, VD_QUEUE_ALL, VD_WAIT_FOREVER));
  };
  const auto rebind = [&](vd_node node, std::vector<vd_binding> to) {
    ASSERT_OK(vd_graph_set_bindings(graph, node, 0, to.data(), static_cast<uint32_t>(to.size())));
  };
  run();
  EXPECT_EQ(api::read<uint32_t>(a, 2), (std::vector<uint32_t>{3, 9}));
  rebind(copied, {VD_BINDING_OF(imported, 0, 4), VD_BINDING_OF(a, 0, 4)});
  rebind(filled, {VD_BINDING_OF(imported, 4, 4)});
  run();
  EXPECT_EQ(api::read<uint32_t>(a, 1)[0], 7u);
  EXPECT_EQ(api::read<uint32_t>(imported, 2), (std::vector<uint32_t>{7, 9}));
  rebind(copied, {VD_BINDING_OF(b, 4, 4), VD_BINDING_OF(imported, 8, 4)});
  rebind(filled, {VD_BINDING_OF(b, 0, 4)});
  run();
  EXPECT_EQ(api::read<uint32_t>(imported, 3)[2], 4u);
  EXPECT_EQ(api::read<uint32_t>(b, 1)[0], 9u);
}

TEST_P(HostImport, WhatIsRefused) {
  const Pages pages(1);
  api::Buffer buffer;
  const vd_buffer_import_desc desc = over(pages.words(), uint64_t{1} << 62);
  EXPECT_FAILS(vd_buffer_import(ctx_, &desc, buffer.out()), VD_ERR_INVALID,
               ("vd_buffer_import: desc->size (4611686018427387904) is more than device \"" + std::string(info_.name) +
                "\" has in one buffer (" + std::to_string(info_.max_allocation_size) + ").")
                   .c_str());
  EXPECT_EQ(static_cast<vd_buffer*>(buffer), nullptr);
  const bool overlaps = info_.backend == VD_BACKEND_HOST || info_.backend == VD_BACKEND_VULKAN;
  const api::Buffer part = import(pages.words(1024), 256);
  const vd_buffer_import_desc around = over(pages.words(768), 1024);
  const vd_status status = vd_buffer_import(ctx_, &around, buffer.out());
  if (status == VD_OK) ++imports_;
  if (overlaps) {
    EXPECT_OK(status);
    return;
  }
  EXPECT_EQ(status, VD_ERR_UNSUPPORTED);
  EXPECT_THAT(vd_last_error(), testing::HasSubstr("import the larger one first"));
  EXPECT_EQ(released_, 0);
}

INSTANTIATE_TEST_SUITE_P(Each, HostImport, api::each_backend(), api::backend_name);

}  // namespace
