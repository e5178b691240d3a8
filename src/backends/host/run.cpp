#include "backends/host/run.h"

#include <algorithm>
#include <cfenv>
#include <chrono>
#include <cstring>

#include "backends/host/check.h"
#include "backends/host/memory.h"
#include "core/error.h"

namespace vd::host {
namespace {

constexpr uint64_t kCheckedWatchdog = 60'000'000'000;
constexpr uint64_t kNever = UINT64_MAX;
constexpr uint32_t kFuel = 1024;       // iterations of loops between two looks at the clock
constexpr uint64_t kSmallWork = 2048;  // invocations that are not worth waking threads for

uint64_t now_ns() {
  return static_cast<uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
          .count());
}

void grow(std::vector<std::byte>& storage, size_t size) {
  if (storage.size() < size) storage.resize(size);
}

std::byte* aligned(std::vector<std::byte>& storage) {
  return storage.data() + (64 - reinterpret_cast<uintptr_t>(storage.data()) % 64) % 64;
}

// A user's library may have set this thread's parent to flush subnormals or to round otherwise.
class PlainFloats {
 public:
  PlainFloats() {
    std::fegetenv(&kept_);
    std::fesetenv(FE_DFL_ENV);
  }
  PlainFloats(const PlainFloats&) = delete;
  PlainFloats& operator=(const PlainFloats&) = delete;
  ~PlainFloats() { std::fesetenv(&kept_); }

 private:
  std::fenv_t kept_;
};

void splat(std::byte* slot, uint32_t value) {
  for (uint32_t l = 0; l < kBlock; ++l) std::memcpy(slot + 4 * l, &value, 4);
}

uint32_t lane_value(const Program& p, const Input& in, uint32_t lane) {
  const auto& s = p.workgroup_size;
  switch (in.builtin) {
    case VD_BUILTIN_LOCAL_ID:
      return in.component == 0 ? lane % s[0] : in.component == 1 ? lane / s[0] % s[1] : lane / s[0] / s[1];
    case VD_BUILTIN_SUBGROUP_ID:
      return lane / kSubgroup;
    case VD_BUILTIN_SUBGROUP_LANE:
      return lane % kSubgroup;
    default:
      return lane;
  }
}

// One machine's share of a launch.
class Worker {
 public:
  Worker(Machine& m, const Launch& launch) : m_(m), l_(launch), p_(*launch.program) {}

  void prepare() {
    m_.program = &p_;
    m_.launch = &l_;
    m_.fuel = kFuel;
    grow(m_.frame_storage, p_.frame_size + 128);
    grow(m_.store_storage, size_t{p_.store_size} * p_.strips + 128);
    grow(m_.shared_storage, p_.shared_size + 128);
    if (m_.mask_storage.size() < size_t{p_.mask_count} * p_.strips)
      m_.mask_storage.resize(size_t{p_.mask_count} * p_.strips);
    m_.frame = aligned(m_.frame_storage);
    m_.shared = aligned(m_.shared_storage);
    store_ = aligned(m_.store_storage);
    resolve();

    for (const Input& in : p_.lane_inputs) {
      for (uint32_t strip = 0; strip < p_.strips; ++strip) {
        std::byte* to = p_.strips > 1 ? store_ + size_t{strip} * p_.store_size + in.slot : m_.frame + in.slot;
        for (uint32_t l = 0; l < p_.strip_blocks * kBlock; ++l) {
          const uint32_t value = lane_value(p_, in, strip * kStrip + l);
          std::memcpy(to + 4 * l, &value, 4);
        }
      }
    }
    for (const Input& in : p_.uniform_inputs) {
      if (in.builtin == VD_BUILTIN_NUM_WORKGROUPS) splat(m_.frame + in.slot, l_.workgroups[in.component]);
    }
    m_.mask = Mask::first(kStrip);
    m_.blocks = {1, 1};
    execute(p_.dispatch_code);
  }

