#include "wire/transport.h"

#include "base/bytes.h"

namespace lambdacast::wire {

using base::load_be32;
using base::load_be64;
using base::store_be32;
using base::store_be64;
using counters::DropReason;

void store_transport(const TransportHeader& header, uint8_t* out) {
  out[0] = kTransportVersion << 4 | kTransportHeaderBytes / 8;
  out[1] = static_cast<uint8_t>(header.kind);
  out[2] = static_cast<uint8_t>(header.qos);
  out[3] = header.flags;
  store_be32(out + 4, header.incarnation);
  store_be64(out + 8, header.frame_seq);
  store_be64(out + 16, header.rel_seq);
  store_be64(out + 24, header.timestamp_ns);
  store_be32(out + 32, header.group);
  store_be32(out + 36, header.view);
  store_be32(out + 40, header.fragment_offset);
  store_be32(out + 44, header.message_bytes);
}

DropReason load_transport(const uint8_t* payload, size_t payload_bytes, TransportHeader& out,
                          size_t& header_bytes) {
  if (payload_bytes < kTransportHeaderBytes) return DropReason::kTransportTooShort;
  if (payload[0] >> 4 != kTransportVersion) return DropReason::kTransportVersion;
  header_bytes = size_t{payload[0] & 0x0fu} * 8;
  if (header_bytes < kTransportHeaderBytes) return DropReason::kTransportHeaderLength;
  if (header_bytes > payload_bytes) return DropReason::kTransportTooShort;
  if (payload[1] != static_cast<uint8_t>(Kind::kData)) return DropReason::kTransportKind;
  if (payload[2] >= kQosLevels) return DropReason::kTransportQos;

  out.kind = static_cast<Kind>(payload[1]);
  out.qos = static_cast<Qos>(payload[2]);
  out.flags = payload[3];
  out.incarnation = load_be32(payload + 4);
  out.frame_seq = load_be64(payload + 8);
  out.rel_seq = load_be64(payload + 16);
  out.timestamp_ns = load_be64(payload + 24);
  out.group = load_be32(payload + 32);
  out.view = load_be32(payload + 36);
  out.fragment_offset = load_be32(payload + 40);
  out.message_bytes = load_be32(payload + 44);

  const uint64_t fragment_end = uint64_t{out.fragment_offset} + (payload_bytes - header_bytes);
  if (fragment_end > out.message_bytes) return DropReason::kTransportFragment;
  return DropReason::kNone;
}

}  // namespace lambdacast::wire
