// The emulated driver's objects.
#pragma once

#include <atomic>
#include <barrier>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <shared_mutex>
#include <string>
#include <thread>
#include <vector>

#include "backends/cuda/api.h"
#include "support/emulated_cuda/abi.h"

#define VD_ENTRY(symbol, ...) extern "C" __attribute__((visibility("default"))) CUresult symbol(__VA_ARGS__)
// Counts the call, fails it if a test asked for that, and looks at the calling thread's context.
#define VD_BEGIN(symbol) \
  if (const CUresult failure = begin(#symbol, true)) return failure
#define VD_BEGIN_ANYWHERE(symbol) \
  if (const CUresult failure = begin(#symbol, false)) return failure

namespace vd::cuda {

struct CUctx_st {
  int device = 0;
  std::atomic<unsigned> references{0};
  // The error that ended the context. As on a real device, a program that sees it may free all memory: no work runs
  // then or later.
  std::atomic<int> error{0};

  // Runs work of a stream, unless the context has ended.
  void run(const std::function<void()>& work);
  // For work that run() runs: the context ends when all work that runs has returned.
  void end(int code);
  bool ends() const { return code_ != 0; }
  void begin_anew();

 private:
  std::shared_mutex running_;  // shared by work that runs
  std::atomic<int> code_{0};
};

// A mark that a stream passes when it has done all earlier work.
struct Token {
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;

  void finish();
  void wait();
  bool is_done();
};

struct CUstream_st {
  explicit CUstream_st(CUcontext owner);
  ~CUstream_st();
  // Work on memory, which is left out once the context has ended.
  void push(std::function<void()> work);
  // Done in any case.
  void push_always(std::function<void()> task);
  bool idle();
  void drain();

  CUcontext context;

  // While a graph is captured, the stream's work becomes that graph's, in its order.
  struct Capture {
    CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
    std::thread::id thread;
    CUgraph graph = nullptr;
    bool aborted = false;
  };
  std::unique_ptr<Capture> capture;
  // Whether the stream is capturing, also after the capture was aborted.
  bool captures() const { return capture != nullptr; }

 private:
  void add_captured(std::function<void()> work);
  void run();

  std::mutex mutex_;
  std::condition_variable wake_, quiet_, room_;
  std::deque<std::function<void()>> tasks_;
  bool busy_ = false, stop_ = false;
  std::thread worker_;
};

struct CUevent_st {
  std::shared_ptr<Token> token;
  CUstream captured = nullptr;  // the capturing stream in which it was recorded last
};

struct CUfunc_st {
  const vd_emulated_kernel* kernel = nullptr;
  CUcontext context = nullptr;
  unsigned most_dynamic = 48 * 1024;
};

struct CUmod_st {
  void* library = nullptr;
  int file = -1;
  CUcontext context = nullptr;
  std::map<std::string, CUfunc_st> functions;
};

struct CUmemPoolHandle_st {
  CUcontext context = nullptr;
  std::atomic<bool> reuses{true};  // also what another stream has yet to free, behind that stream's work
  CUstream freeing = nullptr;      // the last that was to free memory, and when it is done
  std::shared_ptr<Token> freed;
};

// One level of a mipmapped array.
struct CUarray_st {
  CUDA_ARRAY3D_DESCRIPTOR shape{};  // of the level
  unsigned channel_size = 0;        // bytes
  std::vector<std::byte> texels;

  bool layered() const { return (shape.Flags & CUDA_ARRAY3D_LAYERED) != 0; }
  unsigned dimensions() const { return shape.Height == 0 ? 1 : shape.Depth == 0 || layered() ? 2 : 3; }
  size_t texel_size() const { return channel_size * shape.NumChannels; }
  size_t extent(int axis) const;  // depth or layers last; at least 1
  // Null outside.
  std::byte* at(int64_t x, int64_t y, int64_t z);
};

struct CUmipmappedArray_st {
  std::vector<CUarray_st> levels;
  size_t bytes = 0;
  std::atomic<int> textures{0};  // objects that refer to it
};

// A kernel with a copy of its parameters.
struct Launch {
  CUfunction function;
  unsigned grid[3], block[3], shared;
  std::vector<std::vector<std::byte>> parameters;
};

// Memory of a copy or a fill, each the program's own (which is registered) or the driver's. An instance takes no other kind.
struct Operands {
  bool from = false, to = false;
  bool operator==(const Operands&) const = default;
};

struct CUgraphNode_st {
  std::function<void()> run;
  std::vector<CUgraphNode> after;
  CUfunction function = nullptr;  // of a kernel
  Operands operands;
};

struct CUgraph_st {
  std::vector<std::unique_ptr<CUgraphNode_st>> nodes;
  std::set<CUgraphNode> known;  // the same, to be looked up
};

struct CUgraphExec_st {
  struct Node {
    std::function<void()> run;
    std::vector<size_t> after;
    Operands operands;
  };
  std::vector<Node> nodes;
  std::map<CUgraphNode, size_t> index;
  std::shared_ptr<std::mutex> running = std::make_shared<std::mutex>();
};

namespace emulated {

constexpr int kDevices = 2;
constexpr unsigned kMostShared = 227 * 1024;

// The stream that a handle stands for: 1 is the context's default stream, and 2 that of the calling thread, which is the
// same here.
CUstream resolve(CUstream stream);
// Fails a call that is unsafe while another stream captures, and aborts the captures, as the driver does.
CUresult check_capture(const std::string& name);

CUresult begin(const char* symbol, bool needs_context);
CUcontext current();
void live(int change);
void held_back();
// Ends when every stream is idle.
void drain_all();
// For calls that wait until every stream is idle, as those do that free: no other call begins meanwhile.
class Exclusive {
 public:
  Exclusive();

 private:
  std::unique_lock<std::shared_mutex> alone_;
};
int take_break();
unsigned delay();
uint64_t timer_step();
uint64_t timer_fast();
uint64_t memory_size();

// Counts bytes of device memory that are not addressed. False if there are not so many.
bool reserve(size_t size);
void give_back(size_t size);
// The work of a copy.
CUresult copy_task(const CUDA_MEMCPY3D& parameters, std::function<void()>& task);

// Memory behind a descriptor, mapped as device memory until cuMemFree(). 0 if that fails.
CUdeviceptr map_shared(int fd, size_t offset, size_t size);
// Device memory that comes or goes otherwise.
void note_memory(CUdeviceptr address, size_t size, bool comes);
// Whether every byte is in one allocation of device or pinned memory.
bool is_memory(CUdeviceptr address, size_t size);
bool is_pinned(const void* pointer, size_t size);
bool is_registered(CUdeviceptr address);

CUresult check_launch(CUfunction function, const unsigned (&grid)[3], const unsigned (&block)[3], unsigned shared,
                      void** parameters, Launch& out);
void run_launch(const Launch& launch);
// All invocations of one workgroup, which may wait for each other. False if they wait for ever.
// Workgroups that reach each other's shared memory: each runs on a thread of its own.
struct Cluster {
  explicit Cluster(unsigned size) : places(size), barrier(size) {}
  std::vector<char*> places;  // of each workgroup's shared memory
  std::barrier<> barrier;
};
bool run_waiting_group(const vd_emulated_kernel& kernel, vd_emulated_thread group, void** parameters, Cluster& cluster);

}  // namespace emulated
}  // namespace vd::cuda
