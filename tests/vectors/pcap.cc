// SPDX-License-Identifier: BSD-3-Clause
#include "vectors/pcap.h"

#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "base/bytes.h"

namespace lambdacast::vectors {
namespace {

constexpr uint32_t kMagic = 0xa1b2c3d4;  // in the byte order of the writer
constexpr uint32_t kEthernet = 1;
constexpr size_t kFileHeaderBytes = 24;
constexpr size_t kFrameHeaderBytes = 16;

uint32_t word(const std::vector<uint8_t>& file, size_t offset) {
  return base::load_raw<uint32_t>(&file[offset]);
}

void append(std::vector<uint8_t>& file, uint32_t value) {
  const size_t offset = file.size();
  file.resize(offset + sizeof value);
  base::store_raw(&file[offset], value);
}

}  // namespace

std::vector<Frame> read_pcap(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  const std::vector<uint8_t> file(std::istreambuf_iterator<char>(stream), {});
  if (file.size() < kFileHeaderBytes || word(file, 0) != kMagic || word(file, 20) != kEthernet) {
    throw std::runtime_error(path + ": no pcap of Ethernet frames in this machine's byte order");
  }
  std::vector<Frame> frames;
  for (size_t at = kFileHeaderBytes; at < file.size();) {
    if (file.size() - at < kFrameHeaderBytes) throw std::runtime_error(path + ": cut short");
    const size_t bytes = word(file, at + 8);
    at += kFrameHeaderBytes;
    if (word(file, at - 4) != bytes || file.size() - at < bytes) {
      throw std::runtime_error(path + ": a frame is not there at full length");
    }
    const auto begin = file.begin() + static_cast<ptrdiff_t>(at);
    frames.emplace_back(begin, begin + static_cast<ptrdiff_t>(bytes));
    at += bytes;
  }
  return frames;
}

void write_pcap(const std::string& path, const std::vector<Frame>& frames) {
  constexpr uint32_t kVersion = 4 << 16 | 2;  // 2.4
  constexpr uint32_t kSnapBytes = 65535;
  std::vector<uint8_t> file;
  for (const uint32_t value : {kMagic, kVersion, 0u, 0u, kSnapBytes, kEthernet})
    append(file, value);
  for (const Frame& frame : frames) {
    const auto bytes = static_cast<uint32_t>(frame.size());
    for (const uint32_t value : {0u, 0u, bytes, bytes}) append(file, value);
    file.insert(file.end(), frame.begin(), frame.end());
  }
  std::ofstream stream(path, std::ios::binary);
  stream.write(reinterpret_cast<const char*>(file.data()),
               static_cast<std::streamsize>(file.size()));
  stream.flush();
  if (!stream) throw std::runtime_error(path + ": cannot be written");
}

}  // namespace lambdacast::vectors
