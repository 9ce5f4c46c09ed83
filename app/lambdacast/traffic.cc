// SPDX-License-Identifier: BSD-3-Clause
#include "traffic.h"

#include <algorithm>
#include <cstring>

#include "base/bytes.h"

namespace lambdacast::appliance {

// A group joined from the console. It has no state of its own.
class NamedGroup final : public group::Handlers {
 public:
  NamedGroup(Traffic& traffic, std::string_view name) : traffic_(traffic), name_(name) {}

  void delivered(const group::Delivery& delivery, std::span<const uint8_t> message) override {
    if (traffic_.listens_to(delivery.group))
      traffic_.hear(delivery.group, delivery.source, name_, message);
  }
  void requested(const group::Request& request, std::span<const uint8_t> message) override {
    traffic_.calls_.answer(request, message);
  }
  void view(const group::GroupView& view) override {
    if (GroupNews* const news = begin()) {
      news->members = view.members.size();
      std::copy(view.members.begin(), view.members.end(), news->member.begin());
      traffic_.group_news_.push();
    }
  }
  void handler(const group::HandlerEvent& event) override {
    if (GroupNews* const news = begin()) {
      news->lock = event;
      news->lock->name = {};
      traffic_.group_news_.push();
    }
  }
  void state_lost() override {
    if (GroupNews* const news = begin()) {
      news->state_lost = true;
      traffic_.group_news_.push();
    }
  }
  void ended(group::End reason) override {
    if (GroupNews* const news = begin()) {
      news->end = reason;
      traffic_.group_news_.push();
    }
  }

 private:
  // Null: whoever reads them is far behind; `show group all` tells.
  GroupNews* begin() {
    GroupNews* const news = traffic_.group_news_.begin();
    if (news == nullptr) return nullptr;
    *news = GroupNews{};
    std::copy(name_.begin(), name_.end(), news->name.begin());
    return news;
  }

