// A line that the workgroups of a cluster share (CUDA: sm_90). Each holds an equal part of its numbers, and all of its
// stages and exchanges are those of a line of that many, but for one: behind a stage all write to their own shared
// memory, and each reads what it needs from the one that has it.
//
// Before that exchange a workgroup has all numbers with certain values of one digit of the position, the one that the
// next stage transforms; afterwards those with certain values of a digit that is done. Both are whole ranges of the
// digit, so that memory is read and written in runs.
#pragma once

#include "fft/radix_plan.h"

namespace vd::fft {

// The most workgroups that every device with clusters takes.
constexpr uint32_t kMostCluster = 8;

// The plan of one workgroup of `cluster`, from one whose invocations are those of all. `crossing`: the stage behind which
// they exchange; by default the one with the longest runs. A plan without stages if the radices do not divide so.
RadixPlan share_line(const RadixPlan& line, uint32_t cluster, int crossing = -1);

// Sets what follows from the radices' order, the cluster and the crossing: spans, and the parts of a workgroup.
void distribute(RadixPlan& plan);

}  // namespace vd::fft
