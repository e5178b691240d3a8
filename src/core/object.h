// Reference-counted objects. A handle of the C API is a pointer to the object itself: `struct vd_buffer final :
// vd::Object`. Ref<T> is the one owning pointer; create returns one reference, children hold their parents by Ref.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace vd {

// The number of Objects that are alive in this process; tests compare it before and after.
uint64_t live_objects() noexcept;

class Object {
 public:
  Object() noexcept;
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;

  void retain() const noexcept { references_.fetch_add(1, std::memory_order_relaxed); }
  void release() const noexcept {
    if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) last_release();
  }

 protected:
  virtual ~Object();
  // Called when the last reference goes; a context overrides it to wait for its queues first.
  virtual void last_release() const noexcept;
  // Whether a parent of this process made it, which has the threads and locks that its end needs.
  bool is_of_parent() const noexcept;

 private:
  mutable std::atomic<uint64_t> references_{1};
  const uint32_t process_;
};

template <class T>
class Ref {
 public:
  Ref() noexcept = default;
  Ref(std::nullptr_t) noexcept {}
  // Takes over the reference that the caller holds.
  static Ref adopt(T* pointer) noexcept {
    Ref ref;
    ref.pointer_ = pointer;
    return ref;
  }
  // Takes a reference of its own.
  static Ref retain(T* pointer) noexcept {
    if (pointer != nullptr) pointer->retain();
    return adopt(pointer);
  }
  Ref(const Ref& other) noexcept : Ref(retain(other.pointer_)) {}
  Ref(Ref&& other) noexcept : pointer_(std::exchange(other.pointer_, nullptr)) {}
  template <class U>
    requires std::is_convertible_v<U*, T*>
  Ref(Ref<U> other) noexcept : pointer_(other.detach()) {}
  Ref& operator=(Ref other) noexcept {
    std::swap(pointer_, other.pointer_);
    return *this;
  }
  ~Ref() {
    if (pointer_ != nullptr) pointer_->release();
  }

  T* get() const noexcept { return pointer_; }
  T* operator->() const noexcept { return pointer_; }
  T& operator*() const noexcept { return *pointer_; }
  explicit operator bool() const noexcept { return pointer_ != nullptr; }
  // Gives the reference to the caller, as an out-parameter of the C API does.
  T* detach() noexcept { return std::exchange(pointer_, nullptr); }

 private:
  T* pointer_ = nullptr;
};

template <class T, class... Args>
Ref<T> make_ref(Args&&... args) {
  return Ref<T>::adopt(new T(std::forward<Args>(args)...));
}

}  // namespace vd
