// Code that one process wrote and another one finds on disk: here, one context after the other.
#include "fft/code_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>

#include "backends/printed.h"
#include "devices.h"
#include "fft/gen.h"
#include "support/scratch_folder.h"

namespace vd::fft::test {
namespace {

// A device that prints kernels, and compiles nothing. Passes of a plan are compiled beside each other, in any order.
class Printer final : public backends::Device {
 public:
  struct Module final : backends::Module {
    std::string text;
    const std::string& source() const override { return text; }
    bool from_cache() const override { return true; }
  };
  struct Queue final : backends::Queue {
    uint64_t submit(const backends::CommandList&) override { throw std::logic_error("it runs nothing"); }
    uint64_t submit(backends::Executable&, uint32_t) override { throw std::logic_error("it runs nothing"); }
    std::unique_ptr<backends::Upload> stage(const backends::Range&, const void*) override { return nullptr; }
    void read(const backends::Range&, void*) override {}
    uint64_t completed() override { return 0; }
    bool wait(uint64_t, uint64_t) override { return true; }
    void wait_for(backends::Queue&, uint64_t) override {}
  };

  explicit Printer(const vd_device_info& info) : info_(info) {}
  const vd_device_info& info() const override { return info_; }
  uint32_t queue_count() const override { return 1; }
  backends::Queue& queue(uint32_t) override { return queue_; }
  std::unique_ptr<backends::Memory> make_memory(uint64_t, bool, const std::string&) override { return nullptr; }
  std::unique_ptr<backends::Executable> make_executable(const backends::CommandList&) override { return nullptr; }
  std::shared_ptr<backends::Module> make_module(const backends::ModuleDesc& desc) override {
    auto module = std::make_shared<Module>();
    EXPECT_FALSE(desc.printed.empty()) << "each is kept";
    module->text = backends::PrintedKernel::read(desc.printed).source.text;
    const std::lock_guard lock(mutex_);
    write_[module->text] = desc.write;
    return module;
  }
  std::vector<std::byte> print(const backends::ModuleDesc& desc) override {
    ++printed;
    return backends::print(*desc.kernel, VD_LANGUAGE_GLSL, options(desc.workgroup_size)).bytes();
  }
  std::optional<Hash128> printing_key() const override {
    return backends::printing_key(info_, VD_LANGUAGE_GLSL, options({}));
  }

  // The kernel of a text, which its plan writes once more; null where it would not.
  std::shared_ptr<const ir::Kernel> write_again(const std::string& text) {
    const std::lock_guard lock(mutex_);
    const auto& write = write_.at(text);
    return write ? write() : nullptr;
  }

  std::atomic<size_t> printed = 0;
  uint32_t value_limit = 128;

 private:
  codegen::Options options(std::array<uint32_t, 3> workgroup_size) const {
    codegen::Options options;
    options.workgroup_size = workgroup_size;
    options.value_limit = value_limit;
    return options;
  }
  const vd_device_info info_;
  Queue queue_;
  std::mutex mutex_;
  std::map<std::string, std::function<std::shared_ptr<const ir::Kernel>()>> write_;
};

// A plan as it shows itself, and its cost.
struct Planned {
  std::string explained, source;
  std::vector<std::array<uint32_t, 3>> workgroups;
  std::vector<std::vector<std::byte>> values;
  size_t builders = 0, printed = 0;
  std::shared_ptr<const ir::Kernel> again;  // the last pass, written once more where its plan found its text on disk

  std::string last_text() const { return source.substr(source.rfind("#version")); }
};

class KeptCode : public testing::Test {
 protected:
  vd_device_info info = h200(VD_BACKEND_VULKAN);
  vd_context_flags flags = 0;
  uint32_t value_limit = 128;

  // As a process of its own.
  Planned plan(const vd_fft_desc& desc) {
    auto device = std::make_unique<Printer>(info);
    Printer& printer = *device;
    printer.value_limit = value_limit;
    vd_context::Opened opened;
    opened.backend = VD_BACKEND_VULKAN;
    opened.runs_kernels = false;
    opened.flags = flags;
    opened.cache_directory = folder_.path();
    opened.devices.push_back(std::move(device));
    const Ref<vd_context> context = make_ref<vd_context>(std::move(opened));
    Planned planned;
    const auto gen = make_ref<vd_fft_gen>(*context, desc, [&](const vd_builder_desc& builder) {
      ++planned.builders;
      return make_ref<ir::Builder>(builder);
    });
    vd_fft_element element;
    EXPECT_EQ(gen->next(element), nullptr);
    const Ref<vd_plan> made = gen->finish();
    planned.printed = printer.printed;
    planned.explained = made->explain();
    planned.source = made->source();
    for (const vd_plan::Step& step : made->steps()) {
      planned.workgroups.push_back(step.workgroups);
      planned.values.push_back(step.values);
    }
    planned.again = printer.write_again(planned.last_text());
    return planned;
  }
  size_t entries() const {
    size_t count = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_.path()))
      count += entry.is_regular_file() ? 1 : 0;
    return count;
  }
  std::string folder() const { return folder_.path(); }

 private:
  vd::test::ScratchFolder folder_;
};

