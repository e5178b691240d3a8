// Random programs: threads that share a context and its plans, each with memory of its own, submit and record operations,
// change graphs, import, map, fetch, profile, wait and release in any order. Everything that is read is compared with the same program
// on the host. The seed is VD_TEST_SEED, else a fixed one; with VD_TEST_FULL there are more programs.
#include "api/random_program.h"
#include "api/shared_context.h"

#include <cstdlib>
#include <deque>
#include <mutex>
#include <random>
#include <thread>

#include "support/samples.h"

namespace api::random {
namespace {

// Errors, and messages of validation layers.
struct Complaints {
  std::mutex mutex;
  std::vector<std::string> lines;
  vd::test::LogReceiver receiver{&receive, this};
  static void receive(const vd_log_message* message, void* user) {
    auto& self = *static_cast<Complaints*>(user);
    if (message->level < VD_LOG_ERROR && std::strstr(message->text, "VUID") == nullptr) return;
    const std::lock_guard lock(self.mutex);
    self.lines.emplace_back(message->text);
  }
};

class Program {
 public:
  struct Shared {
    vd_context* ctx;
    const Plans& plans;
    vd_device_info device;
    uint32_t queues;
    bool semaphores, pictures, calls;
    // With a validation layer, which takes a kernel to access its binding down to the device's alignment, and memory that is
    // given again after the host has waited for its last use to be used still.
    bool debug;
  };

  Program(const Shared& shared, uint64_t seed) : shared_(shared), random_(seed) {
    for (int i = 0; i < 6; ++i) make_buffer();
    if (shared_.semaphores)
      for (uint32_t q = 0; q < shared_.queues; ++q) {
        semaphores_.emplace_back();
        EXPECT_OK(vd_semaphore_create(shared_.ctx, nullptr, semaphores_.back().semaphore.out()));
      }
  }

  void run(uint32_t steps) {
    for (uint32_t i = 0; i < steps && !testing::Test::HasFailure(); ++i) {
      step();
      if (careful()) look_at_all();
    }
    if (!testing::Test::HasFailure()) finish();
    if (!testing::Test::HasFailure()) return;
    std::string all;
    for (const std::string& line : history_) all += line + "\n";
    ADD_FAILURE() << "the last steps:\n" << all;
  }

 private:
  struct Recorded {
    Graph graph;
    std::vector<Op> ops;
    std::vector<vd_node> nodes;
  };
  struct Fetched {
    Blob blob;
    vd_ticket ticket;
    Bytes wanted;
  };
  struct Semaphores {
    Semaphore semaphore;
    uint64_t last = 0;
  };

  // To find the step that went wrong.
  static bool careful() { return std::getenv("VD_TEST_CAREFUL") != nullptr; }
  uint32_t below(uint64_t n) { return static_cast<uint32_t>(random_() % n); }
  bool one_in(uint32_t n) { return below(n) == 0; }
  Bytes some_bytes(uint64_t size) {
    Bytes bytes(size);
    for (uint8_t& b : bytes) b = static_cast<uint8_t>(random_());
    return bytes;
  }
  void note(std::string line) {
    history_.push_back(std::move(line));
    if (history_.size() > 60) history_.pop_front();
  }
  void add(std::shared_ptr<Memory> memory, Buffer buffer, uint64_t first, uint64_t size, uint64_t origin = 0) {
    if (buffer == nullptr) return;
    auto handle = std::make_shared<Handle>();
    handle->buffer = std::move(buffer);
    handle->memory = std::move(memory);
    handle->first = first;
    handle->size = size;
    handle->origin = origin != 0 ? origin : ++origins_;
    buffers_.push_back(std::move(handle));
  }

  // ---- Memory

