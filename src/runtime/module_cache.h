// Compiled kernels of a context. Equal kernels, whatever their names, share one; the last few are kept even when no
// plan holds them, for programs that make the same kernel again and again.
#pragma once

#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "backends/backend.h"
#include "core/hash.h"
#include "runtime/retire.h"

struct vd_context;

namespace vd::runtime {

// A module and when it was last used. When the last plan lets go the module is retired.
class Compiled {
 public:
  Compiled(vd_context& context, std::shared_ptr<backends::Module> module);
  Compiled(const Compiled&) = delete;
  Compiled& operator=(const Compiled&) = delete;
  ~Compiled();

  backends::Module& module() const { return *module_; }
  LastUse last_use;  // under the context's order lock

 private:
  vd_context& context_;
  std::shared_ptr<backends::Module> module_;
};

class ModuleCache {
 public:
  // The module of that key, or the result of `make`. Threads that ask for one key at a time compile it once. `stays`: it is
  // kept until clear().
  std::shared_ptr<Compiled> get(const Hash128& key, const std::function<std::shared_ptr<Compiled>()>& make,
                                bool stays = false);
  void clear();

 private:
  struct Entry {
    std::mutex mutex;  // held while it is compiled
    std::weak_ptr<Compiled> compiled;
  };
  std::shared_ptr<Compiled> find_or_make(const Hash128& key, const std::function<std::shared_ptr<Compiled>()>& make);
  void forget_unused();

  std::mutex mutex_;
  std::unordered_map<Hash128, std::shared_ptr<Entry>, HashOfHash> entries_;
  std::list<std::shared_ptr<Compiled>> kept_;
  std::unordered_map<Hash128, std::shared_ptr<Compiled>, HashOfHash> staying_;
};

}  // namespace vd::runtime
