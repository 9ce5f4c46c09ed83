// SPDX-License-Identifier: BSD-3-Clause
#include "wire/control/request.h"

#include <cstring>

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
  const bool known = in[0] != 0 && out.type <= RequestType::kForward &&
                     out.want <= RequestWant::kAnswers && out.status <= AnswerStatus::kBusy;
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

bool load_forwarded(std::span<const uint8_t> bytes, Forwarded& out) {
  if (bytes.size() < kForwardHeaderBytes || bytes[0] >= kQosLevels) return false;
  const size_t name_bytes = bytes[1];
  if (bytes.size() - kForwardHeaderBytes < name_bytes) return false;
  out.qos = static_cast<Qos>(bytes[0]);
  std::memcpy(out.entry.bytes.data(), &bytes[4], out.entry.bytes.size());
  out.entry_qpn = base::load_be32(&bytes[20]);
  const auto* const text = reinterpret_cast<const char*>(&bytes[kForwardHeaderBytes - 1]) + 1;
  out.name = {text, name_bytes};
  out.message = bytes.subspan(kForwardHeaderBytes + name_bytes);
  return valid_group_name(out.name);
}

void store_forward_header(const Forwarded& forwarded, uint8_t* out) {
  out[0] = static_cast<uint8_t>(forwarded.qos);
  out[1] = static_cast<uint8_t>(forwarded.name.size());
  out[2] = out[3] = 0;
  std::memcpy(out + 4, forwarded.entry.bytes.data(), forwarded.entry.bytes.size());
  base::store_be32(out + 20, forwarded.entry_qpn);
  std::memcpy(out + kForwardHeaderBytes, forwarded.name.data(), forwarded.name.size());
}

uint32_t personal_group(const Gid& gid, uint32_t qpn) {
  const uint64_t drawn = base::mix64(hash(gid) ^ qpn);
  return kFirstPersonalGroup + static_cast<uint32_t>(drawn % kPersonalGroups);
}

}  // namespace lambdacast::wire
