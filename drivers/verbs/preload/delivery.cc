// SPDX-License-Identifier: BSD-3-Clause
// Receiving: which queue pairs a frame is for, and the copy into what they have posted. What a
// frame has to pass, and in which order, is doc/protocol.md's.
#include <algorithm>
#include <array>
#include <cstring>

#include "device.h"
#include "wire/roce/addressee.h"
#include "wire/roce/ip.h"

namespace lambdacast::verbs {
namespace {

using counters::DropReason;

// Frames taken of a wavelength before the next has its turn.
constexpr uint32_t kTurnFrames = 32;
// For so long a frame waits for one queue pair's receive while others have some posted.
constexpr uint64_t kHoldsPerSecond = 50;

// What the 40 bytes in front of a message hold: the IPv6 header, or in the last 20 the IPv4 header
// (IBTA annex A17.4.5.1).
std::array<uint8_t, kGrhBytes> routing_header(const uint8_t* frame, const wire::FrameView& view) {
  std::array<uint8_t, kGrhBytes> grh{};
  const size_t bytes = view.is_ipv6 ? wire::kIpv6Bytes : wire::kIpv4Bytes;
  std::memcpy(grh.data() + kGrhBytes - bytes, frame + view.l3_offset, bytes);
  return grh;
}

// A completion tells whether the header in front of its message is IPv4 or IPv6 (IBTA annex
// A17.4.5.1). Verbs have no field for it; mlx5 tells it in the service level, which Ethernet has
// not, and programs such as UCX read it there: 8 for UDP, and 1 for IPv6 or 2 for IPv4.
uint8_t packet_type(const wire::FrameView& view) {
  constexpr uint8_t kUdp = 8, kIpv6 = 1, kIpv4 = 2;
  return kUdp | (view.is_ipv6 ? kIpv6 : kIpv4);
}

// The buffers of a receive, one behind the other.
class Scatter {
 public:
  explicit Scatter(std::span<const ibv_sge> sges) : sges_(sges) {}

  [[nodiscard]] uint64_t room() const {
    uint64_t bytes = 0;
    for (const ibv_sge& sge : sges_) bytes += sge.length;
    return bytes;
  }
  // False: a key does not allow it. What came before is written, as a device would have.
  [[nodiscard]] bool write(const KeyTable& keys, const ibv_pd* pd, const uint8_t* from,
                           size_t bytes) {
    while (bytes > 0) {
      const ibv_sge& sge = sges_[index_];
      const size_t part = std::min<size_t>(bytes, sge.length - used_);
      if (part > 0) {
        uint8_t* to = keys.resolve(sge.lkey, pd, sge.addr + used_, part, true);
        if (to == nullptr) return false;
        std::memcpy(to, from, part);
      }
      from += part;
      bytes -= part;
      used_ += static_cast<uint32_t>(part);
      if (used_ == sge.length) ++index_, used_ = 0;
    }
    return true;
  }

