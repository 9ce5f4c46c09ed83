// SPDX-License-Identifier: BSD-3-Clause
// A reader of pcapng files of our own byte order, for the tests of the capture: by the format's
// description, and none of lib/capture's code.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

namespace lambdacast::test {

struct FileBlock {
  uint32_t type = 0;
  std::vector<uint8_t> body;  // between the two lengths
  [[nodiscard]] uint32_t word(size_t at) const {
    uint32_t value = 0;
    std::memcpy(&value, body.data() + at, sizeof value);
    return value;
  }
};

struct FilePacket {
  uint32_t interface = 0;
  uint64_t time_ns = 0;
  uint32_t original_bytes = 0;
  uint32_t direction = 0;  // 1 in, 2 out
  std::vector<uint8_t> data;
};

// Throws where the bytes are no whole blocks.
inline std::vector<FileBlock> blocks_of(const std::vector<uint8_t>& bytes) {
  std::vector<FileBlock> blocks;
  for (size_t at = 0; at < bytes.size();) {
    uint32_t type = 0;
    uint32_t length = 0;
    uint32_t again = 0;
    if (at + 12 > bytes.size()) throw std::runtime_error("a block is cut off");
    std::memcpy(&type, &bytes[at], 4);
    std::memcpy(&length, &bytes[at + 4], 4);
    if (length % 4 != 0 || length < 12 || at + length > bytes.size()) {
      throw std::runtime_error("a block has an impossible length");
    }
    std::memcpy(&again, &bytes[at + length - 4], 4);
    if (again != length) throw std::runtime_error("a block's two lengths differ");
    const auto begin = bytes.begin() + static_cast<ptrdiff_t>(at);
    blocks.push_back({type, {begin + 8, begin + static_cast<ptrdiff_t>(length) - 4}});
    at += length;
  }
  return blocks;
}

inline std::vector<FilePacket> packets_of(const std::vector<FileBlock>& blocks) {
  std::vector<FilePacket> packets;
  for (const FileBlock& block : blocks) {
    if (block.type != 6) continue;
    FilePacket packet;
    packet.interface = block.word(0);
    packet.time_ns = uint64_t{block.word(4)} << 32 | block.word(8);
    const uint32_t captured = block.word(12);
    packet.original_bytes = block.word(16);
    packet.data.assign(block.body.begin() + 20, block.body.begin() + 20 + captured);
    packet.direction = block.word(20 + (captured + 3) / 4 * 4 + 4);  // epb_flags is our one option
    packets.push_back(packet);
  }
  return packets;
}

inline std::vector<uint8_t> bytes_in(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// A file that goes with the test.
struct TemporaryFile {
  TemporaryFile() {
    static int next = 0;
    path = std::filesystem::temp_directory_path() /
           ("capture" + std::to_string(::getpid()) + "-" + std::to_string(next++));
  }
  ~TemporaryFile() { std::filesystem::remove(path); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  std::string path;
};

}  // namespace lambdacast::test
