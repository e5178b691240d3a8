// cuFFT on memory of the CUDA driver, opened at run time. It also holds a CUDA context, which keeps the clock of the
// multiprocessors up while another interface is measured.
#pragma once

#include <memory>

#include "contents.h"
#include "peer.h"

namespace bench {

class Cufft : public Peer {
 public:
  // The way in which a convolution multiplies: by a kernel between two transforms, or by a function that cuFFT links into
  // its own kernels (then nothing but convolutions is measured).
  enum class Product { Kernel, Callback };
  // Null where there is no driver or no cuFFT; says why on standard error.
  static std::unique_ptr<Cufft> open(uint64_t bytes, const Contents& contents, Product product);
  // Several copies of the array onto another, for the rate of the memory: 16 bytes per thread; or 8 numbers of 8 bytes,
  // as a transform reads them.
  virtual void copy(int iterations, bool as_transforms) = 0;
};

}  // namespace bench
