// SPDX-License-Identifier: BSD-3-Clause
// The simulator's own reading of the frames it carries, for its log: by fixed offsets, and by none
// of the code under test. The frames are those of node_identity(): no VLAN tag, no IP options.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/bytes.h"
#include "wire/control/transport.h"
#include "wire/roce/gid.h"

namespace lambdacast::sim {

struct NamedStream {
  wire::Gid gid;
  uint32_t incarnation = 0;
  bool operator==(const NamedStream&) const = default;
};

class FrameView {
 public:
  enum class Kind : uint8_t {
    kData,
    kHeartbeat,
    kStatus,
    kNack,
    kMember,
    kBallot,
    kVote,
    kSkip,
    kDouble,
    kOther
  };

  explicit FrameView(std::span<const uint8_t> frame);

  [[nodiscard]] Kind kind() const { return kind_; }
  [[nodiscard]] bool is_control() const { return kind_ != Kind::kData && kind_ != Kind::kOther; }
  [[nodiscard]] uint32_t incarnation() const { return base::load_be32(payload_ + 4); }
  // The source that the IP header names. Another node transmitted the frame if it is relayed.
  [[nodiscard]] wire::Gid source() const;

  // Data.
  [[nodiscard]] bool recoverable() const { return payload_[2] != 0; }
  [[nodiscard]] uint32_t group() const { return base::load_be32(payload_ + 32); }
  // True for a packet of marks or a pass, which belongs to the protocol and orders messages.
  [[nodiscard]] bool marks() const { return group() == 0xffffffff || pass(); }
  [[nodiscard]] bool pass() const { return group() == 0xfffffffd; }
  [[nodiscard]] uint64_t pass_epoch() const { return base::load_be64(message().data()); }
  [[nodiscard]] uint64_t pass_number() const { return base::load_be64(message().data() + 8); }
  // visit(rank, through)
  template <typename Visitor>
  void for_each_pass_item(Visitor&& visit) const {
    const auto bytes = message();
    const size_t end = std::min<size_t>(bytes.size(), base::load_be32(payload_ + 44));
    for (size_t at = 16; at + 12 <= end; at += 12)
      visit(base::load_be16(&bytes[at]), base::load_be64(&bytes[at + 4]));
  }
  // True for one in which a member announces its rates, which belongs to the protocol too.
  [[nodiscard]] bool rates() const { return group() == 0xfffffffc; }
  [[nodiscard]] bool repair() const { return (payload_[3] & 1) != 0; }
  [[nodiscard]] uint64_t frame_seq() const { return base::load_be64(payload_ + 8); }
  [[nodiscard]] uint64_t rel_seq() const { return base::load_be64(payload_ + 16); }
  // A part of a longer message; and the last one.
  [[nodiscard]] bool fragment() const {
    return wire::is_fragment(static_cast<wire::Kind>(payload_[1]));
  }
  [[nodiscard]] bool first_fragment() const { return base::load_be32(payload_ + 40) == 0; }
  [[nodiscard]] bool last_fragment() const {
    return base::load_be32(payload_ + 40) + uint64_t{base::load_be16(payload_ + 52)} >=
           base::load_be32(payload_ + 44);
  }
  [[nodiscard]] uint32_t message_id() const { return base::load_be32(payload_ + 48); }
  // Several whole messages in one packet.
  [[nodiscard]] bool shares() const { return payload_[1] == 2 || payload_[1] == 18; }
  // visit(message) for each of those. One that the packet cuts short is left out.
  template <typename Visitor>
  void for_each_message(Visitor&& visit) const {
    const auto bytes = message();
    const size_t end = std::min<size_t>(bytes.size(), base::load_be32(payload_ + 44));
    size_t at = 0;
    for (uint32_t left = base::load_be32(payload_ + 40); left != 0 && at + 2 <= end; --left) {
      const size_t length = base::load_be16(&bytes[at]);
      if (length > end - at - 2) return;
      visit(bytes.subspan(at + 2, length));
      at += 2 + length;
    }
  }
  // The message and pad behind the transport header.
  [[nodiscard]] std::span<const uint8_t> message() const;

  // Heartbeats.
  [[nodiscard]] bool ends() const { return kind_ == Kind::kHeartbeat && (payload_[2] & 1) != 0; }
  [[nodiscard]] uint64_t last_sent() const { return base::load_be64(payload_ + 32); }

  // A rate announcement, or a reserve message: its type, and the 64-bit field with that number
  // behind it.
  [[nodiscard]] uint8_t rate_type() const { return message()[0]; }
  [[nodiscard]] uint64_t rate_field(size_t number) const {
    return base::load_be64(message().data() + 8 * (number + 1));
  }

  // Views: the epoch of a member's, or of the one that a ballot or vote is about, and the round.
  [[nodiscard]] uint64_t epoch() const { return base::load_be64(payload_ + 24); }
  [[nodiscard]] uint64_t round() const { return base::load_be64(payload_ + 32); }
  // A member's state, a ballot's phase, a vote's stage.
  [[nodiscard]] uint8_t step() const {
    return payload_[kind_ == Kind::kBallot ? 76 : kind_ == Kind::kVote ? 64 : 44];
  }
  // A member's: the incarnation of its view's coordinator, and whom it suspects, a bit for each of
  // the first 64 ranks.
  [[nodiscard]] uint32_t coordinator() const { return base::load_be32(payload_ + 40); }
  [[nodiscard]] uint64_t suspects() const { return base::load_be64(payload_ + 48); }
  [[nodiscard]] bool operational() const { return kind_ == Kind::kMember && step() == 2; }
  [[nodiscard]] bool about_views() const {
    return kind_ == Kind::kMember || kind_ == Kind::kBallot || kind_ == Kind::kVote;
  }

  // Calls visit(NamedStream, open_at or contiguous, verdict or flags) for each stream that a
  // control frame names.
  template <typename Visitor>
  void for_each_stream(Visitor&& visit) const {
    if (kind_ == Kind::kNack) visit(stream_at(payload_ + 24), uint64_t{0}, uint8_t{0});
    if (kind_ == Kind::kHeartbeat) {
      const uint8_t* at = payload_ + 56;
      for (size_t i = base::load_be16(payload_ + 12); i != 0; --i, at += 40)
        visit(stream_at(at), base::load_be64(at + 24), at[32]);
    }
    const uint8_t* at = payload_ + statuses_at();
    for (size_t i = statuses(); i != 0; --i) {
      visit(stream_at(at), base::load_be64(at + 24), at[56]);
      at += 72 + size_t{at[57]} * 12;
    }
  }

  [[nodiscard]] const char* kind_name() const;

  // The status entries of a status or a NACK: how many, and where in the payload the first is.
  [[nodiscard]] size_t statuses() const {
    return kind_ == Kind::kStatus ? base::load_be16(payload_ + 12)
           : kind_ == Kind::kNack ? base::load_be16(payload_ + 14)
                                  : 0;
  }
  [[nodiscard]] size_t statuses_at() const {
    return kind_ == Kind::kNack ? 56 + size_t{base::load_be16(payload_ + 12)} * 4 : 24;
  }

 private:
  [[nodiscard]] static NamedStream stream_at(const uint8_t* at);

  const uint8_t* frame_ = nullptr;
  const uint8_t* payload_ = nullptr;
  size_t payload_bytes_ = 0;
  Kind kind_ = Kind::kOther;
};

}  // namespace lambdacast::sim
