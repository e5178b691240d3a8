// Whether kernels have the order of instructions of the committed ones, which is that of GCC's arguments.
#pragma once

#if defined(__clang__) && defined(VD_LIBRARY_COMPILER_GNU)
#error "the library is GCC's and the test is not: nothing would be compared"
#endif

namespace vd::test {

#ifdef __clang__
inline constexpr bool kSameOrder = false;
#else
inline constexpr bool kSameOrder = true;
#endif

}  // namespace vd::test
