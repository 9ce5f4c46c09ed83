// SPDX-License-Identifier: BSD-3-Clause
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
//  5. RoCE payload within the path MTU, and of the format of its group: control on the data group
//     or data on the control group is a neighbouring fabric's, whose own group that is;
//  6. transport header, with all that its kind of packet promises of the payload;
//  7. peer lookup, last: only valid frames may take a place in the bounded table.
//
// A frame is for us if its destination is our GID with the data queue pair's number, or the data or
// control multicast GID with 0xffffff, which all multicast packets carry (IBTA vol. 1, 9.4.1).
// Frames to the control GID are Kind::kControl. They are checked as a whole
// (wire/control/control.h), and their peer is the one whose data queue pair they name. The VLAN
// must be the endpoint's. The port judges the Ethernet destination.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "counters/drop_reason.h"
#include "node/addressee.h"
#include "node/gid_words.h"
#include "node/identity.h"
#include "node/packet_info.h"
#include "node/peer_table.h"
#include "node/version_watch.h"
#include "wire/control/transport.h"
#include "wire/roce/frame.h"
#include "wire/roce/frame_shape.h"
#include "wire/roce/icrc.h"

namespace lambdacast::node {

struct FrameClassifierConfig {
  EndpointIdentity identity;
  size_t max_peers = 64;  // 1 .. PeerTable::kMaxPeers
  wire::IcrcMode icrc = wire::IcrcMode::kFull;
  // False: the port does not tell PSNs, its frames have 0; that of frame_seq then stands for it.
  bool tells_psn = true;
};

// A frame of a burst: what the port has, where its PacketInfo goes, and what came of it.
struct ReceivedFrame {
  const uint8_t* frame;
  size_t bytes;
  PacketInfo* info;
  counters::DropReason outcome;
};

class FrameClassifier {
 public:
  explicit FrameClassifier(const FrameClassifierConfig& config);

  // `frame`: `bytes` from the Ethernet header on, without FCS, contiguous. On kNone all of `out` is
  // set, and on kOwnFrame the incarnation, which is another one's if two endpoints have this
  // address; otherwise it is unspecified. Never reads beyond `bytes`, never allocates.
  [[nodiscard]] counters::DropReason receive(const uint8_t* frame, size_t bytes, uint64_t now_ns,
                                             PacketInfo& out);

  // receive() of each frame in order, with the same outcomes. Frames of the usual shape
  // (wire/roce/frame_shape.h) go through it in step: first the headers of all, then the ICRCs of
  // all, then the transport headers. Work that waits for one frame's memory, or for one frame's
  // chain of multiplications, then overlaps with that of the next.
  void receive_burst(std::span<ReceivedFrame> burst, uint64_t now_ns);

  // Whose the last frame was that had kTransportVersion or kControlVersion.
  [[nodiscard]] const VersionEvent& stranger() const { return stranger_; }

  [[nodiscard]] PeerTable& peers() { return peers_; }
  [[nodiscard]] const PeerTable& peers() const { return peers_; }

 private:
  // Frames judged in step: enough to overlap, few enough for the processor's nearest cache.
  static constexpr size_t kStepFrames = 32;

  void receive_step(std::span<ReceivedFrame> step, uint64_t now_ns);
  [[nodiscard]] counters::DropReason receive_other(const uint8_t* frame, size_t bytes,
                                                   uint64_t now_ns, PacketInfo& out);
  [[nodiscard]] counters::DropReason check_addresses(const wire::FrameView& view) const;
  // Makes the checks from the source on, which are common to frames of both ways.
  [[nodiscard]] counters::DropReason take(const uint8_t* frame, const wire::ShapedFrame& found,
                                          uint64_t now_ns, PacketInfo& out);
  [[nodiscard]] counters::DropReason take_control(const uint8_t* frame,
                                                  const wire::ShapedFrame& found, uint64_t now_ns,
                                                  PacketInfo& out);
  void note_stranger(const uint8_t* frame, const wire::ShapedFrame& found, bool control);
  [[nodiscard]] counters::DropReason own_frame(const uint8_t* frame, const wire::ShapedFrame& found,
                                               PacketInfo& out) const;
  [[nodiscard]] static counters::DropReason read_transport(const uint8_t* frame,
                                                           const wire::ShapedFrame& found,
                                                           PacketInfo& out);
  [[nodiscard]] static counters::DropReason check_messages(const uint8_t* frame,
                                                           const PacketInfo& info);

  // Hot and read only: one line.
  GidWords gid_;
  GidWords multicast_gid_;
  GidWords control_gid_;
  uint32_t data_qpn_;
  uint32_t control_qpn_;
  uint32_t incarnation_;
  uint32_t path_mtu_;
  Addressee addressee_;
  bool verify_icrc_;
  uint32_t psn_of_frame_seq_;  // a mask: the bits of the PSN that frame_seq has to tell
  wire::FrameShape shape_;
  wire::FrameShape control_shape_;
  PeerTable peers_;
  VersionEvent stranger_;
  std::array<wire::ShapedFrame, kStepFrames> found_;  // memory for receive_step()
};

}  // namespace lambdacast::node
