// SPDX-License-Identifier: BSD-3-Clause
#include "ctl/frame.h"

namespace lambdacast::ctl {
namespace {

bool is_type(uint8_t type) {
  return type >= static_cast<uint8_t>(FrameType::kHello) &&
         type <= static_cast<uint8_t>(FrameType::kError);
}

}  // namespace

std::string encode(FrameType type, std::string_view payload) {
  std::string out;
  out.reserve(kFrameHeaderBytes + payload.size());
  for (int shift = 0; shift < 32; shift += 8)
    out += static_cast<char>(payload.size() >> shift & 0xff);
  out += static_cast<char>(type);
  out += payload;
  return out;
}

size_t FrameReader::length() const {
  size_t length = 0;
  for (size_t i = 0; i < 4; ++i) length |= size_t{static_cast<uint8_t>(waiting_[i])} << (8 * i);
  return length;
}

bool FrameReader::ready() const {
  if (waiting_.size() < kFrameHeaderBytes) return false;
  return length() > most_bytes_ || !is_type(static_cast<uint8_t>(waiting_[4])) ||
         waiting_.size() >= kFrameHeaderBytes + length();
}

base::Result<std::optional<Frame>> FrameReader::next() {
  if (!ready()) return std::nullopt;
  const size_t bytes = length();
  const auto type = static_cast<uint8_t>(waiting_[4]);
  if (!is_type(type)) {
    return base::fail("frame type " + std::to_string(type) +
                      " is not known; this is no peer of the control protocol");
  }
  if (bytes > most_bytes_) {
    return base::fail("a frame of " + std::to_string(bytes) +
                      " bytes is too long; allowed: " + std::to_string(most_bytes_));
  }
  Frame frame{static_cast<FrameType>(type), waiting_.substr(kFrameHeaderBytes, bytes)};
  waiting_.erase(0, kFrameHeaderBytes + bytes);
  return frame;
}

}  // namespace lambdacast::ctl
