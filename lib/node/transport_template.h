// SPDX-License-Identifier: BSD-3-Clause
// The transport header of one sender, laid out once: per frame 48 bytes are copied and the fields
// that differ stored. Byte positions as in wire/control/transport.h (a test compares with
// wire::store_transport).
#pragma once

#include <array>
#include <cstdint>
#include <cstring>

#include "base/bytes.h"
#include "node/packet_info.h"
#include "wire/control/transport.h"

namespace lambdacast::node {

class TransportTemplate {
 public:
  // Version, flags, incarnation and view of `fixed` go into every frame.
  explicit TransportTemplate(const wire::TransportHeader& fixed) {
    wire::store_transport(fixed, bytes_.data());
  }

  // Writes wire::transport_header_bytes(info.kind) at `out`. Of `info`: kind, qos, group,
  // message_bytes, fragment_offset, and for fragments message_id and fragment_bytes.
  void store(uint8_t* out, const PacketInfo& info, uint64_t frame_seq, uint64_t rel_seq,
             uint64_t timestamp_ns) const {
    std::memcpy(out, bytes_.data(), bytes_.size());
    out[kKindAt] = static_cast<uint8_t>(info.kind);
    out[kQosAt] = static_cast<uint8_t>(info.qos);
    base::store_be64(out + kFrameSeqAt, frame_seq);
    base::store_be64(out + kRelSeqAt, rel_seq);
    base::store_be64(out + kTimestampAt, timestamp_ns);
    base::store_be32(out + kGroupAt, info.group);
    base::store_be32(out + kFragmentOffsetAt, info.fragment_offset);
    base::store_be32(out + kMessageBytesAt, info.message_bytes);
    if (wire::is_fragment(info.kind)) [[unlikely]]
      store_fragment(out, info);
  }

  // Marks a repair in a header that store() has written.
  static void mark_repair(uint8_t* out) { out[kFlagsAt] |= wire::kFlagRepair; }

 private:
  static void store_fragment(uint8_t* out, const PacketInfo& info) {
    out[0] = wire::kTransportVersion << 4 | wire::kFragmentHeaderBytes / 8;
    base::store_be32(out + kMessageIdAt, info.message_id);
    base::store_be16(out + kFragmentBytesAt, info.fragment_bytes);
    base::store_be16(out + kFragmentBytesAt + 2, 0);
  }

  static constexpr size_t kKindAt = 1;
  static constexpr size_t kQosAt = 2;
  static constexpr size_t kFlagsAt = 3;
  static constexpr size_t kFrameSeqAt = 8;
  static constexpr size_t kRelSeqAt = 16;
  static constexpr size_t kTimestampAt = 24;
  static constexpr size_t kGroupAt = 32;
  static constexpr size_t kFragmentOffsetAt = 40;
  static constexpr size_t kMessageBytesAt = 44;
  static constexpr size_t kMessageIdAt = 48;
  static constexpr size_t kFragmentBytesAt = 52;

  std::array<uint8_t, wire::kTransportHeaderBytes> bytes_{};
};

}  // namespace lambdacast::node
