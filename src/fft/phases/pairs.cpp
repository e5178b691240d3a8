#include "fft/phases/pairs.h"

#include <fmt/format.h>

#include <array>
#include <map>

#include "fft/phases/deal.h"
#include "fft/phases/row.h"
#include "fft/tile.h"

namespace vd::fft {
namespace {

// Position k and its mirror image n - k, for each k of an invocation.
struct Pair {
  Value line;                // of the workgroup
  Value k, mirror;           // mirror: n - k
  Value in_range, distinct;  // conditions that this k exists, and that its mirror image is another element
  Value exists;              // and that the line does
  Value address, mirror_address;
  bool may_be_first = true;  // k may be 0
  bool alone = false;        // it is its own mirror image: none is distinct
};

std::vector<Pair> pairs_of_line(Tile& tile, const Side& side) {
  ComplexWriter& c = tile.c;
  const uint32_t invocations = tile.forward.invocations, n = tile.desc.n, count = n / 2 + 1;
  const Value lane = tile.here().lane.lane, base = tile.base(side);
  const ir::Type type = ComplexWriter::type(base);
  const Value up = c.add(base, c.mul(c.widen(lane, type), side.stride));
  const Value down = c.emit(VD_OP_SUB, {base, c.mul(c.widen(lane, type), side.stride)});
  std::vector<Pair> all;
  for (uint32_t first = 0; first < count; first += invocations) {
    Pair p;
    p.line = tile.here().lane.line;
    p.exists = tile.here().exists;
    p.k = c.offset(lane, first);
    p.in_range = first + invocations > count ? c.below(p.k, count) : 0;
    p.distinct = first + invocations > (n + 1) / 2 ? c.below(p.k, (n + 1) / 2) : 0;
    p.may_be_first = first == 0;
    if (first + invocations > count) {
      // Invocations without a pair repeat the last one.
      p.k = c.emit(VD_OP_MIN, {p.k, c.index(count - 1)});
      p.mirror = c.emit(VD_OP_SUB, {c.index(n), p.k});
      p.address = c.add(base, c.mul(c.widen(p.k, type), side.stride));
      p.mirror_address = c.add(base, c.mul(c.widen(p.mirror, type), side.stride));
    } else {
      p.mirror = c.emit(VD_OP_SUB, {c.index(n - first), lane});
      p.address = c.offset(up, first * side.stride);
      p.mirror_address = c.offset(down, (n - first) * side.stride);
    }
    all.push_back(p);
  }
  return all;
}

// The last pair of an even length, whose numbers are the same one, is dealt apart: the others are as many as a power of
// two where the length is one, so that an invocation stays at its place along the lines.
std::vector<Pair> pairs_of_row(Tile& tile, const Side& side, uint64_t Batch::*stride) {
  ComplexWriter& c = tile.c;
  const uint32_t n = tile.desc.n;
  std::vector<Pair> all;
  const auto add = [&](const Dealt& e, Value k, bool alone) {
    const ir::Type type = ComplexWriter::type(e.start);
    Pair p;
    p.line = e.line;
    p.exists = e.exists;
    p.k = k;
    p.mirror = c.emit(VD_OP_SUB, {c.index(n), k});
    p.in_range = p.distinct = e.there;
    p.alone = alone;
    p.may_be_first = !alone;
    p.address = c.add(e.start, c.widen(k, type));
    p.mirror_address = c.add(e.start, c.widen(p.mirror, type));
    all.push_back(p);
  };
  for (const Dealt& e : deal(tile, side, stride, (n + 1) / 2)) add(e, e.position, false);
  if (n % 2 != 0) return all;
  for (const Dealt& e : deal(tile, side, stride, 1)) add(e, c.index(n / 2), true);
  return all;
}

// exp(-pi i k / n), loaded once for each k.
class PairRoots {
 public:
  explicit PairRoots(Tile& tile) : tile_(tile) {
    const uint64_t n = tile.desc.n;
    first_ = tile.table.add(fmt::format("pairs {}", 2 * n), n / 2 + 1, [n](uint64_t k) {
      const Root w = root(k, 2 * n);
      return Root{w.re, -w.im};
    });
  }
  Complex of(Value k) {
    const auto [at, fresh] = loaded_.try_emplace(k);
    if (fresh) at->second = load_constant(tile_.c, tile_.buffers.constants, k, first_);
    return at->second;
  }

