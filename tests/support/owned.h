// An object of the public C API that is released with its owner.
#pragma once

#include <utility>

namespace vd::test {

template <class T, void (*Release)(T*)>
class Owned {
 public:
  Owned() = default;
  explicit Owned(T* pointer) : pointer_(pointer) {}
  Owned(Owned&& other) noexcept : pointer_(std::exchange(other.pointer_, nullptr)) {}
  Owned& operator=(Owned&& other) noexcept {
    std::swap(pointer_, other.pointer_);
    return *this;
  }
  ~Owned() { Release(pointer_); }
  T* get() const { return pointer_; }
  operator T*() const { return pointer_; }
  // Place where a call puts the next one.
  T** out() {
    Release(std::exchange(pointer_, nullptr));
    return &pointer_;
  }

 private:
  T* pointer_ = nullptr;
};

}  // namespace vd::test
