// SPDX-License-Identifier: BSD-3-Clause
// A plain queue pair of unreliable datagrams: what any verbs program has, without our transport
// header. It is our side of exchanges with the kernel. It shares the checks of a node's own queue
// pairs, in the same order (frame_classifier.h), and has other numbers than those, so that a frame
// is never of both.
// To send, fill in a wire::FrameTemplate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "counters/drop_reason.h"
#include "node/addressee.h"
#include "node/gid_words.h"
#include "wire/roce/bth.h"
#include "wire/roce/frame.h"

namespace lambdacast::node {

struct DatagramConfig {
  uint32_t qpn = 0;  // 24 bits, 2 .. 0xfffffe
  uint32_t qkey = 0;
  uint16_t pkey = wire::kDefaultPkey;
  std::optional<uint16_t> vlan_tci;
  uint32_t path_mtu = 4096;         // RoCE payload, bytes
  std::vector<wire::Gid> own_gids;  // the port's: IPv4, IPv6 or both
};

class DatagramCore {
 public:
  explicit DatagramCore(const DatagramConfig& config);

  // From now on frames to `group` are this queue pair's too. Once more changes nothing.
  void attach(const wire::Gid& group);
  // False: it was not attached.
  bool detach(const wire::Gid& group);

  // `frame`: `bytes` from the Ethernet header on, without FCS. kNone: `out` tells where the message
  // is, who sent it and its immediate. Otherwise the first reason of: wire::parse_frame's, ICRC,
  // Addressee's, path MTU. PSNs are not looked at: a plain datagram sent twice is received twice.
  [[nodiscard]] counters::DropReason receive(const uint8_t* frame, size_t bytes,
                                             wire::FrameView& out) const;

 private:
  [[nodiscard]] Destination destination_of(const wire::Gid& gid) const;

  Addressee addressee_;
  uint32_t path_mtu_;
  std::vector<GidWords> own_gids_;
  std::vector<GidWords> groups_;
};

}  // namespace lambdacast::node
