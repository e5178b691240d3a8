// A program that fetches bytes and is called back, over a device of which any call may fail: for the tests of backends.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "backends/backend.h"
#include "core/error.h"
#include "runtime/buffer.h"
#include "runtime/context.h"
#include "runtime/fetch.h"

namespace vd::test {

// A test's device in a context of the runtime's.
class SharedDevice final : public backends::Device {
 public:
  explicit SharedDevice(std::shared_ptr<backends::Device> device) : device_(std::move(device)) {}
  const vd_device_info& info() const override { return device_->info(); }
  uint32_t queue_count() const override { return device_->queue_count(); }
  backends::Queue& queue(uint32_t index) override { return device_->queue(index); }
  std::unique_ptr<backends::Memory> make_memory(uint64_t size, bool host_visible, const std::string& label) override {
    return device_->make_memory(size, host_visible, label);
  }
  std::unique_ptr<backends::Memory> make_readback(uint64_t size) override { return device_->make_readback(size); }
  std::shared_ptr<backends::Module> make_module(const backends::ModuleDesc& desc) override {
    return device_->make_module(desc);
  }
  std::unique_ptr<backends::Executable> make_executable(const backends::CommandList& list) override {
    return device_->make_executable(list);
  }

 private:
  std::shared_ptr<backends::Device> device_;
};

inline Ref<vd_context> context_over(std::shared_ptr<backends::Device> device) {
  vd_context::Opened opened;
  opened.backend = device->info().backend;
  opened.devices.push_back(std::make_unique<SharedDevice>(std::move(device)));
  return make_ref<vd_context>(std::move(opened));
}

// The failures of a program: messages of failed calls, and of failed work reported to its callbacks.
struct Met {
  std::vector<std::string> thrown, called;
  bool nothing() const { return thrown.empty() && called.empty(); }
};

// Whatever fails, each call back comes once, and after one without a failure the bytes are there and right.
inline Met fetch_and_notify(std::shared_ptr<backends::Device> device) {
  constexpr uint32_t kTurns = 6, kWords = 64;
  Met met;
  std::mutex mutex;
  std::condition_variable changed;
  uint32_t asked = 0, called = 0;
  const auto message_of = [](const std::exception_ptr& failure) -> std::string {
    try {
      std::rethrow_exception(failure);
    } catch (const std::exception& error) {
      return error.what();
    }
  };
  const auto attempt = [&](auto&& body) {
    try {
      body();
    } catch (const Error& error) {
      met.thrown.emplace_back(error.what());
    }
  };
  {
    Ref<vd_context> ctx;
    Ref<vd_buffer> buffer;
    std::vector<std::unique_ptr<runtime::Fetch>> fetches(kTurns);
    std::vector<bool> filled(kTurns), done(kTurns);
    ctx = context_over(std::move(device));
    attempt([&] {
      vd_buffer::Desc desc;
      desc.size = kWords * 4;
      buffer = vd_buffer::create(*ctx, std::move(desc));
    });
    for (uint32_t i = 0; buffer && i < kTurns; ++i) {
      attempt([&] {
        runtime::fill(*buffer, 0, kWords * 4, i, 0);
        filled[i] = true;
        fetches[i] = std::make_unique<runtime::Fetch>(*buffer, 0, kWords * 4, 0);
        const runtime::Ticket ticket = ctx->check_ticket(fetches[i]->ticket());
        ++asked;
        ctx->notify(ticket.queue, ticket.value, [&, i](const std::exception_ptr& failure) {
          const std::lock_guard lock(mutex);
          ++called;
          if (failure)
            met.called.push_back(message_of(failure));
          else
            done[i] = true;
          changed.notify_all();
        });
      });
    }
    {
      std::unique_lock lock(mutex);
      EXPECT_TRUE(changed.wait_for(lock, std::chrono::seconds(30), [&] { return called >= asked; }))
          << called << " of " << asked << " calls have come";
    }
    for (uint32_t i = 0; i < kTurns; ++i) {
      if (!done[i]) continue;
      attempt([&] {
        uint32_t words[kWords];
        std::memcpy(words, fetches[i]->data(), sizeof(words));
        for (const uint32_t word : words) EXPECT_EQ(word, i);
      });
    }
  }
  EXPECT_EQ(called, asked) << "calls that came twice or never";
  return met;
}

}  // namespace vd::test
