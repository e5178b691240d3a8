// Reads a vd_order_desc.
#pragma once

#include <string>

#include "api/desc.h"
#include "api/guard.h"
#include "core/name.h"
#include "runtime/context.h"
#include "runtime/semaphore.h"
#include "runtime/waits.h"

namespace vd::api {

// The order of some work of a queue.
class Order {
 public:
  // `queue_name` is the queue's in messages. Throws VD_ERR_UNSUPPORTED for streams where a backend has none.
  Order(vd_context& context, uint32_t queue, const vd_order_desc* order, const std::string& name,
        const char* queue_name = "queue")
      : context_(context), queue_(context.queue(queue, queue_name)) {
    if (order != nullptr) read(read_desc(order, name.c_str()), name);
  }

  // The tickets, the stream and the semaphores to wait for, and the label.
  const runtime::Waits& waits() const { return waits_; }
  // All of the work was given: gives out its ticket, and sets semaphores behind it. Where that fails, the work runs.
  void end(vd_ticket ticket, vd_ticket* out_ticket) const {
    if (out_ticket != nullptr) *out_ticket = ticket;
    if (waits_.semaphores) waits_.semaphores->signal(queue_);
  }

 private:
  void read(const vd_order_desc& d, const std::string& name) {
    const std::string waits = name + "->waits";
    array(d.waits, d.wait_count, waits.c_str());
    array(d.wait_semaphores, d.wait_semaphore_count, (name + "->wait_semaphores").c_str());
    array(d.signal_semaphores, d.signal_semaphore_count, (name + "->signal_semaphores").c_str());
    if (d.stream != 0) queue_.backend.check_stream(d.stream, name + "->stream");
    waits_ = runtime::read_waits(context_, queue_, {d.waits, d.wait_count}, waits.c_str());
    waits_.stream = d.stream;
    if (d.label != nullptr) waits_.label = shown_name(d.label);
    if (d.wait_semaphore_count != 0 || d.signal_semaphore_count != 0) read_semaphores(d, name);
  }

  void read_semaphores(const vd_order_desc& d, const std::string& name) {
    if (d.stream != 0 && queue_.backend.is_capturing(d.stream))
      fail(VD_ERR_STATE, "{0}->stream ({1:#x}) is capturing, and semaphores of {0} cannot be captured", name, d.stream);
    runtime::SemaphoreUses uses;
    for (uint32_t i = 0; i < d.wait_semaphore_count; ++i)
      uses.waits.push_back(use(d.wait_semaphores[i], false, fmt::format("{}->wait_semaphores[{}]", name, i)));
    const std::string signals = name + "->signal_semaphores";
    for (uint32_t i = 0; i < d.signal_semaphore_count; ++i)
      uses.signals.push_back(use(d.signal_semaphores[i], true, fmt::format("{}[{}]", signals, i)));
    waits_.semaphores = std::make_shared<runtime::SemaphoreOrder>(context_, std::move(uses));
    waits_.semaphores->claim(signals);
  }

  backends::SemaphoreUse use(const vd_semaphore_point& point, bool set, const std::string& name) {
    const vd_semaphore& semaphore = in(point.semaphore, (name + ".semaphore").c_str());
    if (point.reserved != 0) fail(VD_ERR_INVALID, "{}.reserved ({}) is not zero", name, point.reserved);
    if (&semaphore.context() != &context_) fail(VD_ERR_INVALID, "{}.semaphore belongs to another context", name);
    if (semaphore.device() != queue_.device)
      fail(VD_ERR_INVALID, "{}.semaphore is on device {}, and queue {} is on device {}", name, semaphore.device(),
           queue_.index, queue_.device);
    if (!set) context_.call([&] { semaphore.get().check(point.value, false, name + ".value"); });
    return semaphore.use(point.value);
  }

  vd_context& context_;
  runtime::Queue& queue_;
  runtime::Waits waits_;
};

}  // namespace vd::api
