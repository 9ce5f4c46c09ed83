// SPDX-License-Identifier: BSD-3-Clause
#include "wire/control/rate_message.h"

#include <algorithm>

#include "base/bytes.h"

namespace lambdacast::wire {
namespace {

constexpr uint8_t kAnnounce = 16;
constexpr uint8_t kReserve = 17;
constexpr size_t kHeadBytes = 8;

bool is_limit(uint64_t bps) { return bps == 0 || (bps >= kLeastBps && bps <= kMostBps); }

void store_head(uint8_t type, uint8_t* out) {
  std::fill_n(out, kHeadBytes, uint8_t{0});
  out[0] = type;
}

void store_event(const RateEvent& event, uint8_t* out) {
  base::store_be64(out, event.epoch);
  base::store_be64(out + 8, event.event);
}

RateEvent load_event(const uint8_t* in) { return {base::load_be64(in), base::load_be64(in + 8)}; }

RateMessage load_announcement(std::span<const uint8_t> payload) {
  if (payload.size() < kAnnounceBytes) return {};
  const uint8_t* const in = payload.data();
  const RateAnnouncement out{base::load_be64(in + 8),  base::load_be64(in + 16),
                             base::load_be64(in + 24), base::load_be64(in + 32),
                             base::load_be64(in + 40), base::load_be64(in + 48),
                             load_event(in + 56)};
  const bool valid = out.need_bps <= kMostBps && is_limit(out.line_bps) && is_limit(out.room_bps) &&
                     is_limit(out.each_bps) && out.reserve_bps <= kMostBps;
  return valid ? RateMessage(out) : RateMessage();
}

RateMessage load_reserve(std::span<const uint8_t> payload) {
  if (payload.size() < kReserveBytes) return {};
  const RateReserve out{base::load_be64(payload.data() + 8), load_event(payload.data() + 16)};
  return out.departed_bps <= kMostDepartedBps ? RateMessage(out) : RateMessage();
}

}  // namespace

RateMessage load_rate_message(std::span<const uint8_t> payload) {
  if (payload.size() < kHeadBytes) return {};
  if (std::any_of(payload.begin() + 1, payload.begin() + kHeadBytes,
                  [](uint8_t byte) { return byte != 0; })) {
    return {};
  }
  if (payload[0] == kAnnounce) return load_announcement(payload);
  if (payload[0] == kReserve) return load_reserve(payload);
  return {};
}

void store_rate_announcement(const RateAnnouncement& announcement, uint8_t* out) {
  store_head(kAnnounce, out);
  base::store_be64(out + 8, announcement.need_bps);
  base::store_be64(out + 16, announcement.line_bps);
  base::store_be64(out + 24, announcement.room_bps);
  base::store_be64(out + 32, announcement.each_bps);
  base::store_be64(out + 40, announcement.reserve_bps);
  base::store_be64(out + 48, announcement.buffer_bytes);
  store_event(announcement.settled, out + 56);
}

void store_rate_reserve(const RateReserve& reserve, uint8_t* out) {
  store_head(kReserve, out);
  base::store_be64(out + 8, reserve.departed_bps);
  store_event(reserve.settled, out + 16);
}

}  // namespace lambdacast::wire