vd_fft_desc kept_lines(uint64_t count, uint64_t n) {
  vd_fft_desc desc = VD_FFT_DESC_INIT;
  desc.rank = 2;
  desc.shape[0] = count;
  desc.shape[1] = n;
  return desc;
}

TEST_F(KeptCode, IsNeitherWrittenNorPrintedAgain) {
  std::vector<vd_fft_desc> all{kept_lines(16, 1024), kept_lines(16, 65536), kept_lines(3, 8191), kept_lines(5, 20011)};
  all.push_back(kept_lines(64, 60));
  all.back().kind = VD_FFT_KIND_R2C;
  all.push_back(kept_lines(64, 256));
  all.back().axis_count = 2;
  all.back().axes[1] = 1;
  all.push_back(kept_lines(64, 256));
  all.back().flags = VD_FFT_CONVOLVE | VD_FFT_OUT_OF_PLACE;
  for (const vd_fft_desc& desc : all) {
    SCOPED_TRACE(testing::Message() << desc.shape[0] << " lines of " << desc.shape[1]);
    const Planned first = plan(desc), second = plan(desc);
    EXPECT_GT(first.builders, 0u);
    EXPECT_EQ(first.printed, first.builders);
    EXPECT_EQ(second.printed, 0u);
    EXPECT_EQ(second.explained, first.explained);
    EXPECT_EQ(second.source, first.source);
    EXPECT_EQ(second.workgroups, first.workgroups);
    EXPECT_EQ(second.values, first.values);
    ASSERT_NE(second.again, nullptr);
    EXPECT_EQ(backends::print(*second.again, VD_LANGUAGE_GLSL, {.value_limit = 128}).source.text, first.last_text());
  }
}

TEST_F(KeptCode, ServesAnotherCountOfLines) {
  const Planned first = plan(kept_lines(64, 1024)), other = plan(kept_lines(96, 1024));
  EXPECT_EQ(other.printed, 0u);
  EXPECT_EQ(other.source, first.source);
  EXPECT_NE(other.workgroups, first.workgroups);
}

// With any part of the key left out, one of these would find the code of another.
TEST_F(KeptCode, HasAllThatItFollowsFromInItsKey) {
  const vd_fft_desc usual = kept_lines(64, 1024);
  EXPECT_GT(plan(usual).printed, 0u);
  EXPECT_EQ(plan(usual).printed, 0u);
  {
    vd_fft_desc other = usual;
    other.builder_flags = VD_BUILDER_PRECISE;
    EXPECT_GT(plan(other).printed, 0u) << "flags of the kernels";
    other = usual;
    other.direction = VD_FFT_DIRECTION_INVERSE;
    EXPECT_GT(plan(other).printed, 0u) << "the transform";
    other = usual;
    other.label = "another";
    EXPECT_GT(plan(other).printed, 0u) << "names";
    other = usual;
    other.max_registers = 8;
    EXPECT_GT(plan(other).printed, 0u) << "the layout";
  }
  value_limit = 64;
  EXPECT_GT(plan(usual).printed, 0u) << "options of the printer";
  value_limit = 128;
  flags = VD_CONTEXT_ROBUST;
  EXPECT_GT(plan(usual).printed, 0u) << "checks of the context";
  flags = 0;
  ++info.driver_version;
  EXPECT_GT(plan(usual).printed, 0u) << "the driver";
  --info.driver_version;
  info.name[0] = 'X';
  EXPECT_GT(plan(usual).printed, 0u) << "the device";
  info.name[0] = 'N';
  EXPECT_EQ(plan(usual).printed, 0u);
}

// Its checksum is the cache's: core/disk_cache.h.
TEST_F(KeptCode, IsWrittenAgainWhereAFileIsDamaged) {
  const vd_fft_desc desc = kept_lines(64, 1024);
  const Planned first = plan(desc);
  ASSERT_EQ(entries(), 1u);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder())) {
    if (!entry.is_regular_file()) continue;
    std::fstream file(entry.path(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(-10, std::ios::end);
    file.put('?');
  }
  const Planned second = plan(desc);
  EXPECT_GT(second.printed, 0u);
  EXPECT_EQ(second.source, first.source);
  EXPECT_EQ(plan(desc).printed, 0u) << "it was kept again";
}

TEST_F(KeptCode, OfAnyBytesIsNoCrash) {
  runtime::KeptKernel kernel;
  kernel.name = "fft";
  kernel.printed = backends::PrintedKernel{}.bytes();
  kernel.bindings.resize(2);
  ByteWriter whole;
  kernel.add_to(whole);
  for (size_t size = 0; size < whole.bytes().size(); ++size) {
    ByteReader reader(std::span(whole.bytes()).first(size));
    EXPECT_THROW(runtime::KeptKernel::read(reader), Error) << size;
  }
  ByteReader reader(whole.bytes());
  EXPECT_EQ(runtime::KeptKernel::read(reader).bindings.size(), 2u);
  for (size_t size = 0; size < kernel.printed.size(); ++size)
    EXPECT_THROW(backends::PrintedKernel::read(std::span(kernel.printed).first(size)), Error) << size;
}

}  // namespace
}  // namespace vd::fft::test