  void run_group(uint64_t number) {
    if (l_.stop->load(std::memory_order_relaxed)) throw Error(VD_ERR_INTERNAL, "stopped");
    m_.group = {static_cast<uint32_t>(number % l_.workgroups[0]),
                static_cast<uint32_t>(number / l_.workgroups[0] % l_.workgroups[1]),
                static_cast<uint32_t>(number / l_.workgroups[0] / l_.workgroups[1])};
    m_.phase = m_.subphase = 0;
    if (l_.checker != nullptr) l_.checker->begin_group();
    for (const Input& in : p_.uniform_inputs) {
      if (in.builtin == VD_BUILTIN_WORKGROUP_ID) splat(m_.frame + in.slot, m_.group[in.component]);
    }
    m_.mask = Mask::first(kStrip);
    execute(p_.group_code);
    if (p_.strips == 1 && p_.steps.size() == 1) {
      enter(0);
      m_.masks[0] = m_.mask = Mask::first(p_.lanes);
      execute(p_.steps[0].target);
      return;
    }
    run_steps();
  }

 private:
  void resolve() {
    auto& table = m_.access_storage;
    table.resize(p_.accesses.size());
    for (size_t i = 0; i < table.size(); ++i) {
      const AccessDesc& desc = p_.accesses[i];
      const SpanDesc& span = p_.spans[desc.span];
      Span at;
      switch (span.kind) {
        case SpanDesc::Kind::Binding:
          at = l_.bindings[span.index];
          break;
        case SpanDesc::Kind::Shared:
          at = {m_.shared + span.index, span.size};
          break;
        case SpanDesc::Kind::Values:
          at = {const_cast<std::byte*>(l_.values), l_.values_size};
          break;
        case SpanDesc::Kind::Constants:
          at = {const_cast<std::byte*>(p_.constants.data()) + span.index, span.size};
          break;
      }
      const uint64_t least = desc.offset + desc.size;
      table[i] = {at.data + desc.offset, at.size < least ? 0 : (at.size - least) / desc.stride + 1, desc.stride,
                  desc.step};
    }
    m_.accesses = table.data();
  }

  void enter(uint32_t strip) {
    m_.strip = strip;
    m_.masks = m_.mask_storage.data() + size_t{strip} * p_.mask_count;
    m_.blocks[1] = (std::min(p_.lanes - strip * kStrip, kStrip) + kBlock - 1) / kBlock;
  }

  void execute(uint32_t at) {
    const Insn* i = p_.code.data() + at;
    do i = i->fn(m_, i);
    while (i != nullptr);
  }

  void run_steps() {
    std::array<Mask, kMaxInvocations / kStrip> masks;
    for (uint32_t s = 0; s < p_.strips; ++s) {
      enter(s);
      masks[s] = m_.masks[0] = Mask::first(std::min(p_.lanes - s * kStrip, kStrip));
    }
    for (uint32_t at = 0; at < p_.steps.size();) {
      const Step& step = p_.steps[at];
      switch (step.kind) {
        case Step::Kind::Segment:
          for (uint32_t s = 0; s < p_.strips; ++s) {
            enter(s);
            std::byte* store = store_ + size_t{s} * p_.store_size;
            for (const Move& move : step.in) std::memcpy(m_.frame + move.frame, store + move.store, move.size);
            m_.mask = masks[s];
            execute(step.target);
            masks[s] = m_.mask;
            for (const Move& move : step.out) std::memcpy(store + move.store, m_.frame + move.frame, move.size);
          }
          ++at;
          break;
        case Step::Kind::Barrier:
          if (p_.checked) {
            for (uint32_t s = 0; s < p_.strips; ++s) check_barrier(m_, step.location, masks[s], s);
          }
          ++m_.phase;
          ++at;
          break;
        case Step::Kind::Jump:
          if (--m_.fuel == 0) refuel(m_, p_.code.data());
          at = step.target;
          break;
        case Step::Kind::JumpIfNone: {
          bool none = true;
          for (uint32_t s = 0; s < p_.strips; ++s) none &= masks[s].none();
          at = none ? step.target : at + 1;
          break;
        }
      }
    }
  }

