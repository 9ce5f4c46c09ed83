// SPDX-License-Identifier: BSD-3-Clause
// Frames to begin with, and the ways to spoil them. Shared by the tests of the parser and of the
// receive stage.
#pragma once

#include <string>
#include <vector>

#include "base/random.h"
#include "vectors/pcap.h"

namespace lambdacast::fuzz {

using vectors::Frame;

// What Soft-RoCE sent, from the pcap files of a directory: frames of up to 300 bytes.
[[nodiscard]] std::vector<Frame> golden_frames(const std::string& directory);

// Bits, bytes, lengths, tags: anywhere, one thing at a time.
void mutate_once(Frame& frame, base::SplitMix64& random);

// One field of the headers, by one, to an end of its range, or to anything.
void mutate_field(Frame& frame, base::SplitMix64& random);

// The payload longer or shorter, with lengths that say so: nothing is wrong but what it holds.
void resize_payload(Frame& frame, base::SplitMix64& random);

}  // namespace lambdacast::fuzz