 private:
  std::span<const ibv_sge> sges_;
  size_t index_ = 0;
  uint32_t used_ = 0;
};

}  // namespace

Device::Found Device::progress() {
  Found found = sent_.empty() ? Found::kNothing : Found::kOnItsWay;
  retire_sends(Port::now());
  if (Bridge* const bridge = port_->bridge(); bridge != nullptr) [[unlikely]]
    tend_bridge(*bridge);
  for (Port::Listener* listener : port_->lit()) found = std::max(found, drain(*listener));
  return found;
}

// Frames are in the ring before they have left: they are heard once their last bit is out.
Device::Found Device::drain(Port::Listener& listener) {
  fabric::Receiver& receiver = listener.receiver;
  Found found = Found::kNothing;
  for (uint32_t i = 0; i < kTurnFrames; ++i) {
    const fabric::Peek peek = receiver.peek();
    if (peek == fabric::Peek::kEmpty) return found;
    const uint64_t now = Port::now();
    if (peek == fabric::Peek::kFrame && !receiver.has_left(now, port_->ticks_per_second())) {
      return std::max(found, Found::kOnItsWay);
    }
    if (peek == fabric::Peek::kOverrun || !receiver.copy_to(scratch_.data())) {
      counters_.add(Counter::kFramesMissed, receiver.resume());
      continue;
    }
    // An answer comes behind the completion of what it answers: perftest's event mode counts on it.
    retire_sends(now);
    const bool may_hold = receiver.head() - receiver.cursor() < port_->slots() / 2;
    if (take(scratch_.data(), receiver.length(), may_hold) == Taken::kHold) return found;
    receiver.advance();
    found = Found::kFrames;
  }
  return found;
}

Device::Taken Device::take(const uint8_t* frame, uint32_t bytes, bool may_hold) {
  wire::FrameView view;
  DropReason reason = wire::parse_frame(frame, bytes, view);
  if (reason == DropReason::kNone && !wire::icrc_ok(frame, view)) reason = DropReason::kBadIcrc;
  const bool to_group = reason == DropReason::kNone && wire::is_multicast(view.destination_gid);
  if (reason == DropReason::kNone) {
    const auto to = to_group                                  ? wire::Destination::kGroup
                    : addresses_.is_own(view.destination_gid) ? wire::Destination::kOwnGid
                                                              : wire::Destination::kOther;
    reason = wire::check_address(view, to);
  }
  if (reason != DropReason::kNone) {
    counters_.drops.add(reason);
    return Taken::kYes;
  }
  if (to_group) {
    const auto attached = groups.of(view.destination_gid);
    if (attached.empty()) counters_.add(Counter::kNotAttached);
    return deliver(frame, view, attached, may_hold);
  }
  QueuePair* qp = find(view.destination_qpn);
  if (qp == nullptr) {
    counters_.drops.add(DropReason::kUnknownQpn);
    return Taken::kYes;
  }
  return deliver(frame, view, {&qp, 1}, may_hold);
}

bool Device::accepts(const QueuePair& qp, const wire::FrameView& view) {
  if (!qp.takes_messages()) {
    counters_.add(Counter::kNotReady);
    return false;
  }
  DropReason reason = wire::check_keys(view, settings_.pkeys[qp.pkey_index], qp.qkey);
  if (reason == DropReason::kNone && view.payload_bytes > path_mtu_) {
    reason = DropReason::kPayloadTooLong;
  }
  if (reason != DropReason::kNone) counters_.drops.add(reason);
  return reason == DropReason::kNone;
}

// Only a group's message reaches its sender: IBV_QP_CREATE_BLOCK_SELF_MCAST_LB.
bool Device::is_unwanted_echo(const QueuePair& qp, const wire::FrameView& view) const {
  return !qp.hears_itself && wire::is_multicast(view.destination_gid) &&
         view.source_qpn == qp.qp_base.qp_num && addresses_.is_own(view.source_gid);
}

// A queue pair that is used but has just no receive posted keeps its frames in the ring: programs
// take completions and post again. Only for a while if another queue pair could be waiting behind.
bool Device::should_hold(QueuePair& qp) {
  if (qp.receives.posted() == 0) return false;
  const uint64_t now = Port::now();
  if (qp.held_since == 0) qp.held_since = now;
  return pair_count_ == 1 || now - qp.held_since < port_->ticks_per_second() / kHoldsPerSecond;
}

Device::Taken Device::deliver(const uint8_t* frame, const wire::FrameView& view,
                              std::span<QueuePair* const> targets, bool may_hold) {
  if (may_hold) {
    // Before anything is counted or delivered: the frame will come here again.
    for (QueuePair* qp : targets) {
      const auto keys_say = wire::check_keys(view, settings_.pkeys[qp->pkey_index], qp->qkey);
      const bool would = qp->takes_messages() && qp->receives.empty() &&
                         keys_say == DropReason::kNone && !is_unwanted_echo(*qp, view);
      if (would && should_hold(*qp)) return Taken::kHold;
    }
  }
  for (QueuePair* qp : targets) {
    if (is_unwanted_echo(*qp, view) || !accepts(*qp, view)) continue;
    if (qp->receives.empty()) {
      counters_.add(Counter::kNoReceive);
    } else {
      receive(*qp, frame, view);
    }
  }
  return Taken::kYes;
}

void Device::receive(QueuePair& qp, const uint8_t* frame, const wire::FrameView& view) {
  const PostedReceive posted = qp.receives.pop();
  Scatter scatter(posted.sges);
  ibv_wc wc{};
  wc.wr_id = posted.wr_id;
  wc.opcode = IBV_WC_RECV;
  wc.qp_num = qp.qp_base.qp_num;
  wc.src_qp = view.source_qpn;
  wc.pkey_index = qp.pkey_index;
  wc.byte_len = static_cast<uint32_t>(kGrhBytes + view.payload_bytes);
  wc.wc_flags = IBV_WC_GRH;
  wc.sl = packet_type(view);
  if (view.has_immediate) {
    wc.wc_flags |= IBV_WC_WITH_IMM;
    wc.imm_data = __builtin_bswap32(view.immediate);
  }
  if (scatter.room() < wc.byte_len) {
    wc.status = IBV_WC_LOC_LEN_ERR;
  } else {
    const auto grh = routing_header(frame, view);
    const bool allowed =
        scatter.write(keys, qp.qp_base.pd, grh.data(), grh.size()) &&
        scatter.write(keys, qp.qp_base.pd, frame + view.payload_offset, view.payload_bytes);
    wc.status = allowed ? IBV_WC_SUCCESS : IBV_WC_LOC_PROT_ERR;
  }
  const bool failed = wc.status != IBV_WC_SUCCESS;
  counters_.add(failed ? Counter::kReceiveErrors : Counter::kMessagesReceived);
  push(qp.receive_queue(), wc, failed || view.solicited);
  // A receive in error ends the queue pair (IBTA vol. 1, 10.3.1.7).
  if (failed) fail(qp);
}

}  // namespace lambdacast::verbs
