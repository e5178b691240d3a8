// Work that a queue has and the driver does not have yet, kept flat: appending allocates nothing once the arrays have
// grown.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <vector>

#include "backends/vulkan/encoder.h"
#include "backends/vulkan/executable.h"

namespace vd::vulkan {

class Queue;
class SharedSemaphore;

struct Task {
  enum class Kind : uint8_t { List, Run, Copy, Wait, Signal, Prepare };
  Kind kind = Kind::List;
  bool wait_before = true;                 // List, Copy: after all earlier work
  bool settled = false;                    // the runtime takes all work before it for ordered before all later work
  bool close = false;                      // later work goes into another submit, so that this one is done early
  bool touches_host = false;               // Copy: the destination is mapped
  uint64_t value = 0;                      // that the timeline reaches when it is done
  size_t first = 0, count = 0;             // List: its commands
  Queries queries;                         // List: of its commands, if they are timed
  const Executable* executable = nullptr;  // Run
  uint32_t repeat = 0;                     // Run: how often still
  const Image* image = nullptr;            // Prepare: its change of layout, before its first use
  VkBuffer source = VK_NULL_HANDLE;        // Copy
  VkBuffer destination = VK_NULL_HANDLE;   // Copy
  uint64_t source_offset = 0, destination_offset = 0, size = 0;  // Copy
  VkSemaphore semaphore = VK_NULL_HANDLE;                        // Wait, Signal
  uint64_t semaphore_value = 0;                                  // Wait, Signal
};

// The use of a semaphore by a Wait or a Signal, which keeps the semaphore until the driver has been given the task.
struct SharedUse {
  size_t task = 0;
  std::shared_ptr<SharedSemaphore> semaphore;
  uint64_t value = 0;
  bool claims = false;  // a Signal's, which alone may set the value
};

struct Work {
  std::vector<Task> tasks;
  std::vector<backends::Command> commands;
  std::vector<backends::Range> ranges;
  std::vector<std::byte> values;
  std::vector<backends::ImageUse> images;
  std::vector<backends::Box> boxes;
  std::vector<SharedUse> uses;

  CommandView view(const Task& task) const noexcept {
    return {{commands.data() + task.first, task.count}, ranges, values, images, boxes};
  }

  bool empty() const noexcept { return tasks.empty(); }
  // Frees the values that tasks from `first` on have claimed, which the driver is never given, since their queue failed.
  void give_back_claims(size_t first, const std::exception_ptr& failure) const noexcept;
  void clear() noexcept {
    tasks.clear();
    commands.clear();
    ranges.clear();
    values.clear();
    images.clear();
    boxes.clear();
    uses.clear();
  }
  // Appends a copy of the list; has no effect if there is no memory for it.
  void append(const backends::CommandList& list, uint64_t value, bool settled, Queries queries) {
    Task task;
    task.queries = queries;
    task.value = value;
    task.settled = settled;
    task.wait_before = list.wait_before;
    task.first = commands.size();
    task.count = list.commands.size();
    const auto range_base = static_cast<uint32_t>(ranges.size());
    const auto value_base = static_cast<uint32_t>(values.size());
    const auto image_base = static_cast<uint32_t>(images.size());
    const auto box_base = static_cast<uint32_t>(boxes.size());
    make_room(tasks, 1);
    make_room(commands, list.commands.size());
    make_room(ranges, list.ranges.size());
    make_room(values, list.values.size());
    make_room(images, list.images.size());
    make_room(boxes, list.boxes.size());
    commands.insert(commands.end(), list.commands.begin(), list.commands.end());
    for (size_t i = task.first; i < commands.size(); ++i) {
      commands[i].first_binding += range_base;
      commands[i].first_value += value_base;
      commands[i].first_image += image_base;
      commands[i].first_box += box_base;
    }
    ranges.insert(ranges.end(), list.ranges.begin(), list.ranges.end());
    values.insert(values.end(), list.values.begin(), list.values.end());
    images.insert(images.end(), list.images.begin(), list.images.end());
    boxes.insert(boxes.end(), list.boxes.begin(), list.boxes.end());
    tasks.push_back(task);
  }

 private:
  template <class T>
  static void make_room(std::vector<T>& list, size_t count) {
    if (list.capacity() - list.size() < count) list.reserve(std::max(list.size() + count, 2 * list.capacity()));
  }
};

}  // namespace vd::vulkan
