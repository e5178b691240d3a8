// Lines with a large prime factor, whose constants the device computes when the plan is made.
#include <gmock/gmock.h>

#include <algorithm>
#include <regex>
#include <string>
#include <vector>

#include "api/fft_support.h"
#include "support/argument.h"

namespace api {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// The host backend's refusal: buffer "x" takes N bytes, the host buffers of this process T; it may have L.
struct Refusal {
  std::string label;
  uint64_t wanted = 0, taken = 0, limit = 0;
};
Refusal last_refusal() {
  const std::string text = vd_last_error();
  const std::regex form(
      "buffer \"([^\"]*)\" takes ([0-9]+) bytes, the host buffers of this process ([0-9]+); it may "
      "have ([0-9]+)");
  std::smatch found;
  if (!std::regex_search(text, found, form)) return {text};
  return {found[1], std::stoull(found[2]), std::stoull(found[3]), std::stoull(found[4])};
}

// Memory is granted bit by bit, so that each buffer of the plan is once the one that there is no room for.
TEST_F(FftTest, EachBufferOfALongChirpIsNamedIfThereIsNoRoomForIt) {
  const vd_fft_desc desc = rows(1, 300007);
  vd_device_info info = VD_DEVICE_INFO_INIT;
  ASSERT_OK(vd_context_get_device(context_, 0, &info));
  std::vector<std::string> refused;
  uint64_t granted = 0;
  for (int i = 0; i < 12; ++i) {
    ASSERT_OK(vd_context_wait_idle(context_, VD_QUEUE_ALL, VD_WAIT_FOREVER));
    // No page of these is written, so that they take none.
    constexpr int kParts = 8;
    vd_buffer_desc wish = VD_BUFFER_DESC_INIT;
    wish.size = info.memory_size / kParts;
    const auto fill = [&](auto& parts) {
      for (Buffer& part : parts)
        if (vd_buffer_create(context_, &wish, part.out()) != VD_OK) return false;
      return true;
    };
    Refusal now;
    {
      Buffer more[2 * kParts];
      ASSERT_FALSE(fill(more));
      now = last_refusal();
      now.taken -=
          wish.size * static_cast<uint64_t>(std::ranges::count_if(more, [](const Buffer& b) { return b != nullptr; }));
    }
    Buffer parts[kParts];
    wish.size = (now.limit - now.taken - granted) / kParts;
    ASSERT_TRUE(fill(parts)) << vd_last_error();
    Plan plan;
    if (vd_plan_create_fft(context_, &desc, plan.out()) == VD_OK) break;
    const Refusal refusal = last_refusal();
    ASSERT_NE(refusal.limit, 0u) << refusal.label;
    const std::string text = vd_last_error();
    EXPECT_THAT(text, HasSubstr("vd_plan_create_fft"));
    const bool inner = !refused.empty();
    EXPECT_EQ(text.find("the filter of 600600 elements for a line of 300007: ") != std::string::npos, inner) << text;
    refused.push_back(refusal.label);
    granted += refusal.wanted + kParts;
  }
  // Then there is room for the plan's own workspace: the filter's was longer.
  EXPECT_THAT(refused, ElementsAre("fft constants", "fft roots", "fft constants", "fft workspace"));
}

}  // namespace
}  // namespace api
