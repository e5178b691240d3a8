// Queues: order, several of them, waiting with a limit, prepared lists.
#include <gmock/gmock.h>

#include <thread>

#include "unit/host/support.h"

namespace vd::host::test {
namespace {

using testing::Each;

constexpr const char* kAdd = R"(kernel "add" no_exec_bounds
argument 0 buffer u32 "data"
argument 1 constant u32 "n"
{
  %0: u32 = index global_id, u32 0
  %1: storage u32 = index @0, %0
  %2: u32 = load %1
  %3: u32 = load @1
  %4: u32 = mul %2, u32 3
  %5: u32 = add %4, %3
  store %1, %5
}
)";

TEST(HostQueue, DoesWorkInOrder) {
  Host host;
  auto module = host.module(kAdd, {64, 1, 1});
  auto data = host.buffer(std::vector<uint32_t>(256, 0));
  uint32_t expected = 0;
  for (uint32_t i = 0; i < 200; ++i) {
    host.launch(*module, {4, 1, 1}, {data.get()}, pack(i));
    expected = expected * 3 + i;
  }
  EXPECT_THAT(host.read<uint32_t>(*data), Each(expected));
}

TEST(HostQueue, APreparedListRunsAsOftenAsAsked) {
  Host host;
  auto module = host.module(kAdd, {64, 1, 1});
  auto data = host.buffer(std::vector<uint32_t>(64, 0));
  backends::CommandList list;
  backends::Command command;
  command.module = module.get();
  command.workgroups = {1, 1, 1};
  command.binding_count = 1;
  command.values_size = 4;
  list.ranges.push_back({data.get(), 0, data->size()});
  list.values = pack(1u);
  list.commands.push_back(command);
  auto executable = host.device().make_executable(list);
  list.values.clear();  // it has its own
  host.queue().submit(*executable, 3);
  host.queue().wait(host.queue().submit(*executable, 2), ~uint64_t{0});
  EXPECT_THAT(host.read<uint32_t>(*data), Each(121u));
}

TEST(HostQueue, WaitsForAnothersValue) {
  backends::DeviceOptions options;
  options.queue_count = 2;
  Host host(options);
  auto module = host.module(kAdd, {64, 1, 1});
  for (int turn = 0; turn < 50; ++turn) {
    auto data = host.buffer(std::vector<uint32_t>(6400, 1));
    const uint64_t value = host.launch(*module, {100, 1, 1}, {data.get()}, pack(4u));
    host.queue(1).wait_for(host.queue(0), value);
    host.queue(1).wait(host.launch(*module, {100, 1, 1}, {data.get()}, pack(5u), 1), ~uint64_t{0});
    std::vector<uint32_t> got(6400);
    host.queue(1).read({data.get(), 0, data->size()}, got.data());
    ASSERT_THAT(got, Each(26u));
  }
}

TEST(HostQueue, AWaitEndsWhenItsTimeIsUp) {
  Host host;
  auto module = host.module(R"(kernel "slow" no_exec_bounds
argument 0 buffer u32 "data"
{
  %0: storage u32 = index @0, u32 0
  loop {
    %1: u32 = atomic_load %0
    %2: bool = ne %1, u32 0
    if %2 {
      break
    }
  }
}
)",
                            {1, 1, 1});
  auto data = host.buffer(std::vector<uint32_t>(1, 0));
  host.read<uint32_t>(*data);  // the zero is there before this thread writes its one
  const uint64_t value = host.launch(*module, {1, 1, 1}, {data.get()});
  EXPECT_FALSE(host.queue().wait(value, 1'000'000));
  EXPECT_FALSE(host.queue().wait(value, 0));
  EXPECT_LT(host.queue().completed(), value);
  __atomic_store_n(static_cast<uint32_t*>(data->host_pointer()), 1u, __ATOMIC_SEQ_CST);
  EXPECT_TRUE(host.queue().wait(value, ~uint64_t{0}));
  EXPECT_EQ(host.queue().completed(), value);
}

TEST(HostQueue, ManyThreadsMaySubmit) {
  Host host;
  auto module = host.module(R"(kernel "count" no_exec_bounds
argument 0 buffer u32 "data"
{
  %0: storage u32 = index @0, u32 0
  %1: u32 = atomic_add %0, u32 1
}
)",
                            {32, 1, 1});
  auto data = host.buffer(std::vector<uint32_t>(1, 0));
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      uint64_t last = 0;
      for (int i = 0; i < 100; ++i) last = host.launch(*module, {4, 1, 1}, {data.get()});
      host.queue().wait(last, ~uint64_t{0});
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(host.read<uint32_t>(*data)[0], 4u * 100 * 4 * 32);
}

TEST(HostQueue, AZeroSizedLaunchDoesNothing) {
  Host host;
  auto module = host.module(kAdd, {64, 1, 1});
  auto data = host.buffer(std::vector<uint32_t>(64, 2));
  host.run(*module, {0, 1, 1}, {data.get()}, pack(1u));
  EXPECT_THAT(host.read<uint32_t>(*data), Each(2u));
}

TEST(HostDevice, SaysWhatItIs) {
  auto& backend = backends::get_backend(VD_BACKEND_HOST);
  ASSERT_EQ(backend.devices().size(), 1u);
  const vd_device_info& info = backend.devices()[0];
  EXPECT_EQ(info.type, VD_DEVICE_CPU);
  EXPECT_TRUE(std::string(info.name).starts_with("Host CPU ("));
  EXPECT_EQ(info.subgroup_size, 32u);
  EXPECT_GT(info.memory_size, uint64_t{1} << 20);
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(info.uuid)), "vkdispatch-host");
}

TEST(HostDevice, TooMuchMemoryIsAnError) {
  Host host;
  const Error e = error_of([&] { host.device().make_memory(uint64_t{1} << 62, false, "huge"); });
  EXPECT_EQ(e.status(), VD_ERR_OUT_OF_MEMORY);
  EXPECT_THAT(e.what(), testing::HasSubstr("\"huge\""));
}

}  // namespace
}  // namespace vd::host::test
