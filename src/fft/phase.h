// A phase of a pass: a step over the tile of lines that a workgroup holds in registers. A pass begins with a source,
// which reads the tile, and ends with a target, which writes it; steps between them change it. Each phase owns its
// code, the bytes that it moves, its words in explain() and its demands on the layout.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/steps.h"
#include "fft/element.h"
#include "fft/side.h"

namespace vd::fft {

struct PassDesc;
class Tile;

// Demands on a pass's layout. Those of several phases add up.
struct Demands {
  bool mapped = false;       // code of the caller's takes registers, too
  bool back = false;         // a transform in the other direction follows
  bool whole_lines = false;  // lines lie whole in shared memory, as one row
  bool real = false;         // single reals are read or written
  bool pairs = false;        // whole complex numbers lie in shared memory, not planes
  bool mirrored = false;     // lines j and -j of the first batch lie in one workgroup, one in each half of its lines
  uint32_t words = 0;        // registers of an invocation, more than a transform takes
  bool factors = false;      // elements are multiplied by constants as they are read or written

  void add(const Demands& other);
};

// Bytes of buffers that are read and written, each element once; constants and the accesses of maps are not counted.
struct Traffic {
  uint64_t read = 0, written = 0;
};

// Lines that a phase reads or writes in memory.
struct Access {
  enum class At : uint8_t { Read, Spectrum, Write };
  const Side* side;
  uint64_t Batch::*stride;
  At at;                // by which of the pass's assignments invocations have them
  bool mapped = false;  // the caller's code sees the indices
  uint32_t copies = 1;
};

class Phase {
 public:
  virtual ~Phase() = default;
  virtual Demands demands(const PassDesc&) const { return {}; }
  virtual Traffic traffic(const PassDesc&) const { return {}; }
  // Its words in explain(), each after ", ".
  virtual std::string text() const { return {}; }

  // Lines whose addresses the whole pass shares.
  virtual std::vector<Access> accesses(const PassDesc&) const { return {}; }
  // Writes what its copies share, if it is one of the phases that there are several of.
  virtual void share(Tile&) const {}
  // Writes its code, and stops at each element that a caller's map writes.
  virtual Steps<Element> write(Tile& tile) const = 0;
};

class Source : public Phase {
 public:
  virtual const Side& side() const = 0;
  // Whether a workgroup's lines may be read as one row, through shared memory.
  virtual bool is_row(const PassDesc&) const { return false; }
  // Whether a tile may be copied to shared memory before it is read (ahead.h).
  virtual bool reads_ahead() const { return false; }
  // Writes those copies, of the tile at its present place.
  virtual void copy_ahead(Tile&) const {}
};

class Step : public Phase {};

class Target : public Phase {
 public:
  virtual const Side& side() const = 0;
  virtual bool is_row(const PassDesc&) const { return false; }
};

template <class T>
using PhaseOf = std::shared_ptr<const T>;

}  // namespace vd::fft
