// The transport header of one sender, laid out once: per frame 48 bytes are copied and six fields
// stored. Byte positions as in wire/transport.h (a test compares with wire::store_transport).
#pragma once

#include <array>
#include <cstdint>
#include <cstring>

#include "base/bytes.h"
#include "wire/transport.h"

namespace lambdacast::endpoint {

class TransportTemplate {
 public:
  // Version, kind, flags, incarnation, view and fragment_offset of `fixed` go into every frame.
  explicit TransportTemplate(const wire::TransportHeader& fixed) {
    wire::store_transport(fixed, bytes_.data());
  }

  // Writes wire::kTransportHeaderBytes at `out`.
  void store(uint8_t* out, wire::Qos qos, uint64_t frame_seq, uint64_t rel_seq,
             uint64_t timestamp_ns, uint32_t group, uint32_t message_bytes) const {
    std::memcpy(out, bytes_.data(), bytes_.size());
    out[kQosAt] = static_cast<uint8_t>(qos);
    base::store_be64(out + kFrameSeqAt, frame_seq);
    base::store_be64(out + kRelSeqAt, rel_seq);
    base::store_be64(out + kTimestampAt, timestamp_ns);
    base::store_be32(out + kGroupAt, group);
    base::store_be32(out + kMessageBytesAt, message_bytes);
  }

 private:
  static constexpr size_t kQosAt = 2;
  static constexpr size_t kFrameSeqAt = 8;
  static constexpr size_t kRelSeqAt = 16;
  static constexpr size_t kTimestampAt = 24;
  static constexpr size_t kGroupAt = 32;
  static constexpr size_t kMessageBytesAt = 44;

  std::array<uint8_t, wire::kTransportHeaderBytes> bytes_{};
};

}  // namespace lambdacast::endpoint
