// SPDX-License-Identifier: BSD-3-Clause
#include "wire/control/transport.h"

#include <algorithm>

#include "base/bytes.h"

namespace lambdacast::wire {

using base::store_be16;
using base::store_be32;
using base::store_be64;

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
  if (!is_fragment(header.kind)) return;
  store_be32(out + 48, header.message_id);
  store_be16(out + 52, header.fragment_bytes);
  store_be16(out + 54, 0);
}

bool is_fragment_of(uint32_t message_bytes, uint32_t offset, uint32_t each, size_t bytes) {
  return each != 0 && each < message_bytes && message_bytes <= kMaxMessageBytes &&
         offset < message_bytes && offset % each == 0 &&
         bytes == std::min(each, message_bytes - offset);
}

}  // namespace lambdacast::wire
