// Every call of OpenCL may fail. Then an error says which, with its code; what was made half-way is given back; and the
// device goes, or goes on, in order. The counterpart of the CUDA backend's failure_test.cpp, over the real driver.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <functional>
#include <string_view>
#include <thread>
#include <tuple>
#include <type_traits>
#include <utility>

#include "support/completion/failures.h"
#include "unit/opencl/fixture.h"

namespace vd::opencl {
namespace {

std::atomic<int64_t> live{0};  // handles

// One entry point: the `fail_at`th call from now on fails.
struct Entry {
  std::string_view name;
  std::atomic<int> fail_at{0};
  std::atomic<int> calls{0};
};

constexpr cl_int kCode = CL_INVALID_VALUE;

template <class Last>
void tell(Last last) {
  if constexpr (std::is_same_v<Last, cl_int*>)
    if (last != nullptr) *last = kCode;
}

// +1 for a handle that the call made or retained, -1 for one that it released.
template <class R, class Last>
int change(std::string_view name, R result, Last last) {
  if constexpr (std::is_same_v<R, cl_int>) {
    if (result != CL_SUCCESS) return 0;
    if (name.starts_with("Release")) return -1;
    if (name.starts_with("Retain")) return 1;
    if constexpr (std::is_same_v<Last, cl_event*>) return last != nullptr && *last != nullptr ? 1 : 0;
    return 0;
  } else {
    return name.starts_with("Create") && result != nullptr ? 1 : 0;
  }
}

template <int Index, auto Member, class F>
struct Watched;
template <int Index, auto Member, class R, class... A>
struct Watched<Index, Member, R (*)(A...)> {
  static Entry entry;
  static R CL_API_CALL call(A... arguments) {
    ++entry.calls;
    const auto last = std::get<sizeof...(A) - 1>(std::tuple<A...>(arguments...));
    if (int left = entry.fail_at; left != 0) {
      entry.fail_at = left - 1;
      if (left == 1) {
        tell(last);
        if constexpr (std::is_same_v<R, cl_int>)
          return kCode;
        else
          return nullptr;
      }
    }
    const R result = (real->*Member)(arguments...);
    live += change(entry.name, result, last);
    return result;
  }
};
template <int Index, auto Member, class R, class... A>
Entry Watched<Index, Member, R (*)(A...)>::entry;

std::vector<Entry*> watch(Api& api) {
  std::vector<Entry*> entries;
#define VD_WATCH(which)                                                \
  {                                                                    \
    using W = Watched<__COUNTER__, &Api::which, decltype(Api::which)>; \
    W::entry.name = #which;                                            \
    api.which = W::call;                                               \
    entries.push_back(&W::entry);                                      \
  }
  VD_CL_FUNCTIONS(VD_WATCH)
#undef VD_WATCH
  return entries;
}

// Calls that may fail without a message.
bool quiet(std::string_view name) {
  return name.starts_with("Release")       // a failed release is the driver's fault, and nothing can be done about it
         || name == "GetProgramBuildInfo"  // the compiler's log: said with an error of its own where there is one
         || name == "GetKernelArgInfo"     // a driver need not know what it was not built for: then nothing is compared
         || name == "GetProgramInfo"       // of the binary that is kept: it is compiled again next time
         || name == "SetUserEventStatus"   // it is tried again
         || name == "CreateProgramWithBinary";  // then it is compiled
}
// Also called to look at the progress of work: the work continues, and a later wait gets the failure.
bool asks_in_vain(std::string_view name) { return name == "EnqueueMarkerWithWaitList" || name == "Flush"; }
// If the work is done by then, a failed wait has no effect: AWaitMayFail has unfinished work.
bool waits(std::string_view name) { return name == "WaitForEvents" || name == "Finish"; }
// Called while pinned memory is given back, where no caller can get the failure; and nowhere else.
bool closes(std::string_view name) { return name == "EnqueueUnmapMemObject"; }
// Kernels are compiled if these calls are to fail; else they come from a cache, since compiling takes nearly all of the
// time.
bool compiles(std::string_view name) {
  return name == "CreateProgramWithSource" || name == "BuildProgram" || name.starts_with("GetProgram");
}

// Work that the queue does not begin before this is gone.
class Gate {
 public:
  Gate(const Context& context, cl_command_queue queue) {
    decltype(&clCreateUserEvent) create = nullptr;
    if (!real->library->get(create, "clCreateUserEvent") || !real->library->get(complete_, "clSetUserEventStatus")) {
      ADD_FAILURE() << "no user events";
      return;
    }
    event_ = create(context.handle(), nullptr);
    EXPECT_EQ(real->EnqueueBarrierWithWaitList(queue, 1, &event_, nullptr), CL_SUCCESS);
  }
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;
  ~Gate() {
    if (event_ == nullptr) return;
    complete_(event_, CL_COMPLETE);
    real->ReleaseEvent(event_);
  }

