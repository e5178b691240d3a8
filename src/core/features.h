// Names of device features, for messages.
#pragma once

#include <string>

#include "vkdispatch.h"

namespace vd {

// "64-bit floats, 64-bit atomics": every bit of `features`; "nothing" for none.
std::string feature_names(vd_features features);

// Advice for a device that lacks a feature: the end of a message.
inline constexpr const char* kWithoutFeature =
    "do without, or take another device (vdlist --all --verbose shows what each has)";

}  // namespace vd
