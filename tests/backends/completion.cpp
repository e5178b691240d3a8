// Bytes that are fetched among other work, by several threads, and calls back when they are there.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "case.h"
#include "code.h"

namespace vdc {
namespace {

// Counts calls back; the first failure's message is kept.
struct FetchCalls {
  std::mutex mutex;
  std::condition_variable changed;
  size_t count = 0;
  std::string failure;

  static void receive(vd_status status, const char* message, void* user) {
    auto& self = *static_cast<FetchCalls*>(user);
    const std::lock_guard lock(self.mutex);
    ++self.count;
    if (status != VD_OK && self.failure.empty()) self.failure = message;
    self.changed.notify_all();
  }
  void wait(size_t wanted) {
    std::unique_lock lock(mutex);
    if (!changed.wait_for(lock, std::chrono::seconds(60), [&] { return count >= wanted; }))
      fail("%zu of %zu calls have come", count, wanted);
    if (!failure.empty()) fail("a call brought: %s", failure.c_str());
  }
};

void fetches(Run& run) {
  constexpr uint32_t kCount = 1 << 12;
  const uint32_t turns = static_cast<uint32_t>(run.samples(50, 500));
  Code code("affine_fetched");
  Value x = code.buffer(VD_TYPE_U32, "x"), factor = code.constant(VD_TYPE_U32, "factor"),
        addend = code.constant(VD_TYPE_U32, "addend");
  Value i = code.let(code.global_id());
  code.store(x[i], x[i] * factor + addend);
  Plan plan = run.session.plan(code.finish(), 64);
  std::string failure;
  std::mutex mutex;
  FetchCalls calls;
  const auto work = [&](uint32_t seed) {
    std::mt19937 random(seed);
    std::vector<uint32_t> expected(kCount, seed);
    Buffer buffer = run.session.buffer(expected);
    struct Part {
      Blob blob;
      vd_ticket ticket;
      std::vector<uint32_t> expected;
    };
    std::vector<Part> parts(turns);
    for (uint32_t turn = 0; turn < turns; ++turn) {
      const uint32_t values[2] = {2 * turn + 3, turn};
      run.session.launch(plan, {kCount, 1, 1}, {buffer}, values, sizeof values);
      for (uint32_t& v : expected) v = v * values[0] + values[1];
      const uint32_t first = random() % kCount, count = 1 + random() % (kCount - first);
      Part& part = parts[turn];
      VDC(vd_buffer_fetch(buffer, first * 4, count * uint64_t{4}, 0, nullptr, part.blob.out(), &part.ticket));
      VDC(vd_ticket_notify(run.session.context(), part.ticket, FetchCalls::receive, &calls));
      part.expected.assign(expected.begin() + first, expected.begin() + first + count);
      if (random() % 8 == 0) VDC(vd_ticket_wait(run.session.context(), part.ticket, VD_WAIT_FOREVER));
    }
    for (const Part& part : parts) {
      VDC(vd_ticket_wait(run.session.context(), part.ticket, VD_WAIT_FOREVER));
      uint64_t size = 0;
      const void* data = vd_blob_data(part.blob, &size);
      if (data == nullptr) fail("bytes whose ticket is done are not there: %s", vd_last_error());
      if (size != part.expected.size() * 4 || std::memcmp(data, part.expected.data(), size) != 0)
        fail("%zu fetched bytes differ", part.expected.size() * 4);
    }
  };
  constexpr uint32_t kThreads = 3;
  std::vector<std::thread> threads;
  for (uint32_t t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      try {
        work(static_cast<uint32_t>(run.seed) + t);
      } catch (const std::exception& error) {
        const std::lock_guard lock(mutex);
        failure = error.what();
      }
    });
  for (std::thread& thread : threads) thread.join();
  if (!failure.empty()) fail("%s", failure.c_str());
  calls.wait(size_t{kThreads} * turns);
  run.report.compared += uint64_t{kThreads} * turns * kCount / 2;
}

// More than any staging memory holds, and memory that is used again.
void large_fetches(Run& run) {
  const size_t count = run.full ? size_t{50} << 20 : size_t{3} << 20;
  std::vector<uint32_t> values(count);
  for (size_t i = 0; i < count; ++i) values[i] = static_cast<uint32_t>(i * 2654435761u);
  Buffer buffer = run.session.buffer(values);
  for (uint32_t turn = 0; turn < 3; ++turn) {
    Blob blob;
    FetchCalls calls;
    vd_ticket ticket = 0;
    VDC(vd_buffer_fetch(buffer, 4 * turn, (count - turn) * 4, 0, nullptr, blob.out(), &ticket));
    VDC(vd_ticket_notify(run.session.context(), ticket, FetchCalls::receive, &calls));
    calls.wait(1);
    const void* data = vd_blob_data(blob.get(), nullptr);
    if (data == nullptr || std::memcmp(data, values.data() + turn, (count - turn) * 4) != 0)
      fail("a fetch of %zu bytes", (count - turn) * 4);
    run.report.compared += count - turn;
  }
}

[[maybe_unused]] const Register completion_registered[] = {
    {"transfers/fetches", 0, fetches},
    {"transfers/large_fetches", 0, large_fetches},
};

}  // namespace
}  // namespace vdc