 private:
  cl_event event_ = nullptr;
  decltype(&clSetUserEventStatus) complete_ = nullptr;
};

// The parameter: whether transfers go straight to and from the caller's memory.
class OpenClCalls : public OpenClTest, public testing::WithParamInterface<bool> {
 protected:
  void SetUp() override {
    OpenClTest::SetUp();
    if (IsSkipped()) return;
    device_.reset();
    real = &Api::get();
    api_ = *real;
    entries_ = watch(api_);
  }

  void open(const std::string& cache_dir) {
    std::string reason;
    Overrides wishes;
    wishes.api = &api_;
    wishes.direct_transfers = GetParam();
    wishes.keeps_programs = true;
    device_ = open_fresh(wishes, cache_dir, reason, 2);
    if (!device_) fail(VD_ERR_UNAVAILABLE, "{}", reason);
  }

  // All that a program does with a device, from opening to closing.
  void everything(const std::string& cache_dir) {
    open(cache_dir);
    // The runtime keeps memory until the work on it has ended, whatever fails meanwhile.
    struct Settled {
      Device& device;
      ~Settled() {
        for (uint32_t i = 0; i < device.queue_count(); ++i) real->Finish(static_cast<Queue&>(device.queue(i)).handle());
      }
    };
    const auto module = affine();
    const auto plain = source(
        "__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void vkdispatch_main(__global uint* x) { x[0] += 1; }",
        1);
    const uint64_t step = device().context().physical.sub_buffer_alignment;
    const auto buffer = memory(step + 16);
    const auto other = memory(step + 16);
    const auto host = memory(buffer->size(), true);
    const auto fetched = device().make_readback(buffer->size());
    std::unique_ptr<backends::Executable> graph;
    std::unique_ptr<backends::Timing> timing;
    const Settled settled{device()};
    const std::vector<uint32_t> values(step / 4 + 4, 1);
    test::write(queue(), whole(*buffer), values.data());
    test::write(queue(), whole(*other), values.data());
    ListBuilder work;
    work.level(0).dispatch(*module, 1, {whole(*buffer)}, {4, 10, 0});
    work.level(1).copy(whole(*buffer), whole(*other));
    work.level(2).fill({buffer.get(), 0, 8}, 5);
    work.level(2).dispatch(*plain, 1, {{other.get(), step, 16}}, {});
    queue().submit(work.list);
    graph = device().make_executable(work.list);
    uint64_t value = queue().submit(*graph, 2);
    device().queue(1).wait_for(queue(), value);
    device().queue(1).submit(work.list);
    value = device().queue(1).submit(work.list);  // behind another, it has no event: a wait for it makes a marker
    EXPECT_TRUE(device().queue(1).wait(value, 10'000'000'000));
    queue().flush();
    std::vector<uint32_t> got(values.size());
    queue().read(whole(*buffer), got.data());
    EXPECT_TRUE(queue().wait(queue().submit(work.list), VD_WAIT_FOREVER));
    queue().completed();
    // Host memory: the host's own, copied from, used by kernels of two queues and mapped again.
    const auto write_host = [&] {
      void* const bytes = host->map(0, host->size(), true);
      std::memcpy(bytes, values.data(), host->size());
      host->unmap(bytes, 0, host->size(), true);
    };
    write_host();
    ListBuilder aside;
    aside.level(0).copy(whole(*host), whole(*other));
    aside.level(1).copy(whole(*buffer), whole(*host));
    aside.level(2).dispatch(*module, 1, {whole(*host)}, {4, 10, 0});
    value = device().queue(1).submit(aside.list);
    queue().wait_for(device().queue(1), value);
    value = queue().submit_timed(aside.list, timing);
    EXPECT_TRUE(queue().wait(value, VD_WAIT_FOREVER));
    std::vector<backends::Interval> times(aside.list.commands.size());
    timing->read(times);
    write_host();
    struct Held {
      std::function<void()> open;
      ~Held() {
        if (open) open();
      }
    };
    Held held{queue().hold()};
    ListBuilder fetch;
    fetch.copy(whole(*buffer), whole(*fetched));
    value = queue().submit(fetch.list);
    std::exchange(held.open, nullptr)();
    while (!queue().reached(value)) std::this_thread::yield();
    EXPECT_EQ(std::memcmp(fetched->host_pointer(), got.data(), 8), 0);
  }

  // Whether the failure of the call is reported; the error then names the call.
  bool fails(const std::string& cache_dir, const std::string& name) {
    try {
      everything(cache_dir);
      return false;
    } catch (const Error& error) {
      const std::string text = error.what();
      EXPECT_NE(text.find("cl" + name), std::string::npos) << text;
      EXPECT_NE(text.find("CL_INVALID_VALUE"), std::string::npos) << text;
      return true;
    }
  }

  static cl_uint platforms() {
    cl_uint count = 0;
    return real->GetPlatformIDs(0, nullptr, &count) == CL_SUCCESS ? count : 0;
  }

  Api api_;
  std::vector<Entry*> entries_;
};

TEST_P(OpenClCalls, EachMayFail) {
  const ScratchFolder cache;
  everything(cache.path());
  // A context of a GPU takes a second to open where other programs do the same: the first call of each, then.
  const bool gpu = device().info().type != VD_DEVICE_CPU;
  if (gpu && GetParam()) return device_.reset();
  const auto count_calls = [&](const std::string& cache_dir) {
    device_.reset();
    for (Entry* entry : entries_) entry->calls = 0;
    everything(cache_dir);
    device_.reset();
    ASSERT_EQ(live, 0);
  };
  for (const bool compiled : {true, false}) {
    const std::string cache_dir = compiled ? "" : cache.path();
    count_calls(cache_dir);
    std::vector<int> calls;
    for (Entry* entry : entries_) calls.push_back(std::min<int>(entry->calls, gpu ? 1 : 4));
    for (size_t i = 0; i < entries_.size(); ++i) {
      Entry* entry = entries_[i];
      const std::string name(entry->name);
      if (compiles(name) != compiled) continue;
      // These say what the device is; without an answer it is taken for one that lacks something.
      if (name == "GetDeviceInfo" || name == "GetPlatformInfo" || name == "GetExtensionFunctionAddressForPlatform")
        continue;
      // If one of several platforms fails, the others are used, with a warning: platforms_test.cpp.
      if (name == "GetDeviceIDs" && platforms() > 1) continue;
      bool told = false, ever = false;
      for (int nth = 1; nth <= calls[i]; ++nth) {
        SCOPED_TRACE(testing::Message() << "call " << nth << " of cl" << name);
        entry->fail_at = nth;
        const bool failed = fails(cache_dir, name);
        // Failures in destructors while the device closes have no caller to report to.
        const bool reached = entry->fail_at == 0;
        device_.reset();
        entry->fail_at = 0;
        // A handle that cannot be released is the driver's fault, not ours.
        ASSERT_EQ(live, name.starts_with("Release") ? live.load() : 0) << "handles that nobody gave back";
        live = 0;
        if (reached && !quiet(name) && !asks_in_vain(name) && !closes(name) && !waits(name)) {
          EXPECT_TRUE(failed) << "nobody was told";
        }
        ever = ever || reached;
        told = told || failed;
      }
      if (ever && !quiet(name) && !closes(name) && !waits(name) && !(gpu && asks_in_vain(name))) {
        EXPECT_TRUE(told) << "no failure of cl" << name << " of " << calls[i] << " was told";
      }
    }
  }
}

// The work is not done yet, so a wait for it must report the failure.
TEST_P(OpenClCalls, AWaitMayFail) {
  for (const bool last : {false, true}) {
    const std::string name = last ? "Finish" : "WaitForEvents";
    SCOPED_TRACE(name);
    open("");
    {
      const auto buffer = memory(16);
      ListBuilder work;
      work.fill(whole(*buffer), 5);
      const Gate gate(device().context(), static_cast<Queue&>(queue()).handle());
      const uint64_t first = queue().submit(work.list);
      const uint64_t second = queue().submit(work.list);
      for (Entry* entry : entries_) entry->fail_at = entry->name == name ? 1 : 0;
      expect_error(
          [&] { queue().wait(last ? second : first, VD_WAIT_FOREVER); }, last ? VD_ERR_DEVICE_LOST : VD_ERR_INTERNAL,
          last ? "failed with CL_INVALID_VALUE, as clFinish reports" : "clWaitForEvents failed with CL_INVALID_VALUE");
    }
    device_.reset();
    EXPECT_EQ(live, 0) << "handles that nobody gave back";
  }
}

// A program that fetches bytes and is called back, with each of the calls that this takes.
TEST_P(OpenClCalls, EachOfACompletionMayFail) {
  const char* const names[] = {"CreateBuffer",
                               "EnqueueFillBuffer",
                               "EnqueueReadBuffer",
                               "EnqueueMapBuffer",
                               "GetEventInfo",
                               "EnqueueMarkerWithWaitList",
                               "Flush",
                               "CreateCommandQueue"};
  for (const std::string name : names) {
    for (int nth = 1; nth <= 4; ++nth) {
      SCOPED_TRACE(testing::Message() << "call " << nth << " of cl" << name);
      open("");
      for (Entry* entry : entries_) entry->fail_at = entry->name == name ? nth : 0;
      const test::Met met = test::fetch_and_notify(std::exchange(device_, nullptr));
      for (Entry* entry : entries_) entry->fail_at = 0;
      for (const std::string& message : met.thrown) EXPECT_NE(message.find("cl" + name), std::string::npos) << message;
      for (const std::string& message : met.called) EXPECT_NE(message.find("cl" + name), std::string::npos) << message;
      if (name == "EnqueueReadBuffer") {
        EXPECT_FALSE(met.nothing());
      }
      EXPECT_EQ(live, 0) << "handles that nobody gave back";
      live = 0;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Transfers, OpenClCalls, testing::Bool(),
                         [](const auto& info) { return info.param ? "Direct" : "Staged"; });

}  // namespace
}  // namespace vd::opencl