  void make_buffer() {
    auto memory = std::make_shared<Memory>();
    const uint64_t words = one_in(8) ? 1 + below(20000) : kSummed + below(900);
    memory->bytes = some_bytes(4 * words);
    vd_buffer_desc desc = VD_BUFFER_DESC_INIT;
    desc.size = memory->bytes.size();
    desc.data = memory->bytes.data();
    desc.flags = one_in(4) ? VD_BUFFER_HOST : 0;
    Buffer buffer;
    EXPECT_OK(vd_buffer_create(shared_.ctx, &desc, buffer.out()));
    note("buffer of " + std::to_string(desc.size));
    add(memory, std::move(buffer), 0, desc.size);
  }
  void make_import() {
    const uint64_t alignment = shared_.device.host_import_alignment;
    if (alignment == 0) return;
    auto memory = std::make_shared<Memory>();
    const uint64_t size = std::max<uint64_t>(alignment, 4096) * (1 + below(2));
    memory->bytes = some_bytes(size);
    memory->theirs.reset(static_cast<std::byte*>(::operator new(size, std::align_val_t{4096})));
    std::memcpy(memory->theirs.get(), memory->bytes.data(), size);
    import_part(memory, 0, size);
  }
  void import_part(const std::shared_ptr<Memory>& memory, uint64_t first, uint64_t size) {
    vd_buffer_import_desc desc = host_import(memory->theirs.get() + first, size, memory->released);
    ++memory->imports;
    Buffer buffer;
    EXPECT_OK(vd_buffer_import(shared_.ctx, &desc, buffer.out()));
    note("import of " + std::to_string(size) + " from " + std::to_string(first));
    imported_.push_back(memory);
    add(memory, std::move(buffer), first, size);
  }
  // Another buffer over the same bytes.
  void make_alias() {
    const Ref& of = pick();
    if (of->memory->theirs != nullptr && !of->memory->discarded && one_in(2)) {
      const uint64_t alignment = shared_.device.host_import_alignment;
      const uint64_t first = of->memory->bytes.size() / 2 / alignment * alignment;
      return import_part(of->memory, first, of->memory->bytes.size() - first);
    }
    const uint64_t first = (shared_.debug ? 16 : 4) * below(of->size / 32 + 1),
                   size = of->size - first - 4 * below((of->size - first) / 8 + 1);
    Buffer buffer;
    EXPECT_OK(vd_buffer_slice(of->buffer, first, size, buffer.out()));
    note("slice");
    add(of->memory, std::move(buffer), of->first + first, size, of->origin);
  }
  void drop() {
    if (buffers_.size() < 6) return make_buffer();
    if (shared_.debug) return;
    const uint32_t i = below(buffers_.size());
    // Each of several imports of one memory is discarded for itself.
    if (one_in(4) && buffers_[i]->memory->imports < 2) {
      const auto memory = buffers_[i]->memory;
      note("discard");
      for (const Ref& other : buffers_)
        if (other->memory == memory) {
          EXPECT_OK(vd_buffer_discard(other->buffer));
        }
      memory->discarded = true;
      std::erase_if(buffers_, [&](const Ref& other) { return other->memory == memory; });
      return;
    }
    note("release");
    buffers_.erase(buffers_.begin() + i);
  }
  const Ref& pick() {
    if (buffers_.empty()) make_buffer();
    return buffers_[below(buffers_.size())];
  }
  // A range of `size` bytes, at a multiple of `unit` mostly.
  Range range(uint64_t size, uint32_t unit) {
    if (shared_.debug) unit = 16;
    Range r;
    r.of = pick();
    r.size = size;
    if (r.of->size > size) r.offset = below(r.of->size - size + 1) / unit * unit;
    if (one_in(4)) r.offset = 0;
    return r;
  }

  // ---- Operations

