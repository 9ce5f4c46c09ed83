// SPDX-License-Identifier: BSD-3-Clause
// Frames for an endpoint to be fuzzed with: right ones of every shape, and some that are wrong in
// just one thing that chance would hardly hit.
#pragma once

#include <vector>

#include "base/random.h"
#include "fuzz/frame_mutator.h"
#include "node/identity.h"

namespace lambdacast::fuzz {

[[nodiscard]] std::vector<Frame> frames_for(const node::EndpointIdentity& identity);

// Gives the frame its sender: the source queue pair that the endpoint has not itself.
void set_sender(Frame& frame, uint32_t qpn);

// Gives the frame its place in its sender's stream, if it reaches that far. Streams would not live
// long if every frame with a mad number passed for right.
void set_number(Frame& frame, uint32_t incarnation, uint64_t frame_seq);

}  // namespace lambdacast::fuzz
