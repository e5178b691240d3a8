// The one translation unit with VkFFT in it. VkFFT calls Vulkan and glslang by their global names; here these are
// functions of a tape's (device.h), and no other file includes its header.
#include "vkfft/library.h"

#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mutex>

#include "core/error.h"
#include "vkfft/device.h"

#define vkGetPhysicalDeviceProperties vd::vkfft::device::get_properties
#define vkGetPhysicalDeviceMemoryProperties vd::vkfft::device::get_memory_properties
#define vkCreateBuffer vd::vkfft::device::create_buffer
#define vkDestroyBuffer vd::vkfft::device::destroy
#define vkGetBufferMemoryRequirements vd::vkfft::device::get_requirements
#define vkAllocateMemory vd::vkfft::device::allocate_memory
#define vkFreeMemory vd::vkfft::device::destroy
#define vkBindBufferMemory vd::vkfft::device::bind_memory
#define vkMapMemory vd::vkfft::device::map_memory
#define vkUnmapMemory vd::vkfft::device::unmap_memory
#define vkCreateShaderModule vd::vkfft::device::create_shader
#define vkDestroyShaderModule vd::vkfft::device::destroy
#define vkCreateDescriptorSetLayout vd::vkfft::device::create_set_layout
#define vkDestroyDescriptorSetLayout vd::vkfft::device::destroy
#define vkCreatePipelineLayout vd::vkfft::device::create_pipeline_layout
#define vkDestroyPipelineLayout vd::vkfft::device::destroy
#define vkCreateComputePipelines vd::vkfft::device::create_pipelines
#define vkDestroyPipeline vd::vkfft::device::destroy
#define vkCreateDescriptorPool vd::vkfft::device::create_pool
#define vkDestroyDescriptorPool vd::vkfft::device::destroy
#define vkAllocateDescriptorSets vd::vkfft::device::allocate_sets
#define vkUpdateDescriptorSets vd::vkfft::device::update_sets
#define vkAllocateCommandBuffers vd::vkfft::device::allocate_commands
#define vkFreeCommandBuffers vd::vkfft::device::free_commands
#define vkBeginCommandBuffer vd::vkfft::device::begin
#define vkEndCommandBuffer vd::vkfft::device::end
#define vkCmdBindPipeline vd::vkfft::device::bind_pipeline
#define vkCmdBindDescriptorSets vd::vkfft::device::bind_sets
#define vkCmdPushConstants vd::vkfft::device::push
#define vkCmdDispatch vd::vkfft::device::dispatch
#define vkCmdCopyBuffer vd::vkfft::device::copy_buffer
#define vkCmdPipelineBarrier vd::vkfft::device::pipeline_barrier
#define vkQueueSubmit vd::vkfft::device::queue_submit
#define vkWaitForFences vd::vkfft::device::wait_for_fences
#define vkResetFences vd::vkfft::device::reset_fences
#define glslang_initialize_process vd::vkfft::device::compiler_begin
#define glslang_finalize_process vd::vkfft::device::compiler_end
#define glslang_shader_create vd::vkfft::device::shader_create
#define glslang_shader_delete vd::vkfft::device::shader_delete
#define glslang_shader_preprocess vd::vkfft::device::shader_accept
#define glslang_shader_parse vd::vkfft::device::shader_accept
#define glslang_shader_get_info_log vd::vkfft::device::shader_log
#define glslang_shader_get_info_debug_log vd::vkfft::device::shader_log
#define glslang_program_create vd::vkfft::device::program_create
#define glslang_program_delete vd::vkfft::device::program_delete
#define glslang_program_add_shader vd::vkfft::device::program_add
#define glslang_program_link vd::vkfft::device::program_link
#define glslang_program_get_info_log vd::vkfft::device::program_log
#define glslang_program_get_info_debug_log vd::vkfft::device::program_log
#define glslang_program_SPIRV_generate vd::vkfft::device::program_generate
#define glslang_program_SPIRV_get_messages vd::vkfft::device::program_messages
#define glslang_program_SPIRV_get_size vd::vkfft::device::program_size
#define glslang_program_SPIRV_get_ptr vd::vkfft::device::program_words
#define malloc vd::vkfft::device::allocate
#define calloc vd::vkfft::device::allocate_zeros
#define free vd::vkfft::device::give_back
#define printf vd::vkfft::device::print
#define VKFFT_BACKEND 0
#include <vkFFT.h>
#undef malloc
#undef calloc
#undef free
#undef printf