  // False if none was found.
  bool make_op(Op& op, bool recorded) {
    for (int tries = 0; tries < 30; ++tries) {
      op = Op();
      op.kind = static_cast<Kind>(below(kKinds));
      if (!shared_.pictures && (op.kind == Kind::kToPicture || op.kind == Kind::kFromPicture)) continue;
      if (op.kind == Kind::kCall && (!recorded || !shared_.calls || !one_in(4))) continue;
      op.value = static_cast<uint32_t>(random_());
      choose(op);
      if (op.valid()) return true;
    }
    return false;
  }
  void choose(Op& op) {
    op.at.clear();
    switch (op.kind) {
      case Kind::kMix:
      case Kind::kCounted:
        if (op.size == 0) op.size = 1 + below(one_in(8) ? 3000 : 100);
        for (int i = 0; i < 2; ++i) {
          op.at.push_back(range(4 * op.size, 4));
          op.at.back().whole = one_in(4);
        }
        if (one_in(8)) op.at[1] = op.at[0];
        if (op.kind == Kind::kCounted) op.at.push_back(range(12, 4));
        return;
      case Kind::kSum:
        op.at = {range(4, 4), range(4 * kSummed, 16)};
        return;
      case Kind::kCopy:
        if (op.size == 0) op.size = 1 + below(2000);
        op.at = {range(op.size, one_in(2) ? 1 : 4), range(op.size, one_in(2) ? 1 : 4)};
        return;
      case Kind::kFill:
        if (op.size == 0) op.size = 4 * (1 + below(500));
        op.at = {range(op.size, 4)};
        return;
      case Kind::kPattern:
        if (op.pattern.empty()) {
          op.pattern = some_bytes(1 + below(16));
          op.size = static_cast<uint32_t>(op.pattern.size() * (1 + below(100)));
        }
        op.at = {range(op.size, one_in(2) ? 1 : 4)};
        return;
      case Kind::kStrided: {
        if (op.strided.element_size == 0) {
          const uint64_t unit = one_in(2) ? 4 : 1, rows = 1 + below(9), columns = 1 + below(9);
          op.strided.element_size = static_cast<uint32_t>(unit * (1 + below(4)));
          op.strided.counts[0] = rows;
          op.strided.counts[1] = columns;
          for (uint64_t(&strides)[VD_MAX_DIMS] :
               {std::ref(op.strided.source_strides), std::ref(op.strided.destination_strides)}) {
            strides[1] = op.strided.element_size + unit * below(4);
            strides[0] = strides[1] * columns + unit * below(9);
          }
        }
        const auto extent = [&](const uint64_t(&strides)[VD_MAX_DIMS]) {
          return (op.strided.counts[0] - 1) * strides[0] + (op.strided.counts[1] - 1) * strides[1] +
                 op.strided.element_size;
        };
        op.at = {range(extent(op.strided.source_strides), one_in(2) ? 1 : 4),
                 range(extent(op.strided.destination_strides), one_in(2) ? 1 : 4)};
        return;
      }
      case Kind::kToPicture:
      case Kind::kFromPicture:
        if (!op.picture) op.picture = picture();
        op.at = {range(4 * kTexels, 16)};
        return;
      case Kind::kCall:
        op.calls = &calls_;
        return;
    }
  }
  std::shared_ptr<Picture> picture() {
    if (pictures_.size() < 2 || one_in(20)) {
      auto made = std::make_shared<Picture>();
      vd_image_desc desc = VD_IMAGE_DESC_INIT;
      desc.format = VD_FORMAT_R32_U32;
      desc.dimensions = 2;
      desc.extent[0] = 24;
      desc.extent[1] = 5;
      desc.extent[2] = 1;
      EXPECT_OK(vd_image_create(shared_.ctx, &desc, made->image.out()));
      EXPECT_OK(vd_image_write(made->image, nullptr, made->texels.data(), 4 * kTexels, 0));
      if (pictures_.size() > 3 && !shared_.debug) pictures_.erase(pictures_.begin());
      pictures_.push_back(made);
    }
    return pictures_[below(pictures_.size())];
  }

