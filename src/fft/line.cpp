#include "fft/line.h"

#include "fft/phases/pairs.h"
#include "fft/phases/transform_line.h"

namespace vd::fft {

PassDesc one_pass(const Line& line) {
  PassDesc pass;
  pass.name = line.name;
  pass.n = static_cast<uint32_t>(line.n);
  pass.rows = line.rows;
  pass.compute = line.compute;
  pass.batches = line.batches;
  pass.source = std::make_shared<Read>(line.read);
  pass.steps = {std::make_shared<TransformLine>(line.sign)};
  pass.copies = line.copies();
  pass.first_copy = line.first_copy;
  if (const KnownFilter* known = std::get_if<KnownFilter>(&line.product)) {
    pass.copy_steps.push_back(std::make_shared<MultiplyFactors>(*known));
  } else if (const Filters* filters = std::get_if<Filters>(&line.product)) {
    pass.copy_steps.push_back(std::make_shared<MultiplyFilters>(*filters));
  }
  if (line.goes_back()) pass.copy_steps.push_back(std::make_shared<TransformBack>(-line.sign));
  if (line.reads_half) pass.source = std::make_shared<ReadPairs>(line.read.side);
  if (line.writes_half) {
    pass.target = std::make_shared<WritePairs>(line.write.side, line.write.scale);
  } else if (line.on_write) {
    pass.target = std::make_shared<WriteProducts>(line.write, *line.on_write);
  } else {
    pass.target = std::make_shared<Write>(line.write);
  }
  return pass;
}

}  // namespace vd::fft