namespace vd::vkfft {
namespace {

using device::current;
using device::handle;

static_assert(Settings::kMaxDims == VKFFT_MAX_FFT_DIMENSIONS);

vd_status status_of(VkFFTResult result) {
  switch (result) {
    case VKFFT_ERROR_MALLOC_FAILED:
    case VKFFT_ERROR_FAILED_TO_ALLOCATE:
    case VKFFT_ERROR_FAILED_TO_ALLOCATE_MEMORY:
    case VKFFT_ERROR_FAILED_TO_FIND_MEMORY:
      return VD_ERR_OUT_OF_MEMORY;
    case VKFFT_ERROR_FFTdim_GT_MAX_FFT_DIMENSIONS:
    case VKFFT_ERROR_UNSUPPORTED_RADIX:
    case VKFFT_ERROR_UNSUPPORTED_FFT_LENGTH:
    case VKFFT_ERROR_UNSUPPORTED_FFT_LENGTH_R2C:
    case VKFFT_ERROR_UNSUPPORTED_FFT_LENGTH_R2R:
    case VKFFT_ERROR_UNSUPPORTED_FFT_OMIT:
      return VD_ERR_UNSUPPORTED;
    default:
      return VD_ERR_INTERNAL;
  }
}

// Its own code, and in whose name we failed where it was one of our functions.
void check(VkFFTResult result, const char* function) {
  if (result == VKFFT_SUCCESS && !current.tape->failure) return;
  const std::string what = result == VKFFT_SUCCESS ? fmt::format("VkFFT's {}", function)
                                                   : fmt::format("VkFFT's {} failed with {} ({})", function,
                                                                 getVkFFTErrorString(result), static_cast<int>(result));
  if (!current.tape->failure) throw Error(status_of(result), what);
  try {
    std::rethrow_exception(current.tape->failure);
  } catch (const Error& error) {
    throw Error(error.status(), fmt::format("{}: {}", what, error.what()));
  }
}

// VkFFT prints numbers into its shaders, and no language's comma may get there. For this thread alone.
class NumbersInC {
 public:
  NumbersInC() : c_(newlocale(LC_ALL_MASK, "C", nullptr)), before_(c_ != nullptr ? uselocale(c_) : nullptr) {}
  NumbersInC(const NumbersInC&) = delete;
  NumbersInC& operator=(const NumbersInC&) = delete;
  ~NumbersInC() {
    if (c_ == nullptr) return;
    uselocale(before_);
    freelocale(c_);
  }

 private:
  locale_t c_, before_;
};

class OnTape {
 public:
  OnTape(Tape& tape, const vulkan::Gpu& gpu) : before_(current) { current = {&tape, &gpu}; }
  OnTape(const OnTape&) = delete;
  OnTape& operator=(const OnTape&) = delete;
  ~OnTape() { current = before_; }