  // An order among other work: tickets and semaphores.
  struct Order {
    vd_order_desc desc = VD_ORDER_DESC_INIT;
    std::vector<vd_ticket> waits;
    vd_semaphore_point wait{}, signal{};
  };
  const vd_order_desc* some_order(Order& order, uint32_t queue) {
    if (one_in(2)) return nullptr;
    for (uint32_t n = below(3); n != 0 && !tickets_.empty(); --n)
      order.waits.push_back(tickets_[below(tickets_.size())]);
    order.desc.waits = order.waits.data();
    order.desc.wait_count = static_cast<uint32_t>(order.waits.size());
    if (one_in(3)) order.desc.label = "named";
    if (!semaphores_.empty() && one_in(2)) {
      const Semaphores& s = semaphores_[below(semaphores_.size())];
      order.wait = {s.semaphore, s.last - below(std::min<uint64_t>(s.last, 3) + 1), 0};
      order.desc.wait_semaphores = &order.wait;
      order.desc.wait_semaphore_count = 1;
    }
    if (!semaphores_.empty() && one_in(2)) {
      Semaphores& s = semaphores_[queue];
      order.signal = {s.semaphore, s.last += 1 + below(3), 0};
      order.desc.signal_semaphores = &order.signal;
      order.desc.signal_semaphore_count = 1;
    }
    return &order.desc;
  }
  void remember(vd_ticket ticket) {
    tickets_.push_back(ticket);
    if (tickets_.size() > 8) tickets_.erase(tickets_.begin());
    if (one_in(3)) {
      ++asked_;
      EXPECT_OK(vd_ticket_notify(shared_.ctx, ticket, &Program::notified, this));
    }
  }
  static void notified(vd_status status, const char*, void* user) {
    auto& self = *static_cast<Program*>(user);
    if (status != VD_OK) ++self.failed_;
    ++self.notified_;
  }

  void submit_op() {
    Op op;
    if (!make_op(op, false)) return;
    const uint32_t queue = below(shared_.queues);
    Order order;
    const vd_order_desc* with = some_order(order, queue);
    vd_ticket ticket = 0;
    note(op.text() + " on " + std::to_string(queue));
    EXPECT_OK(op.submit(shared_.plans, queue, with, &ticket));
    op.compute(op.value);
    remember(ticket);
  }

  // ---- Graphs

  void record() {
    if (graphs_.size() < 2 || one_in(30)) {
      auto made = std::make_shared<Recorded>();
      EXPECT_OK(vd_graph_create(shared_.ctx, nullptr, made->graph.out()));
      if (graphs_.size() > 3) graphs_.erase(graphs_.begin());
      graphs_.push_back(std::move(made));
    }
    Recorded& g = *graphs_[below(graphs_.size())];
    if (g.ops.size() > 60 || one_in(25)) return reset(g);
    if (one_in(12)) {
      Recorded& other = *graphs_[below(graphs_.size())];
      if (g.ops.size() + other.ops.size() > 80) return;
      vd_node first = 0;
      note("add graph");
      EXPECT_OK(vd_graph_add_graph(g.graph, other.graph, &first));
      for (size_t i = 0, n = other.ops.size(); i < n; ++i) {
        g.ops.push_back(Op(other.ops[i]));
        g.nodes.push_back(first + other.nodes[i]);
      }
      return;
    }
    for (uint32_t n = 1 + below(6); n != 0; --n) {
      Op op;
      if (!make_op(op, true)) continue;
      vd_node node = 0;
      note("record " + op.text());
      EXPECT_OK(op.record(shared_.plans, g.graph, &node));
      g.ops.push_back(std::move(op));
      g.nodes.push_back(node);
    }
  }
  void reset(Recorded& g) {
    note("reset");
    EXPECT_OK(vd_graph_reset(g.graph));
    g.ops.clear();
    g.nodes.clear();
  }
  static bool has_discarded(const Recorded& g) {
    return std::ranges::any_of(g.ops, [](const Op& op) {
      return std::ranges::any_of(op.at, [](const Range& r) { return r.of->memory->discarded; });
    });
  }

  static std::string text(const Recorded& g) {
    std::string all;
    for (size_t i = 0; i < g.ops.size(); ++i) all += std::to_string(g.nodes[i]) + ": " + g.ops[i].text() + "\n";
    return all;
  }

