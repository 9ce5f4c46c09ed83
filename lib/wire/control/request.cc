// SPDX-License-Identifier: BSD-3-Clause
#include "wire/control/request.h"

#include "base/bytes.h"
#include "base/random.h"

namespace lambdacast::wire {
namespace {

RequestPlace load_place(const uint8_t* in) {
  return {base::load_be64(in), base::load_be64(in + 8)};
}

void store_place(const RequestPlace& place, uint8_t* out) {
  base::store_be64(out, place.epoch);
  base::store_be64(out + 8, place.place);
}

}  // namespace

bool load_envelope(std::span<const uint8_t> message, Envelope& out) {
  if (message.size() < kEnvelopeBytes) return false;
  const uint8_t* const in = message.data();
  out.type = static_cast<RequestType>(in[0]);
  out.want = static_cast<RequestWant>(in[1]);
  out.k = in[2];
  out.status = static_cast<AnswerStatus>(in[3]);
  out.handler = base::load_be32(in + 4);
  out.caller = load_stream_name(in + 8);
  out.number = base::load_be64(in + 32);
  out.floor = base::load_be64(in + 40);
  out.session = load_place(in + 48);
  out.stamp = load_place(in + 64);
  out.most_answer_bytes = base::load_be32(in + 80);
  out.patience_ms = base::load_be32(in + 84);
  const bool known = (out.type == RequestType::kRequest || out.type == RequestType::kAnswer) &&
                     out.want <= RequestWant::kAnswers && out.status <= AnswerStatus::kDeclined;
  return known && out.number > out.floor && out.number - out.floor <= kRequestsUnderWay;
}

void store_envelope(const Envelope& envelope, uint8_t* out) {
  out[0] = static_cast<uint8_t>(envelope.type);
  out[1] = static_cast<uint8_t>(envelope.want);
  out[2] = envelope.k;
  out[3] = static_cast<uint8_t>(envelope.status);
  base::store_be32(out + 4, envelope.handler);
  store_stream_name(envelope.caller, out + 8);
  base::store_be64(out + 32, envelope.number);
  base::store_be64(out + 40, envelope.floor);
  store_place(envelope.session, out + 48);
  store_place(envelope.stamp, out + 64);
  base::store_be32(out + 80, envelope.most_answer_bytes);
  base::store_be32(out + 84, envelope.patience_ms);
}

uint32_t personal_group(const Gid& gid, uint32_t qpn) {
  const uint64_t drawn = base::mix64(hash(gid) ^ qpn);
  return kFirstPersonalGroup + static_cast<uint32_t>(drawn % kPersonalGroups);
}

}  // namespace lambdacast::wire
