#include "wire/transport.h"

#include <algorithm>

#include "base/bytes.h"

namespace lambdacast::wire {

using base::load_be16;
using base::load_be32;
using base::load_be64;
using base::store_be16;
using base::store_be32;
using base::store_be64;
using counters::DropReason;

namespace {

// Every byte of the message belongs to exactly one fragment: all but the last are equally long.
DropReason load_fragment(const uint8_t* payload, size_t header_bytes, size_t bytes,
                         TransportHeader& out) {
  if (header_bytes < kFragmentHeaderBytes) return DropReason::kTransportHeaderLength;
  out.message_id = load_be32(payload + 48);
  out.fragment_bytes = load_be16(payload + 52);
  const uint32_t each = out.fragment_bytes;
  const bool placed = each != 0 && each < out.message_bytes &&
                      out.message_bytes <= kMaxMessageBytes &&
                      out.fragment_offset < out.message_bytes && out.fragment_offset % each == 0 &&
                      bytes == std::min(each, out.message_bytes - out.fragment_offset);
  return placed ? DropReason::kNone : DropReason::kTransportFragment;
}

}  // namespace

void store_transport(const TransportHeader& header, uint8_t* out) {
  const size_t header_bytes = transport_header_bytes(header.kind);
  out[0] = static_cast<uint8_t>(kTransportVersion << 4 | header_bytes / 8);
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
  if (header.kind != Kind::kFragment) return;
  store_be32(out + 48, header.message_id);
  store_be16(out + 52, header.fragment_bytes);
  store_be16(out + 54, 0);
}

DropReason load_transport(const uint8_t* payload, size_t payload_bytes, TransportHeader& out,
                          size_t& header_bytes) {
  if (payload_bytes < kTransportHeaderBytes) return DropReason::kTransportTooShort;
  if (payload[0] >> 4 != kTransportVersion) return DropReason::kTransportVersion;
  header_bytes = size_t{payload[0] & 0x0fu} * 8;
  if (header_bytes < kTransportHeaderBytes) return DropReason::kTransportHeaderLength;
  if (header_bytes > payload_bytes) return DropReason::kTransportTooShort;
  if (payload[1] < static_cast<uint8_t>(Kind::kData) ||
      payload[1] > static_cast<uint8_t>(Kind::kFragment)) {
    return DropReason::kTransportKind;
  }
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

  const size_t bytes = payload_bytes - header_bytes;
  if (out.kind == Kind::kFragment) return load_fragment(payload, header_bytes, bytes, out);
  if (out.kind == Kind::kMessages) {
    return out.message_bytes == bytes ? DropReason::kNone : DropReason::kTransportMessages;
  }
  return out.fragment_offset == 0 && out.message_bytes == bytes ? DropReason::kNone
                                                                : DropReason::kTransportFragment;
}

}  // namespace lambdacast::wire