  void change() {
    if (graphs_.empty()) return record();
    Recorded& g = *graphs_[below(graphs_.size())];
    if (g.ops.empty()) return;
    const uint32_t i = below(g.ops.size());
    Op& op = g.ops[i];
    if (op.kind == Kind::kCall) return;
    if (op.launches() && one_in(3)) {
      op.value = static_cast<uint32_t>(random_());
      note("set values of " + std::to_string(i));
      EXPECT_OK(vd_graph_set_values(g.graph, g.nodes[i], 0, &op.value, 4));
      return;
    }
    if (one_in(3)) return replace(g);
    Op changed = op;
    choose(changed);
    const uint32_t first = below(op.at.size()), count = 1 + below(op.at.size() - first);
    std::vector<vd_binding> bindings;
    for (uint32_t k = 0; k < op.at.size(); ++k) {
      if (k < first || k >= first + count)
        changed.at[k] = op.at[k];
      else
        bindings.push_back(changed.at[k].binding());
    }
    if (!changed.valid()) return;
    if (op.picture) {  // a copy from or to a picture has its buffer on one side
      vd_binding binding = changed.at[0].binding();
      note("rebind " + std::to_string(i) + " to " + changed.text());
      EXPECT_OK(vd_graph_set_bindings(g.graph, g.nodes[i], op.kind == Kind::kToPicture ? 0 : 1, &binding, 1));
    } else {
      note("rebind " + std::to_string(i) + " from " + std::to_string(first) + " to " + changed.text());
      EXPECT_OK(vd_graph_set_bindings(g.graph, g.nodes[i], first, bindings.data(), count));
    }
    op = std::move(changed);
  }
  void replace(Recorded& g) {
    const Op& any = g.ops[below(g.ops.size())];
    if (any.at.empty()) return;
    const Ref from = any.at[0].of, to = pick();
    std::vector<Op> changed = g.ops;
    bool valid = from != to && !to->memory->discarded;
    for (Op& op : changed) {
      bool touched = false;
      for (Range& r : op.at) {
        if (!valid || !r.of->is_part_of(*from)) continue;
        r.of = same_part(r.of, from, to), touched = true;
        valid = r.of != nullptr;
      }
      if (valid && touched) valid = op.valid();
    }
    if (!valid) return;
    vd_buffer* const before = from->buffer;
    vd_buffer* const after = to->buffer;
    note("replace");
    EXPECT_OK(vd_graph_replace_buffers(g.graph, &before, &after, 1));
    g.ops = std::move(changed);
  }

  // The part of `to` that takes the place of `from`, or of a slice of it; null where `to` ends before.
  static Ref same_part(const Ref& part, const Ref& from, const Ref& to) {
    if (part->size == from->size) return to;
    const uint64_t offset = part->first - from->first;
    if (offset > to->size || part->size > to->size - offset) return nullptr;
    auto slice = std::make_shared<Handle>();
    EXPECT_OK(vd_buffer_slice(to->buffer, offset, part->size, slice->buffer.out()));
    slice->memory = to->memory;
    slice->first = to->first + offset;
    slice->size = part->size;
    slice->origin = to->origin;
    return slice;
  }

  void submit_graph() {
    if (graphs_.empty()) return record();
    Recorded& g = *graphs_[below(graphs_.size())];
    const uint32_t queue = below(shared_.queues);
    vd_submit_desc desc = VD_SUBMIT_DESC_INIT;
    desc.queue = queue;
    desc.repeat = one_in(3) ? 1 + below(one_in(6) ? 20 : 4) : 1;
    std::vector<std::vector<uint32_t>> values;
    std::vector<vd_instance_values> given;
    std::vector<size_t> whose;
    if (one_in(3)) {
      for (size_t i = 0; i < g.ops.size(); ++i) {
        if (!g.ops[i].launches() || !one_in(2)) continue;
        values.emplace_back(desc.repeat);
        for (uint32_t& v : values.back()) v = static_cast<uint32_t>(random_());
        given.push_back({g.nodes[i], 0, 4, 0, nullptr, 4 * desc.repeat});
        whose.push_back(i);
      }
      for (size_t k = 0; k < given.size(); ++k) given[k].values = values[k].data();
      desc.instance_values = given.data();
      desc.instance_value_count = static_cast<uint32_t>(given.size());
    }
    if (has_discarded(g)) {
      note("submit with what is discarded");
      EXPECT_EQ(vd_graph_submit(g.graph, &desc, nullptr), VD_ERR_STATE) << text(g);
      return reset(g);
    }
    Order order;
    desc.order = some_order(order, queue);
    vd_ticket ticket = 0;
    note("submit " + std::to_string(g.ops.size()) + " nodes, " + std::to_string(desc.repeat) + " times, " +
         std::to_string(given.size()) + " with values, on " + std::to_string(queue));
    EXPECT_OK(vd_graph_submit(g.graph, &desc, &ticket));
    for (uint32_t run = 0; run < desc.repeat; ++run)
      for (size_t i = 0; i < g.ops.size(); ++i) {
        uint32_t value = g.ops[i].value;
        for (size_t k = 0; k < whose.size(); ++k)
          if (whose[k] == i) value = values[k][run];
        g.ops[i].compute(value);
        if (g.ops[i].kind == Kind::kCall) ++wanted_calls_;
      }
    remember(ticket);
  }

