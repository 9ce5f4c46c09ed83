// SPDX-License-Identifier: BSD-3-Clause
#include "sim/multicast/message_recorder.h"

#include "sim/multicast/message.h"

namespace lambdacast::sim {

void MessageRecorder::transmitted(const FrameView& view, SentFrame& sent) {
  if (sent.marks) return;
  if (view.shares()) {
    if (!read_shared(view, sent)) return;
  } else {
    const uint32_t about = one_in(sent.life, view);
    (sent.part ? sent.part_of : sent.publication) = about;
    if (about != kNobody && sent.recoverable && log_.publications[about].first_rel_seq == 0)
      log_.publications[about].first_rel_seq = sent.rel_seq;
  }
  for_each_publication(log_, sent, [&](uint32_t publication) { note(publication, sent); });
}

void MessageRecorder::note(uint32_t publication, const SentFrame& sent) {
  Publication& of = log_.publications[publication];
  if (of.transmissions++ != 0) return;
  of.sent_ns = sent.at_ns;
  if (!sent.recoverable) return;
  of.rel_seq = sent.rel_seq;
  if (of.first_rel_seq == 0) of.first_rel_seq = sent.rel_seq;
}

std::optional<uint32_t> MessageRecorder::publication_in(uint32_t life,
                                                        std::span<const uint8_t> message) const {
  const auto id = read_message_id(message);
  if (!id || id->life != life || id->publication >= log_.publications.size()) return {};
  return id->publication;
}

// A message's number stands in its first packet.
uint32_t MessageRecorder::one_in(uint32_t life, const FrameView& view) {
  if (view.fragment()) {
    const auto known = long_messages_.find({life, view.message_id()});
    if (known != long_messages_.end()) return known->second;
    if (!view.first_fragment()) return kNobody;
  }
  const auto publication = publication_in(life, view.message());
  if (!publication) return kNobody;
  if (view.fragment()) long_messages_.insert({{life, view.message_id()}, *publication});
  return *publication;
}

// False: not all of them are its sender's.
bool MessageRecorder::read_shared(const FrameView& view, SentFrame& sent) {
  const size_t begin = log_.shared.size();
  bool ours = true;
  view.for_each_message([&](std::span<const uint8_t> message) {
    const auto publication = publication_in(sent.life, message);
    ours = ours && publication;
    if (ours) log_.shared.push_back(*publication);
  });
  const auto count = static_cast<uint32_t>(log_.shared.size() - begin);
  if (!ours || count == 0) {
    log_.shared.resize(begin);
    return false;
  }
  sent.shared_begin = static_cast<uint32_t>(begin);
  sent.shared = count;
  sent.publication = log_.shared.back();
  for (uint32_t place = 0; place < count; ++place) {
    Publication& of = log_.publications[log_.shared[begin + place]];
    of.place = place;
    of.sharing = count;
  }
  return true;
}

}  // namespace lambdacast::sim
