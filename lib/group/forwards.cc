// SPDX-License-Identifier: BSD-3-Clause
#include "group/forwards.h"

#include <algorithm>
#include <array>

#include "base/random.h"

namespace lambdacast::group {

using wire::AnswerStatus;
using wire::RequestType;

void Forwards::take(const Delivery& from, const wire::Envelope& envelope,
                    std::span<const uint8_t> message, bool informed) {
  wire::Forwarded forwarded;
  if (envelope.caller != from.source) {
    ++counters_.nonsense;
  } else if (envelope.type == RequestType::kFind) {
    if (most_ != 0 && informed) find(envelope);
  } else if (!wire::load_forwarded(message, forwarded)) {
    ++counters_.nonsense;
  } else if (forwarded.entry != nodes_.self_name().gid ||
             forwarded.entry_qpn != nodes_.self_name().qpn) {
    ++counters_.others;
  } else if (!informed) {
    ++counters_.refused;
    say(envelope, RequestType::kPlaced, AnswerStatus::kBusy, 0);
  } else {
    forward(envelope, forwarded);
  }
}

// The number counts the caller's attempts, so that another member answers the next one.
void Forwards::find(const wire::Envelope& envelope) {
  const wire::StreamName& caller = envelope.caller;
  const uint64_t drawn =
      base::mix64(wire::hash(caller.gid) ^ caller.qpn ^ uint64_t{caller.incarnation} << 32) +
      envelope.number;
  if (nodes_.size() != 0 && drawn % nodes_.size() == nodes_.own_rank())
    say(envelope, RequestType::kEntry, AnswerStatus::kAnswered, 0);
}

void Forwards::forward(wire::Envelope envelope, const wire::Forwarded& forwarded) {
  const Group* const group = directory_.find(forwarded.name);
  const uint32_t number = group == nullptr ? 0 : group->number;
  const bool opens = envelope.session == wire::RequestPlace{};
  envelope.type = opens ? RequestType::kOpen : RequestType::kRequest;
  const UnderWay wanted{envelope.caller, envelope.number, number, envelope.type};
  if (std::ranges::find(under_way_, wanted) != under_way_.end()) {
    ++counters_.merged;
    return;
  }
  std::array<uint8_t, wire::kEnvelopeBytes> bytes;
  wire::store_envelope(envelope, bytes.data());
  const bool fits =
      group != nullptr && under_way_.size() < most_ && forwarded.qos >= wire::Qos::kTotallyOrdered;
  if (!fits || carrier_.request(bytes, forwarded.message, number, forwarded.qos) != Result::kOk) {
    ++counters_.refused;
    return say(envelope, RequestType::kPlaced, AnswerStatus::kBusy, number);
  }
  ++counters_.forwarded;
  under_way_.push_back(wanted);
}

void Forwards::placed(const wire::Envelope& envelope, uint32_t group,
                      const wire::RequestPlace& at) {
  const UnderWay placed{envelope.caller, envelope.number, group, envelope.type};
  const auto found = std::ranges::find(under_way_, placed);
  if (found == under_way_.end()) return;
  *found = under_way_.back();
  under_way_.pop_back();
  wire::Envelope told = envelope;
  told.stamp = at;
  say(told, RequestType::kPlaced, AnswerStatus::kAnswered, group);
}

// A caller that hears nothing repeats what it has sent.
void Forwards::say(wire::Envelope envelope, RequestType type, AnswerStatus status, uint32_t group) {
  envelope.type = type;
  envelope.status = status;
  envelope.handler = group;
  std::array<uint8_t, wire::kEnvelopeBytes> bytes;
  wire::store_envelope(envelope, bytes.data());
  (void)carrier_.answer(bytes, {}, wire::personal_group(envelope.caller.gid, envelope.caller.qpn));
}

}  // namespace lambdacast::group