  // ---- The host's side

  void transfer() {
    const Ref of = pick();
    const uint64_t offset = below(of->size), size = 1 + below(of->size - offset);
    const Range r{of, offset, size};
    const uint32_t queue = below(shared_.queues);
    switch (below(6)) {
      case 0:
      case 1: {
        Bytes data = some_bytes(size);
        if (one_in(2) && size >= 12) {  // numbers that are good counts
          const uint32_t counts[3] = {below(20), below(5), below(5)};
          std::memcpy(data.data(), counts, 12);
        }
        std::memcpy(r.bytes(), data.data(), size);
        note("write");
        if (one_in(2)) {
          EXPECT_OK(vd_buffer_write(of->buffer, offset, data.data(), size, queue));
        } else {
          vd_ticket ticket = 0;
          EXPECT_OK(vd_buffer_send(of->buffer, offset, data.data(), size, queue, nullptr, &ticket));
          remember(ticket);
        }
        return;
      }
      case 2: {
        if (shared_.debug) return;
        Fetched fetched;
        fetched.wanted.assign(r.bytes(), r.bytes() + size);
        note("fetch");
        EXPECT_OK(vd_buffer_fetch(of->buffer, offset, size, queue, nullptr, fetched.blob.out(), &fetched.ticket));
        remember(fetched.ticket);
        fetched_.push_back(std::move(fetched));
        if (fetched_.size() > 4) take_fetched();
        return;
      }
      case 3:
        return map(r, queue);
      default: {
        Bytes got(size);
        note("read of " + std::to_string(r.begin()) + " + " + std::to_string(size));
        EXPECT_OK(vd_buffer_read(of->buffer, offset, size, queue, got.data()));
        compare(got.data(), r.bytes(), size, "a read", of->memory.get());
      }
    }
  }
  void take_fetched() {
    const uint32_t i = below(fetched_.size());
    Fetched fetched = std::move(fetched_[i]);
    fetched_.erase(fetched_.begin() + i);
    if (one_in(6)) return;  // released before it has come
    EXPECT_OK(vd_ticket_wait(shared_.ctx, fetched.ticket, VD_WAIT_FOREVER));
    uint64_t size = 0;
    const auto* got = static_cast<const uint8_t*>(vd_blob_data(fetched.blob, &size));
    ASSERT_NE(got, nullptr);
    ASSERT_EQ(size, fetched.wanted.size());
    compare(got, fetched.wanted.data(), size, "a fetch", nullptr);
  }
  void map(const Range& r, uint32_t queue) {
    vd_buffer_info info = VD_BUFFER_INFO_INIT;
    EXPECT_OK(vd_buffer_get_info(r.of->buffer, &info));
    if (!info.mappable) return;
    Mapping mapping;
    note("map");
    EXPECT_OK(vd_buffer_map(r.of->buffer, r.offset, r.size, VD_MAP_READ | VD_MAP_WRITE, queue, mapping.out()));
    if (mapping == nullptr) return;
    vd_mapping_info mapped = VD_MAPPING_INFO_INIT;
    EXPECT_OK(vd_mapping_get_info(mapping, &mapped));
    compare(static_cast<const uint8_t*>(mapped.data), r.bytes(), r.size, "a mapping", r.of->memory.get());
    if (r.size >= 4) {
      EXPECT_EQ(vd_buffer_write(r.of->buffer, r.offset, r.bytes(), 4, queue), VD_ERR_STATE);
    }
    const Bytes data = some_bytes(r.size);
    std::memcpy(mapped.data, data.data(), r.size);
    std::memcpy(r.bytes(), data.data(), r.size);
    if (one_in(2)) {
      EXPECT_OK(vd_mapping_end(mapping));
    }
  }
  void compare(const uint8_t* got, const uint8_t* wanted, uint64_t size, const char* what, const void* memory) {
    if (std::memcmp(got, wanted, size) == 0) return;
    uint64_t first = 0, differing = 0;
    for (uint64_t i = size; i-- > 0;)
      if (got[i] != wanted[i]) first = i, ++differing;
    ADD_FAILURE() << what << " of " << size << " bytes of " << memory << " differs from byte " << first << " on, in "
                  << differing << " bytes: " << int{got[first]} << " instead of " << int{wanted[first]};
  }
  void start_or_stop_profile() {
    note("profile");
    if (profile_ == nullptr) {
      EXPECT_OK(vd_profile_create(shared_.ctx, nullptr, profile_.out()));
      return;
    }
    EXPECT_OK(vd_profile_stop(profile_, VD_WAIT_FOREVER));
    profile_ = Profile();
  }
  void look_at_picture() {
    if (pictures_.empty()) return;
    const auto& p = pictures_[below(pictures_.size())];
    std::vector<uint32_t> got(kTexels);
    note("read picture");
    EXPECT_OK(vd_image_read(p->image, nullptr, 4 * kTexels, below(shared_.queues), got.data()));
    EXPECT_EQ(got, p->texels);
  }
  void wait() {
    switch (below(3)) {
      case 0:
        if (!tickets_.empty()) {
          EXPECT_OK(vd_ticket_wait(shared_.ctx, tickets_[below(tickets_.size())], VD_WAIT_FOREVER));
        }
        return;
      case 1:
        if (!semaphores_.empty()) {
          const Semaphores& s = semaphores_[below(semaphores_.size())];
          EXPECT_OK(vd_semaphore_wait(s.semaphore, s.last, VD_WAIT_FOREVER));
        }
        return;
      default:
        EXPECT_OK(vd_context_wait_idle(shared_.ctx, below(shared_.queues), VD_WAIT_FOREVER));
    }
  }

