// The end of a process that still has work to do.
//
// exit() tears drivers down one after the other. Work that still runs then, or a thread that still gives them work,
// crashes in most of them. So before that, everything that is open here finishes the work that it has, as its release
// would, but not for ever. From then on no object is destroyed: its driver may be gone, and the system takes the memory.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

namespace vd {

// Whether that end has begun: what is open is asked to finish, and nothing of it may start anew.
bool process_ends() noexcept;
// Whether that end has come.
bool process_ended() noexcept;

// A driver that is loaded or opened while this lives. An exit() of the main thread waits for that, too: it would take apart
// what the driver has made by then, under the hands of the thread that loads it.
class DriverLoad {
 public:
  DriverLoad() noexcept;
  DriverLoad(const DriverLoad&) = delete;
  DriverLoad& operator=(const DriverLoad&) = delete;
  ~DriverLoad();

 private:
  const uint32_t process_;
};

class FinishedAtEnd {
 public:
  using Clock = std::chrono::steady_clock;
  // Ends at the deadline at the latest. False if there is work left. Also called when the main thread ends, which may
  // be long before its process. On the thread that ends the process, which may be one that calls the program.
  using Finish = std::function<bool(Clock::time_point deadline)>;
  // Called where the end has come, and work may be left: lets go of what waits for a thread of the owner's, since drivers may wait
  // for their work while they are torn down. Throws nothing.
  using LetGo = std::function<void()>;

  FinishedAtEnd() = default;
  FinishedAtEnd(const FinishedAtEnd&) = delete;
  FinishedAtEnd& operator=(const FinishedAtEnd&) = delete;
  ~FinishedAtEnd();

  // Drivers that are loaded by now are torn down after `finish` was called. Called once.
  void opened(Finish finish, LetGo let_go = {});
  // `finish` is not called any more, but by an end that begins in a Call of the owner's, for which the owner waits before it
  // takes anything apart; `let_go` may be, until call_drivers() returns. The owner calls drivers until this object goes, for
  // which the end waits. False: the end has come, or this is the child of a fork, which has none of the
  // owner's threads. The owner stays as it is then.
  bool close() noexcept;
  // Between these its owner calls functions of the program, which may never return, and no driver: the end does not wait
  // for them. If it came meanwhile, call_drivers() does not return. `let_go` is not called behind it.
  void call_program() noexcept;
  void call_drivers() noexcept;

  // The calling thread runs a function of the program's for an owner. An end that begins there does not wait until the
  // owner has closed, since that waits for the function.
  class Call {
   public:
    explicit Call(const FinishedAtEnd& owner) noexcept;
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;
    ~Call();

   private:
    const FinishedAtEnd* const outer_;
  };

 private:
  friend struct ProcessEnd;
  Finish finish_;
  LetGo let_go_;
  uint32_t process_ = 0;  // in which it was opened
  bool listed_ = false;
  bool closes_ = false;
  bool calls_program_ = false;
};

}  // namespace vd
