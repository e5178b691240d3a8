// Commands put together by hand, as the runtime does, for the tests of backends.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "backends/backend.h"
#include "core/error.h"

namespace vd::test {

class ListBuilder {
 public:
  explicit ListBuilder(bool wait_before = true) { list.wait_before = wait_before; }
  ListBuilder& level(uint32_t level) {
    level_ = level;
    return *this;
  }
  ListBuilder& dispatch(backends::Module& module, uint32_t workgroups, const std::vector<backends::Range>& ranges,
                        const std::vector<uint32_t>& values) {
    backends::Command command;
    command.module = &module;
    command.workgroups = {workgroups, 1, 1};
    command.first_binding = static_cast<uint32_t>(list.ranges.size());
    command.binding_count = static_cast<uint32_t>(ranges.size());
    list.ranges.insert(list.ranges.end(), ranges.begin(), ranges.end());
    command.first_value = static_cast<uint32_t>(list.values.size());
    command.values_size = static_cast<uint32_t>(values.size() * 4);
    list.values.resize(list.values.size() + command.values_size);
    if (!values.empty()) std::memcpy(list.values.data() + command.first_value, values.data(), command.values_size);
    return add(command, workgroups != 0);
  }
  // The last dispatch takes the numbers of its workgroups from there.
  ListBuilder& counts(const backends::Range& range) {
    list.commands.back().counts = true;
    list.ranges.push_back(range);
    return *this;
  }
  ListBuilder& copy(const backends::Range& source, const backends::Range& destination) {
    backends::Command command;
    command.kind = backends::Command::Kind::Copy;
    command.source = source;
    command.destination = destination;
    return add(command, destination.size != 0);
  }
  ListBuilder& fill(const backends::Range& destination, uint32_t pattern) {
    backends::Command command;
    command.kind = backends::Command::Kind::Fill;
    command.destination = destination;
    command.pattern = pattern;
    return add(command, destination.size != 0);
  }
  // The last command's edges, in place of those to all commands of the level below.
  ListBuilder& after(const std::vector<uint32_t>& numbers) {
    backends::Command& last = list.commands.back();
    list.edges.resize(last.first_edge);
    list.edges.insert(list.edges.end(), numbers.begin(), numbers.end());
    last.edge_count = static_cast<uint32_t>(numbers.size());
    return *this;
  }

  backends::CommandList list;

 private:
  ListBuilder& add(backends::Command command, bool does_something) {
    command.level = level_;
    if (does_something) {
      if (list.commands.empty() || level_ != number_level_) {
        below_ = std::exchange(numbers_, {});
        number_level_ = level_;
      }
      numbers_.push_back(static_cast<uint32_t>(list.commands.size()));
    }
    command.first_edge = static_cast<uint32_t>(list.edges.size());
    list.commands.push_back(command);
    return does_something ? after(below_) : *this;
  }

  uint32_t level_ = 0;
  uint32_t number_level_ = 0;      // the level of `numbers_`
  std::vector<uint32_t> numbers_;  // of commands that do something
  std::vector<uint32_t> below_;    // the same of the level below
};

inline backends::Range whole(backends::Memory& memory) { return {&memory, 0, memory.size()}; }

// A whole write of host memory, and the last value of it.
inline uint64_t write(backends::Queue& queue, backends::Range destination, const void* data) {
  const auto* bytes = static_cast<const std::byte*>(data);
  uint64_t value = 0;
  while (destination.size != 0) {
    const auto in_place = queue.write_in_place(destination, bytes);
    if (in_place) return *in_place;
    const auto piece = queue.stage(destination, bytes);
    value = piece->submit(true);
    piece->finish();
    bytes += piece->size();
    destination.offset += piece->size();
    destination.size -= piece->size();
  }
  return value;
}

// Runs `body`, which must throw an Error of `status` whose message has `part`.
inline void expect_error(const std::function<void()>& body, vd_status status, const std::string& part) {
  try {
    body();
    ADD_FAILURE() << "nothing was thrown; expected: " << part;
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), status) << error.what();
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

}  // namespace vd::test