  void step() {
    const uint32_t n = below(100);
    if (n < 30)
      submit_op();
    else if (n < 45)
      record();
    else if (n < 55)
      change();
    else if (n < 70)
      submit_graph();
    else if (n < 85)
      transfer();
    else if (n < 88)
      make_buffer();
    else if (n < 90)
      make_import();
    else if (n < 92)
      make_alias();
    else if (n < 97)
      drop();
    else if (n < 98)
      one_in(2) ? look_at_picture() : start_or_stop_profile();
    else
      wait();
  }

  void look_at_all() {
    for (const Ref& of : buffers_) {
      Bytes got(of->size);
      EXPECT_OK(vd_buffer_read(of->buffer, 0, of->size, 0, got.data()));
      compare(got.data(), of->memory->bytes.data() + of->first, of->size, "the end", of->memory.get());
    }
    EXPECT_OK(vd_context_wait_idle(shared_.ctx, VD_QUEUE_ALL, VD_WAIT_FOREVER));
    EXPECT_EQ(calls_, wanted_calls_);
  }
  void finish() {
    while (!fetched_.empty()) take_fetched();
    look_at_all();
    const auto until = [](auto&& is_so) {
      const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
      while (!is_so() && std::chrono::steady_clock::now() < end) std::this_thread::yield();
      return is_so();
    };
    EXPECT_TRUE(until([&] { return notified_ == asked_; })) << notified_ << " of " << asked_;
    EXPECT_EQ(failed_, 0u);
    graphs_.clear();
    buffers_.clear();
    EXPECT_TRUE(until([&] {
      return std::ranges::all_of(imported_, [](const auto& m) { return m->released == m->imports; });
    })) << "an import was not released";
    for (const auto& memory : imported_)
      if (!memory->discarded)
        compare(reinterpret_cast<const uint8_t*>(memory->theirs.get()), memory->bytes.data(), memory->bytes.size(),
                "an import after its release", memory.get());
  }