  Machine& m_;
  const Launch& l_;
  const Program& p_;
  std::byte* store_ = nullptr;
};

}  // namespace

void refuel(Machine& m, const Insn* i) {
  m.fuel = kFuel;
  if (m.launch->stop->load(std::memory_order_relaxed)) throw Error(VD_ERR_INTERNAL, "stopped");
  if (now_ns() < m.launch->deadline_ns) return;
  end_kernel(*m.program, location_of(m, i),
             fmt::format("the watchdog ended it after {:.3g} s, in a loop of workgroup ({}, {}, {})",
                         static_cast<double>(m.launch->watchdog_ns) * 1e-9, m.group[0], m.group[1], m.group[2]));
}

Runner::Runner(uint32_t threads, uint64_t watchdog_ns, bool checked)
    : pool_(checked ? 1 : threads, "vd-host"),
      watchdog_ns_(watchdog_ns != 0 ? watchdog_ns
                   : checked        ? kCheckedWatchdog
                                    : kNever) {
  for (uint32_t i = 0; i < pool_.thread_count(); ++i) machines_.push_back(std::make_unique<Machine>());
}

Runner::~Runner() = default;

void Runner::dispatch(const Program& program, const std::array<uint32_t, 3>& workgroups,
                      std::span<const backends::Range> bindings, std::span<const std::byte> values) {
  const uint64_t total = uint64_t{workgroups[0]} * workgroups[1] * workgroups[2];
  if (total == 0) return;
  std::lock_guard lock(mutex_);
  std::atomic<bool> stop{false};
  Launch launch;
  launch.program = &program;
  launch.workgroups = workgroups;
  for (const backends::Range& range : bindings) {
    launch.bindings.push_back({static_cast<Memory*>(range.memory)->data() + range.offset, range.size});
  }
  launch.values = values.data();
  launch.values_size = static_cast<uint32_t>(values.size());
  const uint64_t start = now_ns();
  launch.watchdog_ns = watchdog_ns_;
  launch.deadline_ns = start + std::min(watchdog_ns_, ~uint64_t{0} - start);
  launch.stop = &stop;
  std::optional<Checker> checker;
  if (program.checked) {
    std::vector<Checker::Binding> list;
    for (const backends::Range& range : bindings)
      list.push_back({static_cast<Memory*>(range.memory), range.offset, false});
    launch.checker = &checker.emplace(program, std::move(list));
  }

  const uint64_t work = total * program.lanes;
  const auto threads = work <= kSmallWork ? 1 : static_cast<uint32_t>(std::min<uint64_t>(pool_.thread_count(), total));
  // Neighbouring workgroups share cache lines; enough pieces remain for the threads to end together.
  const uint64_t turn = std::clamp<uint64_t>(total / (uint64_t{threads} * 16), 1, 64);
  std::atomic<uint64_t> next{0};
  const auto share = [&](size_t index) {
    PlainFloats floats;
    Worker worker(*machines_[index], launch);
    try {
      worker.prepare();
      for (uint64_t first; (first = next.fetch_add(turn, std::memory_order_relaxed)) < total;) {
        for (uint64_t g = first; g < std::min(first + turn, total); ++g) {
          if (g % 16 == 0 && now_ns() > launch.deadline_ns) {
            end_kernel(program, 0,
                       fmt::format("the watchdog ended it after {:.3g} s, with {} of {} workgroups done",
                                   static_cast<double>(watchdog_ns_) * 1e-9, g, total));
          }
          worker.run_group(g);
        }
      }
    } catch (...) {
      // The first failure is reported; the others only stop.
      if (stop.exchange(true)) return;
      throw;
    }
  };
  if (threads == 1)
    share(0);
  else
    pool_.for_each(threads, share);
}

}  // namespace vd::host
