#include "unit/cuda/fixture.h"

#include <dlfcn.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <map>
#include <thread>
#include <tuple>

#include "ir/analyse.h"
#include "ir/emitter.h"
#include "ir/text.h"

namespace vd::cuda {
namespace {

// The thread that looks after semaphores may let go of one a moment later.
void expect_none_live() {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (control().live() != 0 && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  EXPECT_EQ(control().live(), 0u) << "handles of the driver that nobody gave back";
}

using Key = std::tuple<bool, bool, uint64_t, uint32_t>;
std::map<Key, std::shared_ptr<Device>> devices;

class CloseDevices : public testing::Environment {
 public:
  void TearDown() override {
    devices.clear();
    if (control().live != nullptr) expect_none_live();
  }
};
[[maybe_unused]] testing::Environment* const kCloseDevices = testing::AddGlobalTestEnvironment(new CloseDevices);

Control load() {
  Control c;
  if (std::getenv("VD_TEST_REAL_CUDA") != nullptr) return c;
  // The name within the library is libcuda.so.1, so that whoever opens that now gets this one.
  void* library = dlopen(VD_EMULATED_DIR "/libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    ADD_FAILURE() << dlerror();
    return c;
  }
  setenv("VKDISPATCH_NVRTC", VD_EMULATED_DIR "/libnvrtc.so", 1);
  const auto get = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
  };
  get(c.fail, "vd_emulated_fail");
  get(c.break_next_kernel, "vd_emulated_break_next_kernel");
  get(c.calls, "vd_emulated_calls");
  get(c.live, "vd_emulated_live");
  get(c.held_back, "vd_emulated_held_back");
  get(c.delay, "vd_emulated_delay");
  get(c.timer, "vd_emulated_timer");
  get(c.memory, "vd_emulated_memory");
  c.delay(100);  // what is not waited for is not done yet
  return c;
}

}  // namespace

const Control& control() {
  static const Control loaded = load();
  return loaded;
}

std::shared_ptr<Device> open_fresh(const Overrides& overrides, const std::string& cache_dir, uint32_t queue_count) {
  control();
  backends::DeviceOptions options;
  options.queue_count = queue_count;
  options.cache_dir = cache_dir;
  options.thread_count = 4;
  return open_device({}, options, overrides);
}

void CudaTest::SetUp() {
  const Overrides o = overrides();
  auto& device = devices[{o.memory_pools, o.write_values, o.staging_size, queue_count()}];
  if (!device) device = open_fresh(o, "", queue_count());
  device_ = device;
}

void CudaTest::TearDown() {
  if (!device_) return;
  for (uint32_t i = 0; i < device_->queue_count(); ++i) {
    auto& q = device_->queue(i);
    EXPECT_TRUE(q.wait(q.submit(backends::CommandList{}), VD_WAIT_FOREVER));
  }
}

void CudaFailure::SetUp() {
  if (control().fail == nullptr) GTEST_SKIP() << "a real driver does not fail on demand";
  devices.clear();
  device_ = open_fresh();
}

void CudaFailure::TearDown() {
  if (control().fail == nullptr) return;
  device_.reset();
  expect_none_live();
}

std::unique_ptr<backends::Memory> CudaTest::memory(uint64_t size, bool host) {
  return device_->make_memory(size, host, "test");
}

std::unique_ptr<backends::Memory> CudaTest::words(const std::vector<uint32_t>& values) {
  auto made = memory(values.size() * 4);
  test::write(queue(), whole(*made), values.data());
  return made;
}

std::vector<uint32_t> CudaTest::read_words(backends::Memory& from) {
  std::vector<uint32_t> values(from.size() / 4);
  queue().read(whole(from), values.data());
  return values;
}

std::shared_ptr<backends::Module> CudaTest::cuda(const std::string& text, uint32_t buffers, uint32_t values_size,
                                                 std::array<uint32_t, 3> workgroup_size) {
  backends::SourceText source;
  source.language = VD_LANGUAGE_CUDA;
  source.text = text;
  source.bindings.assign(buffers, 1);
  source.values_size = values_size;
  backends::ModuleDesc desc;
  desc.source = &source;
  desc.label = "test kernel";
  desc.workgroup_size = workgroup_size;
  return device_->make_module(desc);
}

std::shared_ptr<backends::Module> CudaTest::kernel(const std::string& text, std::array<uint32_t, 3> workgroup_size) {
  const ir::Kernel code = ir::parse_text(text);
  backends::ModuleDesc desc;
  desc.kernel = &code;
  desc.workgroup_size = workgroup_size;
  return device_->make_module(desc);
}

std::shared_ptr<backends::Module> CudaTest::affine() {
  return kernel(R"(kernel "affine" no_exec_bounds
argument 0 buffer u32 "x"
argument 1 constant u32 "count"
argument 2 constant u32 "a"
argument 3 constant u32 "b"
{
  %0: u32 = index global_id, u32 0
  %1: u32 = load @1
  %2: bool = lt %0, %1
  if %2 {
    %3: storage u32 = index @0, %0
    %4: u32 = load %3
    %5: u32 = load @2
    %6: u32 = load @3
    %7: u32 = mul %4, %5
    %8: u32 = add %7, %6
    store %3, %8
  }
}
)");
}

std::shared_ptr<backends::Module> CudaTest::many_values() {
  std::string text = "kernel \"many\" no_exec_bounds\nargument 0 buffer u32 \"x\"\n";
  for (uint32_t i = 1; i <= kManyValues; ++i) text += fmt::format("argument {} constant u32 \"v{}\"\n", i, i);
  text += fmt::format(
      "{{\n  %0: u32 = index global_id, u32 0\n"
      "  %1: storage u32 = index @0, u32 0\n  %2: u32 = load @{}\n  store %1, %2\n"
      "  %3: storage u32 = index @0, u32 1\n  %4: u32 = load @1\n  store %3, %4\n}}\n",
      kManyValues);
  return kernel(text, {1, 1, 1});
}

std::shared_ptr<backends::Module> CudaTest::accumulate() {
  return kernel(R"(kernel "accumulate" no_exec_bounds
argument 0 buffer u32 "to"
argument 1 buffer u32 "from"
argument 2 constant u32 "count"
{
  %0: u32 = index global_id, u32 0
  %1: u32 = load @2
  %2: bool = lt %0, %1
  if %2 {
    %3: storage u32 = index @0, %0
    %4: u32 = load %3
    %5: u32 = mul %4, u32 3
    %6: storage u32 = index @1, %0
    %7: u32 = load %6
    %8: u32 = add %5, %7
    store %3, %8
  }
}
)");
}

std::unique_ptr<backends::Image> CudaTest::line(uint32_t width, uint32_t levels) {
  backends::ImageShape shape;
  shape.format = VD_FORMAT_R32_F32;
  shape.dimensions = 1;
  shape.extent = {width, 1, 1};
  shape.levels = levels;
  shape.storage = true;
  shape.label = "line";
  return device_->make_image(shape);
}

std::shared_ptr<backends::Module> CudaTest::doubler() {
  ir::Kernel kernel;
  kernel.name = "double";
  kernel.flags |= VD_BUILDER_NO_EXEC_BOUNDS;
  const ir::Type from = ir::Type::image(ir::Scalar::F32, 1, false);
  const ir::Type to = ir::Type::image(ir::Scalar::F32, 1, false, VD_ARGUMENT_ACCESS_WRITE, VD_FORMAT_R32_F32);
  kernel.arguments = {{VD_ARGUMENT_IMAGE, from, "from"}, {VD_ARGUMENT_IMAGE, to, "to"}};
  kernel.arguments[1].binding = 1;
  ir::Emitter e(kernel);
  const ir::ValueId i = e.at(e.builtin(VD_BUILTIN_GLOBAL_ID), 0);
  const ir::ValueId texel =
      e.emit(VD_OP_IMAGE_SAMPLE, e.leaf(ir::kOpArgument, from, 0), e.convert(ir::kF32, i), e.constant(ir::kF32, 0));
  e.emit(VD_OP_IMAGE_STORE, ir::Type(), {e.leaf(ir::kOpArgument, to, 1), i, e.add(texel, texel)});
  ir::analyse(kernel);
  backends::ModuleDesc desc;
  desc.kernel = &kernel;
  desc.workgroup_size = {16, 1, 1};
  return device_->make_module(desc);
}

void CudaTest::launch_doubler(ListBuilder& work, backends::Module& module, backends::Image& from, backends::Image& to,
                              uint32_t count, const vd_sampler_desc& how) {
  work.dispatch(module, (count + 15) / 16, {whole(from), whole(to)}, {});
  work.list.commands.back().first_image = static_cast<uint32_t>(work.list.images.size());
  samplers_.push_back(device_->make_sampler(how));
  work.list.images.push_back({samplers_.back().get(), 0});
  work.list.images.push_back({nullptr, 0});
}

void copy_boxes(ListBuilder& work, backends::Command::Kind kind, backends::Memory& source,
                backends::Memory& destination, const std::vector<backends::Box>& boxes) {
  work.copy(whole(source), whole(destination));
  backends::Command& command = work.list.commands.back();
  command.kind = kind;
  command.first_box = static_cast<uint32_t>(work.list.boxes.size());
  work.list.boxes.insert(work.list.boxes.end(), boxes.begin(), boxes.end());
}

}  // namespace vd::cuda
