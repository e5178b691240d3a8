// Any bytes as the text form of a kernel: the parser refuses them with VD_ERR_COMPILE, or what it gives prints and
// parses back to the same text, and goes through all passes without breaking a rule of the IR.
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "core/error.h"
#include "ir/hash.h"
#include "ir/passes/pipeline.h"
#include "ir/text.h"
#include "ir/verify.h"

namespace {

using namespace vd::ir;

void expect(bool good, const char* what) {
  if (good) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

void round_trip(const Kernel& kernel, vd_print_flags flags) {
  const std::string text = print_text(kernel, flags);
  expect(print_text(parse_text(text), flags) == text, "the text does not survive a round trip");
}

void run_passes(const Kernel& kernel) {
  const bool big = kernel.insts.size() > 2000;  // unrolled code of such a kernel takes long, and shows nothing new
  Kernel optimised = kernel;
  optimise(optimised);
  verify(optimised);
  Kernel prepared = optimised;
  PrepareOptions options;
  options.workgroup_size = {4, 2, 1};
  options.unroll = !big;
  try {
    prepare(prepared, options);
  } catch (const vd::Error& error) {
    // The one thing that cannot be lowered.
    expect(std::string_view(error.what()).starts_with("async_copy"), error.what());
    return;
  }
  verify(prepared);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Kernel kernel;
  try {
    kernel = parse_text({reinterpret_cast<const char*>(data), size});
  } catch (const vd::Error& error) {
    expect(error.status() == VD_ERR_COMPILE, error.what());
    return 0;
  }
  try {
    round_trip(kernel, 0);
    round_trip(kernel, VD_PRINT_LOCATIONS);
    round_trip(kernel, VD_PRINT_CANONICAL);
    run_passes(kernel);
  } catch (const vd::Error& error) {
    expect(false, error.what());
  }
  return 0;
}
