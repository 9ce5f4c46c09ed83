// SPDX-License-Identifier: BSD-3-Clause
#include "sim/multicast/frame_view.h"

#include <algorithm>

namespace lambdacast::sim {

namespace {

constexpr size_t kBehindIp = 8 + 12 + 8;  // UDP, BTH, DETH
constexpr uint8_t kControlQpn = 0x11;     // node_identity()'s
constexpr size_t kIcrcBytes = 4;

}  // namespace

FrameView::FrameView(std::span<const uint8_t> frame) {
  const size_t ip_bytes = frame[12] == 0x08 ? 20 : 40;
  const size_t offset = 14 + ip_bytes + kBehindIp;
  frame_ = frame.data();
  payload_ = frame.data() + offset;
  payload_bytes_ = frame.size() - offset - kIcrcBytes;
  if (frame[offset - 1] != kControlQpn) {
    kind_ = Kind::kData;
  } else {
    constexpr Kind kKinds[] = {Kind::kOther, Kind::kHeartbeat, Kind::kStatus,
                               Kind::kNack,  Kind::kMember,    Kind::kBallot,
                               Kind::kVote,  Kind::kSkip,      Kind::kDouble};
    kind_ = payload_[1] < 9 ? kKinds[payload_[1]] : Kind::kOther;
  }
}

wire::Gid FrameView::source() const {
  wire::Gid gid;
  if (frame_[12] == 0x08) return wire::gid_from_ipv4(base::load_be32(frame_ + 14 + 12));
  std::copy_n(frame_ + 14 + 8, gid.bytes.size(), gid.bytes.begin());
  return gid;
}

std::span<const uint8_t> FrameView::message() const {
  const size_t header_bytes = size_t{payload_[0] & 0x0fu} * 8;
  return {payload_ + header_bytes, payload_bytes_ - header_bytes};
}

NamedStream FrameView::stream_at(const uint8_t* at) {
  NamedStream stream;
  std::copy_n(at, stream.gid.bytes.size(), stream.gid.bytes.begin());
  stream.incarnation = base::load_be32(at + 20);
  return stream;
}

const char* FrameView::kind_name() const {
  switch (kind_) {
    case Kind::kData:
      return "data";
    case Kind::kHeartbeat:
      return "heartbeat";
    case Kind::kStatus:
      return "status";
    case Kind::kNack:
      return "NACK";
    case Kind::kMember:
      return "member";
    case Kind::kBallot:
      return "ballot";
    case Kind::kVote:
      return "vote";
    case Kind::kSkip:
      return "skip";
    case Kind::kDouble:
      return "double";
    case Kind::kOther:
      return "other";
  }
  return "?";
}

}  // namespace lambdacast::sim
