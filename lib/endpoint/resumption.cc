#include "endpoint/resumption.h"

#include <algorithm>

namespace lambdacast::endpoint {

void Resumption::view_event(const ViewEvent& event) {
  if (event.what != ViewEvent::What::kView) {
    message_ = ordering::ReassemblyCore::kNoMessage;
  } else if (event.members.size() > event.stayed) {
    seek(0);
  }
}

std::span<const uint8_t> Resumption::next(PacketInfo& info) const {
  const auto part = delivery_.reassembly().part(message_);
  const ordering::Fragment& about = part.about;
  info = PacketInfo{};
  info.kind = wire::Kind::kFragment;
  info.qos = about.qos;
  info.group = about.group;
  info.message_id = about.message_id;
  info.message_bytes = about.message_bytes;
  info.fragment_bytes = about.fragment_bytes;
  info.fragment_offset = fragment_ * about.fragment_bytes;
  const uint32_t left = about.message_bytes - info.fragment_offset;
  info.payload_bytes = static_cast<uint16_t>(std::min<uint32_t>(about.fragment_bytes, left));
  return {part.bytes + info.fragment_offset, info.payload_bytes};
}

void Resumption::sent() {
  ++fragments_;
  if (++fragment_ == delivery_.reassembly().part(message_).received)
    seek(static_cast<uint16_t>(message_ + 1));
}

}  // namespace lambdacast::endpoint
