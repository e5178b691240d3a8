// The number of samples that a test draws or goes through.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <initializer_list>
#include <vector>

namespace vd::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif
#else
inline constexpr bool kSanitized = false;
#endif

// The long forms, of `make stress`.
inline bool full_form() { return std::getenv("VD_TEST_FULL") != nullptr; }

// `few` samples in the short form and `all` in the long one. Builds with sanitizers run ten times slower, and an eighth
// of the samples shows their faults.
inline size_t samples(size_t few, size_t all) { return full_form() ? all : kSanitized ? (few + 7) / 8 : few; }
inline size_t samples(size_t few) { return samples(few, few); }
// As many of the first ones.
template <class T>
std::vector<T> some(std::initializer_list<T> list) {
  return {list.begin(), list.begin() + static_cast<ptrdiff_t>(samples(list.size()))};
}

}  // namespace vd::test
