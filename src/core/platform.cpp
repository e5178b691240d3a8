#include "core/platform.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <system_error>
#include <thread>

#if defined(_WIN32)
#define WIN32_LEAN_AND_MEAN
#define NOMINMAX
#include <windows.h>
#else
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>
#if defined(__linux__)
#include <sched.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif
#endif

namespace vd::platform {

namespace fs = std::filesystem;

namespace {

// Whether the process has more rights than its caller, as a set-uid program has.
bool has_more_rights() noexcept {
#if defined(__linux__)
  return getauxval(AT_SECURE) != 0;  // of every libc
#elif defined(_WIN32)
  return false;  // nothing of the kind there
#else
  return issetugid() != 0;
#endif
}

}  // namespace

std::optional<std::string> environment(const char* name) {
  const char* value = has_more_rights() ? nullptr : std::getenv(name);
  if (value == nullptr || *value == '\0') return std::nullopt;
  return std::string(value);
}

// ---- Shared libraries

Library Library::open(const std::string& name, std::string* why) {
  Library library;
#if defined(_WIN32)
  library.handle_ = reinterpret_cast<void*>(LoadLibraryA(name.c_str()));
  const char* reason = library.handle_ == nullptr ? "not found" : nullptr;
#else
  library.handle_ = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  const char* reason = library.handle_ == nullptr ? dlerror() : nullptr;
#endif
  if (library.handle_ == nullptr && why != nullptr) {
    if (!why->empty()) *why += "; ";
    *why += reason != nullptr ? reason : name;
  }
  return library;
}

Library Library::open(std::initializer_list<const char*> names, std::string* why) {
  for (const char* name : names) {
    Library library = open(std::string(name), why);
    if (library) return library;
  }
  return {};
}

Library::~Library() {
  if (handle_ == nullptr) return;
#if defined(_WIN32)
  FreeLibrary(reinterpret_cast<HMODULE>(handle_));
#else
  dlclose(handle_);
#endif
}

void* Library::symbol(const char* name) const noexcept {
  if (handle_ == nullptr) return nullptr;
#if defined(_WIN32)
  return reinterpret_cast<void*>(GetProcAddress(reinterpret_cast<HMODULE>(handle_), name));
#else
  return dlsym(handle_, name);
#endif
}

// ---- Files

fs::path user_cache_directory() {
#if defined(_WIN32)
  if (auto local = environment("LOCALAPPDATA")) return fs::path(*local);
#elif defined(__APPLE__)
  if (auto home = environment("HOME")) return fs::path(*home) / "Library" / "Caches";
#else
  // The XDG rule: a relative path is not valid and is passed over.
  if (auto xdg = environment("XDG_CACHE_HOME"); xdg && fs::path(*xdg).is_absolute()) return fs::path(*xdg);
  if (auto home = environment("HOME")) return fs::path(*home) / ".cache";
#endif
  return {};
}

uint64_t process_id() noexcept {
#if defined(_WIN32)
  return GetCurrentProcessId();
#else
  return static_cast<uint64_t>(getpid());
#endif
}

// ---- Threads

bool on_main_thread() noexcept {
#if defined(__linux__)
  return syscall(SYS_gettid) == getpid();
#elif defined(__APPLE__)
  return pthread_main_np() != 0;
#else
  return false;
#endif
}

uint32_t thread_id() noexcept {
#if defined(__linux__)
  return static_cast<uint32_t>(syscall(SYS_gettid));
#elif defined(__APPLE__)
  uint64_t id = 0;
  pthread_threadid_np(nullptr, &id);
  return static_cast<uint32_t>(id);
#elif defined(_WIN32)
  return GetCurrentThreadId();
#else
  static std::atomic<uint32_t> threads{0};
  thread_local const uint32_t thread = threads.fetch_add(1, std::memory_order_relaxed);
  return thread;
#endif
}

uint32_t processor_count() noexcept {
#if defined(__linux__)
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) == 0 && CPU_COUNT(&set) > 0)
    return static_cast<uint32_t>(CPU_COUNT(&set));
#endif
  const unsigned count = std::thread::hardware_concurrency();
  return count == 0 ? 1 : count;
}