  Traffic& traffic_;
  const std::string name_;
};

struct Traffic::Sink : node::DeliverySink {
  explicit Sink(Traffic& traffic) : traffic_(traffic) {}
  void message(const node::PacketInfo& info, std::span<const uint8_t> message) {
    if (info.qos >= wire::Qos::kSourceOrdered) traffic_.audit(info, message);
    if (traffic_.listened_count_ == 0) [[likely]]
      return;
    if (traffic_.listens_to(info.group))
      traffic_.hear(info.group, traffic_.source_of(info), {}, message);
  }
  void view(const node::ViewEvent& event) { traffic_.note_view(event); }
  Traffic& traffic_;
};

Traffic::Traffic(const config::Traffic& config, rack::Endpoint& endpoint)
    : config_(config),
      endpoint_(endpoint),
      pacer_(rate_control::smooth(config.rate_pps, endpoint.config().burst)),
      burst_(std::min(endpoint.config().burst, node::kMaxBurst)),
      publishing_(config.enabled),
      qos_(config.qos),
      last_(endpoint.config().max_peers + 1),
      place_(endpoint.named_groups() == nullptr ? 0 : endpoint.config().membership.order.domains),
      calls_(endpoint) {
  if (config.coalesce || config.payload_bytes > endpoint.max_loan_bytes()) {
    message_.resize(std::max<size_t>(config.payload_bytes, sizeof next_message_));
  }
}

Traffic::~Traffic() { endpoint_.give_back({loans_.data(), loans_count_}); }

uint32_t Traffic::poll(uint64_t now_ns) {
  const uint32_t moved =
      take(now_ns) + calls_.poll() + (notes_.front() == nullptr ? 0 : send_notes(now_ns));
  if (publishing_.load(std::memory_order_relaxed)) return moved + publish(now_ns);
  return moved + (outgoing_.done() ? 0 : send(1, now_ns));  // ends what it is in the middle of
}

uint32_t Traffic::take(uint64_t now_ns) {
  if (endpoint_.named_groups() == nullptr) return endpoint_.poll_calls(burst_, now_ns, Sink(*this));
  return endpoint_.poll_groups(burst_, now_ns, Sink(*this));
}

wire::StreamName Traffic::source_of(const node::PacketInfo& info) const {
  const node::EndpointIdentity& self = endpoint_.identity();
  if (info.peer == node::kNoPeer) return {self.gid, self.data_qpn, self.incarnation};
  const node::PeerName from = endpoint_.peers().name_of(info.peer);
  return {from.gid, from.qpn, info.incarnation};
}

void Traffic::audit(const node::PacketInfo& info, std::span<const uint8_t> message) {
  bool in_order = true;
  if (message.size() >= sizeof next_message_) {  // a shorter one has no number
    Heard& last = last_[std::min<size_t>(info.peer, last_.size() - 1)];
    const uint64_t number = base::load_be64(message.data());
    in_order = last.incarnation != info.incarnation || number > last.number;
    last = {info.incarnation, number};
  }
  const bool total = info.qos >= wire::Qos::kTotallyOrdered;
  if (total) {
    // Messages of one packet have its index.
    Place& place = place_[info.domain];
    in_order = in_order && (info.epoch > place.epoch ||
                            (info.epoch == place.epoch && info.index >= place.index));
    place = {info.epoch, info.index};
  }
  Ordered& count = total ? totally_ordered_ : source_ordered_;
  count.messages.add(1);
  if (!in_order) count.out_of_order.add(1);
}

void Traffic::note_view(const node::ViewEvent& event) {
  ViewNews* news = views_.begin();
  if (news == nullptr) return;  // whoever reads them is far behind: `show view` tells
  news->what = event.what;
  news->id = event.id;
  news->members = event.members.size();
  std::copy(event.members.begin(), event.members.end(), news->member.begin());
  views_.push();
}

bool Traffic::listens_to(uint32_t group) const {
  const auto end = listened_.begin() + static_cast<ptrdiff_t>(listened_count_);
  return std::find(listened_.begin(), end, group) != end;
}

void Traffic::hear(uint32_t group, const wire::StreamName& from, std::string_view name,
                   std::span<const uint8_t> message) {
  Note* note = heard_.begin();
  if (note == nullptr) {
    unheard_.add(1);
    return;
  }
  note->group = group;
  note->from = from;
  note->name = {};
  std::copy(name.begin(), name.end(), note->name.begin());
  note->bytes = static_cast<uint32_t>(message.size());
  std::memcpy(note->text, message.data(), std::min(message.size(), Note::kTextBytes));
  heard_.push();
}

group::Result Traffic::join(std::string_view name) {
  auto handlers = std::make_unique<NamedGroup>(*this, name);
  const group::Result result = endpoint_.named_groups()->join(name, *handlers);
  if (result == group::Result::kOk) named_[std::string(name)] = std::move(handlers);
  return result;
}

group::Result Traffic::leave(std::string_view name) {
  return endpoint_.named_groups()->leave(name);
}

group::Result Traffic::acquire(std::string_view name, uint32_t handler) {
  return endpoint_.named_groups()->acquire(name, handler, false);
}

group::Result Traffic::release(std::string_view name, uint32_t handler) {
  dpdk::Groups& groups = *endpoint_.named_groups();
  const auto held = groups.holds(name, handler);
  return held ? groups.release(name, handler, *held, nullptr) : groups.withdraw(name, handler);
}

bool Traffic::send_note(uint32_t group, wire::Qos qos, std::string_view text) {
  Note* note = notes_.begin();
  if (note == nullptr) return false;
  note->group = group;
  note->qos = qos;
  note->bytes = static_cast<uint32_t>(std::min(text.size(), Note::kTextBytes));
  std::memcpy(note->text, text.data(), note->bytes);
  notes_.push();
  return true;
}

uint32_t Traffic::send_notes(uint64_t now_ns) {
  const Note& note = *notes_.front();
  if (note_.done()) {
    note_ = node::Outgoing(note.shown(), note.group, note.qos);
  }
  if (endpoint_.publisher().send(note_, now_ns) == node::SendResult::kAgain) return 0;
  note_ = {};
  notes_.pop();
  return 1;
}

void Traffic::set_rate_pps(uint64_t rate_pps, uint64_t now_ns) {
  pacer_.set_rate(rate_control::smooth(rate_pps, endpoint_.config().burst), now_ns);
}

bool Traffic::listen(uint32_t group) {
  if (listens_to(group)) return true;
  if (listened_count_ == kMaxListened) return false;
  listened_[listened_count_++] = group;
  return true;
}

uint32_t Traffic::publish(uint64_t now_ns) {
  if (!message_.empty()) {
    return send(std::min<uint64_t>(pacer_.allowance(now_ns), kSendBatch), now_ns);
  }
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
uint32_t Traffic::send(uint64_t allowed, uint64_t now_ns) {
  uint32_t sent = 0;
  while (sent < allowed) {
    if (outgoing_.done()) {
      base::store_be64(message_.data(), next_message_++);
      outgoing_ = node::Outgoing({message_.data(), config_.payload_bytes}, config_.group, qos_);
    }
    if (endpoint_.publisher().send(outgoing_, now_ns) != node::SendResult::kSent) break;
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

}  // namespace lambdacast::appliance
