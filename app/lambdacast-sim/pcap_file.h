// SPDX-License-Identifier: BSD-3-Clause
// A classic pcap file of Ethernet frames, times in nanoseconds. It is written without DPDK, which
// the capture of a running appliance has (lib/capture/pcapng.h).
#pragma once

#include <cstdint>
#include <fstream>
#include <span>
#include <string>

namespace lambdacast::sim_program {

class PcapFile {
 public:
  // An empty path: no file.
  explicit PcapFile(const std::string& path);
  void add(std::span<const uint8_t> frame, uint64_t time_ns);
  // False: it could not be made, or not all of it was written.
  [[nodiscard]] bool end();

 private:
  void put(std::initializer_list<uint32_t> words);

  std::ofstream stream_;
};

}  // namespace lambdacast::sim_program