 private:
  device::Current before_;
};

using Arguments = std::array<VkBuffer, 3>;

// The values that VkFFT takes by pointer.
struct Handles {
  VkPhysicalDevice physical = nullptr;
  VkDevice device = nullptr;
  VkQueue queue = nullptr;
  VkCommandPool pool = nullptr;
  VkFence fence = nullptr;
  Arguments arguments{};
};

void configure(const Settings& s, Handles& handles, std::vector<uint64_t>& sizes, VkFFTConfiguration& c) {
  c.FFTdim = s.rank;
  for (uint32_t i = 0; i < s.rank; ++i) {
    c.size[i] = s.shape[i];
    c.omitDimension[i] = s.skipped[i] ? 1 : 0;
    c.performZeropadding[i] = s.left[i] < s.right[i] ? 1 : 0;
    c.fft_zeropad_left[i] = s.left[i];
    c.fft_zeropad_right[i] = s.right[i];
  }
  c.frequencyZeroPadding = s.spectrum_zeros ? 1 : 0;
  c.numberBatches = s.batches;
  c.physicalDevice = &handles.physical;
  c.device = &handles.device;
  c.queue = &handles.queue;
  c.commandPool = &handles.pool;
  c.fence = &handles.fence;
  c.isCompilerInitialized = 1;
  c.disableSetLocale = 1;
  c.buffer = &handles.arguments[0];
  c.bufferSize = sizes.data();
  if (s.input != Settings::kNone) {
    c.isInputFormatted = 1;
    c.inputBuffer = &handles.arguments[s.input];
    c.inputBufferSize = &sizes[s.input];
    uint64_t step = 1;
    for (uint32_t i = 0; i < s.rank; ++i) c.inputBufferStride[i] = step *= s.shape[i];
  }
  if (s.kernel != Settings::kNone) {
    c.kernel = &handles.arguments[s.kernel];
    c.kernelSize = &sizes[s.kernel];
  }
  c.halfPrecision = s.precision == Precision::Half ? 1 : 0;
  c.doublePrecision = s.precision == Precision::Double ? 1 : 0;
  c.doublePrecisionFloatMemory = s.precision == Precision::DoubleInSingleMemory ? 1 : 0;
  c.performR2C = s.real ? 1 : 0;
  c.normalize = s.normalize ? 1 : 0;
  c.makeForwardPlanOnly = !s.inverse && !s.convolve ? 1 : 0;
  c.makeInversePlanOnly = s.inverse ? 1 : 0;
  c.performConvolution = s.convolve ? 1 : 0;
  c.coordinateFeatures = s.features;
}

}  // namespace

std::string library_version() {
  const int version = VkFFTGetVersion();
  return fmt::format("{}.{}.{}", version / 10000, version / 100 % 100, version % 100);
}

const Commands& record(Tape& on, const vulkan::Gpu& gpu, const Settings& settings) {
  // It is not said to be safe for several threads at once.
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  const OnTape scope(on, gpu);
  const NumbersInC numbers;

  Handles handles;
  auto* nothing = on.make<int>();
  handles.physical = handle<VkPhysicalDevice>(nothing);
  handles.device = handle<VkDevice>(nothing);
  handles.queue = handle<VkQueue>(nothing);
  handles.pool = handle<VkCommandPool>(nothing);
  handles.fence = handle<VkFence>(nothing);
  std::vector<uint64_t> sizes = settings.sizes;
  const auto stand_ins = [&] {
    Arguments made{};
    for (uint32_t i = 0; i < sizes.size(); ++i) {
      auto* argument = on.make<Buffer>();
      argument->size = sizes[i];
      argument->argument = i;
      made.at(i) = handle<VkBuffer>(argument);
    }
    return made;
  };
  handles.arguments = stand_ins();

  VkFFTConfiguration configuration{};
  configure(settings, handles, sizes, configuration);
  VkFFTApplication application{};
  check(initializeVkFFT(&application, configuration), "initializeVkFFT");
  struct Delete {
    VkFFTApplication* application;
    ~Delete() { deleteVkFFT(application); }
  } const deleted{&application};

  auto* commands = on.make<Commands>();
  VkCommandBuffer buffer = handle<VkCommandBuffer>(commands);
  // New stand-ins: for new buffers VkFFT writes all of its descriptors, which now include its own tables.
  Arguments arguments = stand_ins();
  VkFFTLaunchParams launch{};
  launch.commandBuffer = &buffer;
  launch.buffer = &arguments[0];
  if (settings.input != Settings::kNone) launch.inputBuffer = &arguments[settings.input];
  if (settings.kernel != Settings::kNone) launch.kernel = &arguments[settings.kernel];
  check(VkFFTAppend(&application, settings.inverse ? 1 : -1, &launch), "VkFFTAppend");
  return *commands;
}

}  // namespace vd::vkfft
