// The receive stage: from the bytes of a frame to a PacketInfo, or one reason why not.
//
// The order of checks, first failure wins (and so counters add up to the frames received):
//  1. structure (wire::parse_frame): nothing else may be read before lengths are known to be true;
//  2. ICRC, before any field is believed: otherwise a damaged address would count as somebody
//  else's
//     frame, and the loss report would name the wrong reason and place. All frames on a data
//     wavelength are as a rule for us, so checking addresses first would save nothing;
//  3. opcode (unreliable datagram), destination GID with its queue pair, P_Key, Q_Key: is it ours;
//  4. own frames, by (source GID, source QPN): only a frame that is right in all else can be known
//     to be our own, come back over the fabric;
//  5. RoCE payload within the path MTU;
//  6. transport header, with all that its kind of packet promises of the payload;
//  7. peer lookup, last: only valid frames may take a place in the bounded table.
//
// Destinations: our GID with the data queue pair's number, or the multicast GID with 0xffffff (IBTA
// vol. 1, 9.4.1: multicast packets carry that number). The control queue pair has no receiver in
// this version: its frames count as kUnknownQpn. Ethernet destination and VLAN are the port's
// affair.
#pragma once

#include <cstddef>
#include <cstdint>

#include "counters/drop_reason.h"
#include "endpoint/gid_words.h"
#include "endpoint/identity.h"
#include "endpoint/packet_info.h"
#include "endpoint/peer_table.h"
#include "wire/frame.h"
#include "wire/icrc.h"
#include "wire/transport.h"

namespace lambdacast::endpoint {

struct ReceiveConfig {
  EndpointIdentity identity;
  size_t max_peers = 64;  // 1 .. PeerTable::kMaxPeers
  wire::IcrcMode icrc = wire::IcrcMode::kFull;
};

class ReceiveCore {
 public:
  explicit ReceiveCore(const ReceiveConfig& config);

  // `frame`: `bytes` from the Ethernet header on, without FCS, contiguous. On kNone all of `out` is
  // set; otherwise it is unspecified. Never reads beyond `bytes`, never allocates.
  [[nodiscard]] counters::DropReason receive(const uint8_t* frame, size_t bytes, uint64_t now_ns,
                                             PacketInfo& out);

  [[nodiscard]] PeerTable& peers() { return peers_; }
  [[nodiscard]] const PeerTable& peers() const { return peers_; }

 private:
  [[nodiscard]] counters::DropReason check_addresses(const wire::FrameView& view) const;
  [[nodiscard]] static counters::DropReason read_transport(const uint8_t* frame,
                                                           const wire::FrameView& view,
                                                           PacketInfo& out);
  [[nodiscard]] static counters::DropReason read_kind(const uint8_t* frame,
                                                      const wire::TransportHeader& header,
                                                      PacketInfo& out);

  // Hot and read only: one line.
  GidWords gid_;
  GidWords multicast_gid_;
  uint32_t data_qpn_;
  uint32_t qkey_;
  uint32_t path_mtu_;
  uint16_t pkey_;
  bool verify_icrc_;
  PeerTable peers_;
};

}  // namespace lambdacast::endpoint
