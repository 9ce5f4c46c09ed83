// SPDX-License-Identifier: BSD-3-Clause
// Messages of three callers outside the view, for group_fuzz.cc: what they say to an entry, and
// what an entry makes of it. Requests carry which execution they ask for, so that an application
// sees if one is executed twice.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "fuzz_input.h"
#include "wire/control/request.h"

namespace lambdacast::test {

// What such a request has behind its envelope: a mark, its session and its number.
inline constexpr size_t kExecutionBytes = 32;
inline constexpr uint64_t kExecutionMark = 0x657865637574696f;

class OutsideCallers {
 public:
  // An open has that place.
  void opened(const wire::RequestPlace& at) { sessions_[opens_++ % sessions_.size()] = at; }

  // What the bytes of an input make of it: the fields of an open, or of a request in one of the
  // sessions that were opened last.
  [[nodiscard]] wire::Envelope envelope(uint8_t mend, uint8_t target, uint8_t choice) const {
    wire::Envelope envelope;
    envelope.caller = {wire::gid_from_ipv4(0x0a000001 + choice % 3u), 0x20, 1};
    envelope.want = static_cast<wire::RequestWant>(mend >> 2 & 3);
    envelope.handler = 1;
    envelope.number = 1 + target % 128u;
    envelope.floor = envelope.number - 1 - std::min<uint64_t>(envelope.number - 1, choice >> 2);
    envelope.most_answer_bytes = target;
    envelope.patience_ms = target;
    const bool opens = (mend & 2) != 0;
    if (!opens) envelope.session = sessions_[choice >> 2 & 3];
    envelope.type = opens ? wire::RequestType::kOpen : wire::RequestType::kRequest;
    return envelope;
  }
  // As an entry publishes it.
  [[nodiscard]] static Bytes published(const wire::Envelope& envelope) {
    Bytes out(wire::kEnvelopeBytes);
    wire::store_envelope(envelope, out.data());
    if (envelope.type == wire::RequestType::kRequest) append_execution(envelope, out);
    return out;
  }
  // As the caller says it to an entry.
  [[nodiscard]] static Bytes forward(wire::Envelope envelope, const wire::Forwarded& to) {
    const Bytes written = published(envelope);
    envelope.type = wire::RequestType::kForward;
    Bytes out(wire::kEnvelopeBytes + wire::kForwardHeaderBytes + to.name.size());
    wire::store_envelope(envelope, out.data());
    wire::store_forward_header(to, &out[wire::kEnvelopeBytes]);
    out.insert(out.end(), written.begin() + wire::kEnvelopeBytes, written.end());
    return out;
  }
  [[nodiscard]] static Bytes find(wire::Envelope envelope) {
    envelope.type = wire::RequestType::kFind;
    Bytes out(wire::kEnvelopeBytes);
    wire::store_envelope(envelope, out.data());
    return out;
  }

 private:
  static void append_execution(const wire::Envelope& request, Bytes& out) {
    const size_t at = out.size();
    out.resize(at + kExecutionBytes);
    base::store_be64(&out[at], kExecutionMark);
    base::store_be64(&out[at + 8], request.session.epoch);
    base::store_be64(&out[at + 16], request.session.place);
    base::store_be64(&out[at + 24], request.number);
  }

  std::array<wire::RequestPlace, 4> sessions_{};
  size_t opens_ = 0;
};

}  // namespace lambdacast::test
