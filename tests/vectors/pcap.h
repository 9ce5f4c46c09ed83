// SPDX-License-Identifier: BSD-3-Clause
// Classic pcap files (link type Ethernet, microseconds), as far as the tests need them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lambdacast::vectors {

using Frame = std::vector<uint8_t>;

// All frames of a file, each in memory of exactly its size. Throws std::runtime_error if the file
// cannot be read, is no pcap of Ethernet frames, or holds a frame cut short in capture.
std::vector<Frame> read_pcap(const std::string& path);

// Throws std::runtime_error if the file cannot be written.
void write_pcap(const std::string& path, const std::vector<Frame>& frames);

}  // namespace lambdacast::vectors
