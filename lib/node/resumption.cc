// SPDX-License-Identifier: BSD-3-Clause
#include "node/resumption.h"

namespace lambdacast::node {

void Resumption::view_event(const ViewEvent& event) {
  if (event.what != ViewEvent::What::kView) {
    message_ = ordering::Reassembly::kNoMessage;
  } else if (event.members.size() > event.stayed) {
    seek(0);
  }
}

std::span<const uint8_t> Resumption::next(PacketInfo& info) const {
  const auto part = delivery_.reassembly().part(message_);
  const ordering::Fragment& about = part.about;
  const uint32_t offset = fragment_ * about.fragment_bytes;
  info = fragment_info({about.group, about.qos, about.message_id, about.message_bytes,
                        about.fragment_bytes, about.kind},
                       offset);
  return {part.bytes + offset, info.payload_bytes};
}

void Resumption::sent() {
  ++fragments_;
  if (++fragment_ == delivery_.reassembly().part(message_).received)
    seek(static_cast<uint16_t>(message_ + 1));
}

}  // namespace lambdacast::node
