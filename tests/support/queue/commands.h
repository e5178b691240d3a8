// Commands put together by hand, as the runtime does, for the tests of backends.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
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
    backends::Command command = make(backends::Command::Kind::Dispatch);
    command.module = &module;
    command.workgroups = {workgroups, 1, 1};
    command.first_binding = static_cast<uint32_t>(list.ranges.size());
    command.binding_count = static_cast<uint32_t>(ranges.size());
    list.ranges.insert(list.ranges.end(), ranges.begin(), ranges.end());
    command.first_value = static_cast<uint32_t>(list.values.size());
    command.values_size = static_cast<uint32_t>(values.size() * 4);
    list.values.resize(list.values.size() + command.values_size);
    if (!values.empty()) std::memcpy(list.values.data() + command.first_value, values.data(), command.values_size);
    list.commands.push_back(command);
    return *this;
  }
  ListBuilder& copy(const backends::Range& source, const backends::Range& destination) {
    backends::Command command = make(backends::Command::Kind::Copy);
    command.source = source;
    command.destination = destination;
    list.commands.push_back(command);
    return *this;
  }
  ListBuilder& fill(const backends::Range& destination, uint32_t pattern) {
    backends::Command command = make(backends::Command::Kind::Fill);
    command.destination = destination;
    command.pattern = pattern;
    list.commands.push_back(command);
    return *this;
  }

  backends::CommandList list;

 private:
  backends::Command make(backends::Command::Kind kind) const {
    backends::Command command;
    command.kind = kind;
    command.level = level_;
    return command;
  }

  uint32_t level_ = 0;
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
