// SPDX-License-Identifier: BSD-3-Clause
#include "pcap_file.h"

namespace lambdacast::sim_program {
namespace {

constexpr uint32_t kMagicNs = 0xa1b23c4d;             // in the machine's byte order
constexpr uint32_t kVersion = uint32_t{4} << 16 | 2;  // 2.4
constexpr uint32_t kSnapBytes = 65535;
constexpr uint32_t kEthernet = 1;
constexpr uint64_t kSecondNs = 1'000'000'000;

}  // namespace

PcapFile::PcapFile(const std::string& path) {
  if (path.empty()) return;
  stream_.open(path, std::ios::binary | std::ios::trunc);
  put({kMagicNs, kVersion, 0, 0, kSnapBytes, kEthernet});
}

void PcapFile::put(std::initializer_list<uint32_t> words) {
  for (const uint32_t word : words) {
    stream_.write(reinterpret_cast<const char*>(&word), sizeof word);
  }
}

void PcapFile::add(std::span<const uint8_t> frame, uint64_t time_ns) {
  const auto bytes = static_cast<uint32_t>(frame.size());
  put({static_cast<uint32_t>(time_ns / kSecondNs), static_cast<uint32_t>(time_ns % kSecondNs),
       bytes, bytes});
  stream_.write(reinterpret_cast<const char*>(frame.data()), bytes);
}

bool PcapFile::end() {
  stream_.close();
  return !stream_.fail();
}

}  // namespace lambdacast::sim_program