 private:
  Tile& tile_;
  uint64_t first_ = 0;
  std::map<Value, Complex> loaded_;
};

}  // namespace

bool ReadPairs::is_row(const PassDesc& desc) const {
  return is_dealt(desc, side_, &Batch::in_stride, uint64_t{desc.n} + 1);
}

Traffic ReadPairs::traffic(const PassDesc& desc) const { return {.read = side_bytes(desc, side_, true)}; }

std::vector<Access> ReadPairs::accesses(const PassDesc&) const {
  return {{&side_, &Batch::in_stride, Access::At::Read}};
}

// Z[k] = E + i O, Z[n - k] = conj(E - i O) with E = X[k] + conj(X[n - k]), O = (X[k] - conj(X[n - k])) / w^k.
Steps<Element> ReadPairs::write(Tile& tile) const {
  ComplexWriter& c = tile.c;
  const uint32_t n = tile.desc.n;
  tile.slots = tile.engine.inputs(tile.forward);
  const std::vector<Pair> all =
      tile.layout.staged_in ? pairs_of_row(tile, side_, &Batch::in_stride) : pairs_of_line(tile, side_);
  std::vector<std::array<Complex, 2>> loaded;
  for (const Pair& p : all) {
    loaded.push_back({tile.load(side_, p.address, 0), tile.load(side_, p.mirror_address, 0)});
  }
  PairRoots roots(tile);
  for (size_t i = 0; i < all.size(); ++i) {
    const Pair& p = all[i];
    auto [a, b] = loaded[i];
    if (p.may_be_first) {  // the first and the last number of a real line's spectrum are real
      const Value first = c.emit(VD_OP_EQ, {p.k, c.index(0)});
      a.im = c.emit(VD_OP_SELECT, {first, c.constant(0), a.im});
      b.im = c.emit(VD_OP_SELECT, {first, c.constant(0), b.im});
    }
    const Complex w = roots.of(p.k);
    const Complex even{c.real_add(a.re, b.re), c.real_sub(a.im, b.im)};
    const Complex odd = c.mul_conj({c.real_sub(a.re, b.re), c.real_add(a.im, b.im)}, w);
    const Complex sum = c.add_i(even, odd, 1), rest = c.add_i(even, odd, -1);
    // Number n is not in Z: that of k = 0 is used.
    Value distinct = p.distinct;
    if (p.may_be_first) distinct = c.both(distinct, c.emit(VD_OP_NE, {p.k, c.index(0)}));
    c.begin_if(p.in_range);
    c.store(c.at(tile.shared, row_address(tile, {p.k, 0, 0, n}, p.line)), c.join(sum));
    c.end_if(p.in_range);
    if (p.alone) continue;
    c.begin_if(distinct);
    c.store(c.at(tile.shared, row_address(tile, {p.mirror, 0, 0, n}, p.line)), c.join({rest.re, c.neg(rest.im)}));
    c.end_if(distinct);
  }
  tile.values = take_from_row(tile);
  co_return;
}

bool WritePairs::is_row(const PassDesc& desc) const {
  return is_dealt(desc, side_, &Batch::out_stride, uint64_t{desc.n} + 1);
}

Traffic WritePairs::traffic(const PassDesc& desc) const { return {.written = side_bytes(desc, side_, true)}; }

std::vector<Access> WritePairs::accesses(const PassDesc&) const {
  return {{&side_, &Batch::out_stride, Access::At::Write}};
}

// X[k] = (E + w^k O) / 2, X[n - k] = conj(E - w^k O) / 2 with E = Z[k] + conj(Z[n - k]), O = -i (Z[k] - conj(Z[n -
// k])).
Steps<Element> WritePairs::write(Tile& tile) const {
  ComplexWriter& c = tile.c;
  const uint32_t n = tile.desc.n;
  put_in_row(tile, 1);
  PairRoots roots(tile);
  const std::vector<Pair> all =
      tile.layout.staged_out ? pairs_of_row(tile, side_, &Batch::out_stride) : pairs_of_line(tile, side_);
  for (const Pair& p : all) {
    // The mirror image of 0 is 0.
    const Value wrapped =
        p.may_be_first ? c.emit(VD_OP_SELECT, {c.emit(VD_OP_EQ, {p.k, c.index(0)}), c.index(0), p.mirror}) : p.mirror;
    const Complex a = c.split(c.load(c.at(tile.shared, row_address(tile, {p.k, 0, 0, n}, p.line))));
    const Complex b = c.split(c.load(c.at(tile.shared, row_address(tile, {wrapped, 0, 0, n}, p.line))));
    const Complex w = roots.of(p.k);
    const Complex even{c.real_add(a.re, b.re), c.real_sub(a.im, b.im)};
    const Complex odd = c.mul({c.real_add(a.im, b.im), c.real_sub(b.re, a.re)}, w);
    const Complex sum = c.scale(c.add(even, odd), scale_ / 2);
    const Complex rest = c.scale(c.sub(even, odd), scale_ / 2);
    const Value in_range = c.both(p.exists, p.in_range), distinct = c.both(p.exists, p.distinct);
    c.begin_if(in_range);
    tile.store(side_, p.address, sum);
    c.end_if(in_range);
    if (p.alone) continue;
    c.begin_if(distinct);
    tile.store(side_, p.mirror_address, {rest.re, c.neg(rest.im)});
    c.end_if(distinct);
  }
  co_return;
}

}  // namespace vd::fft