#if defined(__linux__)
namespace {

// A limit's file; "max" means that there is no limit.
uint64_t number_in(const fs::path& path) {
  std::ifstream file(path);
  uint64_t number = 0;
  return file >> number ? number : UINT64_MAX;
}

// The least limit of a group and of those that it is in. A container sees its own group as the root, under any name.
uint64_t group_limit(const fs::path& mount, const std::string& group, const char* file) {
  uint64_t limit = number_in(mount / file);
  fs::path path = fs::path(group).relative_path();
  for (; !path.empty(); path = path.parent_path()) limit = std::min(limit, number_in(mount / path / file));
  return limit;
}

// Lines of /proc/self/cgroup are "0::/group" (version 2) and "4:cpu,memory:/group" (version 1).
uint64_t control_group_limit(const fs::path& root) {
  const fs::path mount = root / "sys/fs/cgroup";
  std::ifstream groups(root / "proc/self/cgroup");
  uint64_t limit = UINT64_MAX;
  for (std::string line; std::getline(groups, line);) {
    const size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string group = line.substr(second + 1);
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    if (controllers == ",,") {
      limit = std::min(limit, group_limit(mount, group, "memory.max"));
    } else if (controllers.find(",memory,") != std::string::npos) {
      limit = std::min(limit, group_limit(mount / "memory", group, "memory.limit_in_bytes"));
    }
  }
  return limit;
}

}  // namespace
#endif

int copy_descriptor(int descriptor) noexcept {
#if defined(_WIN32)
  (void)descriptor;
  return -1;
#else
  return fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
#endif
}

void close_descriptor(int descriptor) noexcept {
#if defined(_WIN32)
  (void)descriptor;
#else
  close(descriptor);
#endif
}

uint64_t page_size() noexcept {
#if defined(_WIN32)
  SYSTEM_INFO info{};
  GetSystemInfo(&info);
  return info.dwPageSize;
#else
  const long size = sysconf(_SC_PAGESIZE);
  return size > 0 ? static_cast<uint64_t>(size) : 4096;
#endif
}

bool has_pages(const void* data, uint64_t size) noexcept {
#if defined(__linux__)
  if (size == 0) return true;
  const auto begin = reinterpret_cast<uintptr_t>(data);
  const uint64_t page = page_size();
  for (const uintptr_t at : {begin, begin + size / 2, begin + size - 1}) {
    unsigned char there = 1;
    if (mincore(reinterpret_cast<void*>(at / page * page), page, &there) == 0 && (there & 1) == 0) return false;
  }
#else
  (void)data, (void)size;
#endif
  return true;
}

void make_pages(void* data, uint64_t size) noexcept {
#if defined(__linux__)
  constexpr int kPopulateWrite = 23;  // MADV_POPULATE_WRITE of Linux 5.14
  const uint64_t page = page_size();
  const auto begin = reinterpret_cast<uintptr_t>(data) / page * page;
  madvise(reinterpret_cast<void*>(begin), reinterpret_cast<uintptr_t>(data) + size - begin, kPopulateWrite);
#else
  (void)data, (void)size;
#endif
}

uint64_t memory_size(const fs::path& root) noexcept {
#if defined(_WIN32)
  (void)root;
  MEMORYSTATUSEX status{};
  status.dwLength = sizeof(status);
  return GlobalMemoryStatusEx(&status) != 0 ? status.ullTotalPhys : 0;
#else
  const long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
  const uint64_t physical = pages > 0 && size > 0 ? static_cast<uint64_t>(pages) * static_cast<uint64_t>(size) : 0;
#if defined(__linux__)
  try {
    return std::min(physical, control_group_limit(root));
  } catch (...) {
    return physical;
  }
#else
  (void)root;
  return physical;
#endif
#endif
}

void name_thread(const char* name) noexcept {
#if defined(__linux__)
  char text[16] = {};
  for (int i = 0; i < 15 && name[i] != '\0'; ++i) text[i] = name[i];
  pthread_setname_np(pthread_self(), text);
#elif defined(__APPLE__)
  pthread_setname_np(name);
#else
  (void)name;
#endif
}

#ifdef _WIN32
BlockedSignals::BlockedSignals() noexcept = default;
BlockedSignals::~BlockedSignals() = default;
#else
BlockedSignals::BlockedSignals() noexcept {
  sigset_t blocked;
  sigfillset(&blocked);
  // Signals that the thread's own instructions raise are not blocked: a blocked one would end the process without its
  // handlers. Profilers count every thread.
  for (const int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT, SIGPROF}) sigdelset(&blocked, own);
  pthread_sigmask(SIG_SETMASK, &blocked, &before_);
}
BlockedSignals::~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
#endif

PreciseSleep::PreciseSleep() noexcept {
#if defined(__linux__)
  const int own = prctl(PR_GET_TIMERSLACK);
  if (own > 1 && prctl(PR_SET_TIMERSLACK, 1UL) == 0) slack_ns_ = own;
#endif
}

PreciseSleep::~PreciseSleep() {
#if defined(__linux__)
  if (slack_ns_ != 0) prctl(PR_SET_TIMERSLACK, static_cast<unsigned long>(slack_ns_));
#endif
}

}  // namespace vd::platform
