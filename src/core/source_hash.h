// The sources that the library was built from.
#pragma once

#include <string_view>

namespace vd {

// Another one for each change of a file below src/: entries of the disk cache that follow from the library's code have
// it in their key.
std::string_view source_hash();

}  // namespace vd