  const Shared shared_;
  std::mt19937_64 random_;
  std::vector<std::shared_ptr<Memory>> imported_;  // live longer than their buffers
  uint64_t origins_ = 0;
  std::vector<Ref> buffers_;
  std::vector<std::shared_ptr<Picture>> pictures_;
  std::vector<std::shared_ptr<Recorded>> graphs_;
  std::vector<Semaphores> semaphores_;
  std::vector<Fetched> fetched_;
  std::vector<vd_ticket> tickets_;
  Profile profile_;
  std::atomic<uint64_t> calls_{0};
  uint64_t wanted_calls_ = 0, asked_ = 0;
  std::atomic<uint64_t> notified_{0}, failed_{0};
  std::deque<std::string> history_;
};

class RandomProgram : public testing::TestWithParam<vd_backend> {
 protected:
  // The validation layer waits for ten seconds where a queue waits for what the host sets, so with it there are no calls. And it does
  // not know the order of two queues by semaphores that count.
  void open(bool debug) {
    const vd_context_flags flags = debug ? VD_CONTEXT_DEBUG : 0;
    ctx = shared_context(GetParam(), flags, debug ? 1 : 2);
    if (ctx == nullptr) ctx = shared_context(GetParam(), flags);  // a device of one queue
    if (ctx == nullptr) GTEST_SKIP() << vd_last_error();
  }
  // `threads` programs side by side.
  void run(uint32_t threads, uint64_t seed, uint32_t steps, bool debug) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Complaints complaints;
    {
      const Plans plans(ctx);
      vd_context_info info = VD_CONTEXT_INFO_INIT;
      ASSERT_OK(vd_context_get_info(ctx, &info));
      Program::Shared shared{ctx,
                             plans,
                             VD_DEVICE_INFO_INIT,
                             info.queue_count,
                             GetParam() == VD_BACKEND_VULKAN,
                             false,
                             !debug || GetParam() != VD_BACKEND_VULKAN,
                             debug};
      ASSERT_OK(vd_context_get_device(ctx, 0, &shared.device));
      shared.pictures = (shared.device.features & VD_FEATURE_IMAGES) != 0;
      std::vector<std::thread> running;
      for (uint32_t t = 0; t < threads; ++t)
        running.emplace_back([&, t] { Program(shared, seed * 100 + t).run(steps); });
      for (std::thread& thread : running) thread.join();
    }
    EXPECT_THAT(complaints.lines, testing::IsEmpty());
  }
  static uint64_t first_seed() {
    const char* given = std::getenv("VD_TEST_SEED");
    return given != nullptr ? std::strtoull(given, nullptr, 10) : 1;
  }

  Context ctx;
};

TEST_P(RandomProgram, DoesAsOnTheHost) {
  for (const bool debug : {true, false}) {
    open(debug);
    if (IsSkipped()) return;
    const size_t programs = vd::test::samples(2, 100);
    for (uint64_t i = 0; i < programs && !HasFailure(); ++i) run(1, first_seed() + i, 300, debug);
  }
}

TEST_P(RandomProgram, ThreadsDoAsOnTheHost) {
  open(false);
  if (IsSkipped()) return;
  const size_t programs = vd::test::samples(2, 100);
  for (uint64_t i = 0; i < programs && !HasFailure(); ++i) run(3, 1000000 + first_seed() + i, 150, false);
}

INSTANTIATE_TEST_SUITE_P(All, RandomProgram, each_backend(), backend_name);

}  // namespace
}  // namespace api::random
