#include "traffic.h"

#include <algorithm>
#include <cstring>

#include "base/bytes.h"

namespace lambdacast::app {

static_assert(static_cast<uint8_t>(config::Qos::kSourceOrdered) ==
              static_cast<uint8_t>(wire::Qos::kSourceOrdered));

Traffic::Traffic(const config::Traffic& config, dataplane::Endpoint& endpoint)
    : config_(config),
      endpoint_(endpoint),
      pacer_({config.rate_pps, endpoint.config().burst}),
      burst_(std::min(endpoint.config().burst, dataplane::kMaxBurst)),
      publishing_(config.enabled),
      qos_(static_cast<wire::Qos>(config.qos)),
      last_(endpoint.config().max_peers) {
  if (config.coalesce || config.payload_bytes > endpoint.max_loan_bytes()) {
    message_.resize(std::max<size_t>(config.payload_bytes, sizeof next_message_));
  }
}

Traffic::~Traffic() { endpoint_.give_back({loans_.data(), loans_count_}); }

uint32_t Traffic::poll(uint64_t now_ns) {
  const uint32_t moved = take() + (notes_.front() == nullptr ? 0 : send_notes(now_ns));
  return moved + (publishing_.load(std::memory_order_relaxed) ? publish(now_ns) : 0);
}

uint32_t Traffic::take() {
  return endpoint_.take_deliveries(
      burst_, [this](const endpoint::PacketInfo& info, std::span<const uint8_t> message) {
        if (info.qos == wire::Qos::kSourceOrdered) audit(info, message);
        if (listened_count_ != 0) [[unlikely]]
          hear(info, message);
      });
}

void Traffic::audit(const endpoint::PacketInfo& info, std::span<const uint8_t> message) {
  if (message.size() < sizeof next_message_) return;
  Heard& last = last_[info.peer];
  const uint64_t number = base::load_be64(message.data());
  ordered_.add(1);
  if (last.incarnation == info.incarnation && number <= last.number) disordered_.add(1);
  last = {info.incarnation, number};
}

void Traffic::hear(const endpoint::PacketInfo& info, std::span<const uint8_t> message) {
  const auto end = listened_.begin() + static_cast<ptrdiff_t>(listened_count_);
  if (std::find(listened_.begin(), end, info.group) == end) return;
  Note* note = heard_.begin();
  if (note == nullptr) {
    unheard_.add(1);
    return;
  }
  note->group = info.group;
  note->peer = info.peer;
  note->bytes = static_cast<uint32_t>(message.size());
  std::memcpy(note->text, message.data(), std::min(message.size(), Note::kTextBytes));
  heard_.push();
}

bool Traffic::send_note(uint32_t group, std::string_view text) {
  Note* note = notes_.begin();
  if (note == nullptr) return false;
  note->group = group;
  note->bytes = static_cast<uint32_t>(std::min(text.size(), Note::kTextBytes));
  std::memcpy(note->text, text.data(), note->bytes);
  notes_.push();
  return true;
}

uint32_t Traffic::send_notes(uint64_t now_ns) {
  const Note& note = *notes_.front();
  if (note_.done()) {
    note_ = dataplane::Outgoing(note.shown(), note.group, wire::Qos::kUnreliable);
  }
  if (endpoint_.publisher().send(note_, now_ns) == dataplane::SendResult::kAgain) return 0;
  note_ = {};
  notes_.pop();
  return 1;
}

void Traffic::set_rate_pps(uint64_t rate_pps, uint64_t now_ns) {
  pacer_.set_rate({rate_pps, endpoint_.config().burst}, now_ns);
}

bool Traffic::listen(uint32_t group) {
  const auto end = listened_.begin() + static_cast<ptrdiff_t>(listened_count_);
  if (std::find(listened_.begin(), end, group) != end) return true;
  if (listened_count_ == kMaxListened) return false;
  listened_[listened_count_++] = group;
  return true;
}

uint32_t Traffic::publish(uint64_t now_ns) {
  if (!message_.empty()) return send(now_ns);
  if (loans_count_ == 0) refill();
  const auto wanted =
      static_cast<uint32_t>(std::min<uint64_t>(loans_count_, pacer_.allowance(now_ns)));
  if (wanted == 0) return 0;
  const uint32_t published = endpoint_.publish({loans_.data(), wanted});
  pacer_.spend(published);
  std::copy(loans_.begin() + published, loans_.begin() + loans_count_, loans_.begin());
  loans_count_ -= published;
  return published;
}

// Messages that share packets or fill several.
uint32_t Traffic::send(uint64_t now_ns) {
  const uint64_t allowed = std::min<uint64_t>(pacer_.allowance(now_ns), kSendBatch);
  uint32_t sent = 0;
  while (sent < allowed) {
    if (outgoing_.done()) {
      base::store_be64(message_.data(), next_message_++);
      outgoing_ =
          dataplane::Outgoing({message_.data(), config_.payload_bytes}, config_.group, qos_);
    }
    if (endpoint_.publisher().send(outgoing_, now_ns) != dataplane::SendResult::kSent) break;
    ++sent;
  }
  pacer_.spend(sent);
  return sent;
}

void Traffic::refill() {
  loans_count_ = endpoint_.loan({loans_.data(), burst_});
  for (uint32_t i = 0; i < loans_count_; ++i) {
    uint8_t number[8];
    base::store_be64(number, next_message_++);
    std::memset(loans_[i].payload(), 0, config_.payload_bytes);
    std::memcpy(loans_[i].payload(), number,
                std::min<size_t>(sizeof number, config_.payload_bytes));
    // Longer messages are sent, not lent.
    (void)loans_[i].describe(config_.payload_bytes, config_.group, qos_);
  }
}

}  // namespace lambdacast::app
