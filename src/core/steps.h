// A coroutine that stops at each element that it hands out: for a generator that is pulled, and still reads from top to
// bottom. `co_yield` of another such coroutine hands out all of its elements.
#pragma once

#include <coroutine>
#include <exception>
#include <utility>

namespace vd {

template <class T>
class Steps {
 public:
  struct promise_type {
    const T* item = nullptr;
    Steps inner;  // whose elements come first
    std::exception_ptr failure;
    Steps get_return_object() { return Steps(std::coroutine_handle<promise_type>::from_promise(*this)); }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(const T& value) noexcept {
      item = &value;
      return {};
    }
    std::suspend_always yield_value(Steps steps) noexcept {
      inner = std::move(steps);
      item = nullptr;
      return {};
    }
    void return_void() {}
    void unhandled_exception() { failure = std::current_exception(); }
  };

  Steps() = default;
  Steps(Steps&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Steps& operator=(Steps other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Steps() {
    if (handle_) handle_.destroy();
  }

  explicit operator bool() const { return handle_ != nullptr; }  // it has begun
  // Continues to the next `co_yield`; false if there was none. An exception of the coroutine is thrown here, now and at
  // every later call: unfinished work must not look complete.
  bool next(T& out) {
    auto& promise = handle_.promise();
    for (;;) {
      if (promise.inner && promise.inner.next(out)) return true;
      promise.inner = {};
      if (!handle_.done()) handle_.resume();
      if (promise.failure) std::rethrow_exception(promise.failure);
      if (handle_.done()) return false;
      if (promise.inner) continue;
      out = *promise.item;
      return true;
    }
  }

 private:
  explicit Steps(std::coroutine_handle<promise_type> handle) : handle_(handle) {}
  std::coroutine_handle<promise_type> handle_;
};

}  // namespace vd
