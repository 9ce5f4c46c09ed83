// SPDX-License-Identifier: BSD-3-Clause
#include "node/rate_shares.h"

#include <algorithm>
#include <variant>

namespace lambdacast::node {

using rate_control::Demand;
using rate_control::FilledShare;
using rate_control::kUnlimitedBps;
using rate_control::LimitedBy;
using rate_control::Limits;
using rate_control::MemberRates;
using rate_control::percent_of;
using rate_control::Policy;

namespace {

constexpr uint64_t kLookNs = 1'000'000;

uint64_t limit(uint64_t bps) { return bps == 0 ? kUnlimitedBps : bps; }

}  // namespace

RateShares::RateShares(const RateSetting& setting, RateWatch& watch)
    : config_(setting.config),
      setting_(setting),
      watch_(watch),
      lease_(setting.lease_ns, setting.gap_ns),
      demand_({setting.config.demand_ns}),
      need_bps_(config_.need_bps == 0 ? Demand::kFloorBps : config_.need_bps) {
  limits_ = decision();
  fastest_bps_ = limits_.bits_per_second;
}

// --- the view ------------------------------------------------------------------------------------

// What was announced and not marked in the view before is content of this one, so that the newest
// announcement of each member counts in either.
void RateShares::view_ended(uint64_t epoch, std::span<const Member> members, size_t own_rank,
                            std::optional<size_t> tie_breaker, uint64_t now_ns) {
  std::array<rate_control::Allocation::Member, wire::kMaxMembers> known;
  for (size_t rank = 0; rank < members.size(); ++rank) {
    known[rank] = {{.room_bps = members[rank].room_bps}, members[rank].before};
    if (members[rank].before) known[rank].rates = allocation_.rates(*members[rank].before);
  }
  const auto by_rank = [&](std::array<uint64_t, wire::kMaxMembers>& values) {
    const auto old = values;
    for (size_t rank = 0; rank < members.size(); ++rank)
      values[rank] = members[rank].before ? old[*members[rank].before] : 0;
  };
  by_rank(reserve_);
  by_rank(buffer_);
  allocation_.begin(epoch, std::span(known).first(members.size()), own_rank);
  in_view_ = true;
  own_rank_ = own_rank;
  const auto first_stayed = std::find_if(members.begin(), members.end(),
                                         [](const Member& member) { return member.stayed; });
  speaker_ =
      first_stayed == members.end() ? 0 : static_cast<size_t>(first_stayed - members.begin());
  lease_.begin(members.size(), own_rank, tie_breaker);
  announce_due_ = true;
  departed_until_ns_ = now_ns + 2 * setting_.lease_ns;
  silent_after_ns_ = now_ns + 4 * setting_.lease_ns;
  std::array<size_t, wire::kMaxMembers> peers;
  for (size_t rank = 0; rank < members.size(); ++rank) peers[rank] = members[rank].peer;
  watch_.begin(std::span(peers).first(members.size()));
  reserve_due_ = own_rank == speaker_;
  said_ = said_in_mark_ = false;
  said_event_ = 0;
  marks_begin_ = marks_end_ = 0;
  last_mark_ = acknowledged_ = 0;
  decide();
  hold_behind_faster(1);
}

void RateShares::take(size_t rank, std::span<const uint8_t> payload) {
  const wire::RateMessage message = wire::load_rate_message(payload);
  if (const auto* said = std::get_if<wire::RateAnnouncement>(&message)) {
    if (allocation_.knows(rank) && allocation_.rates(rank).room_bps != said->room_bps &&
        rank != own_rank_)
      watch_.tell({RateEvent::What::kCapacity, watch_.peer(rank), said->room_bps});
    allocation_.announce(rank, {said->need_bps, said->line_bps, said->room_bps, said->each_bps},
                         said->settled);
    reserve_[rank] = said->reserve_bps;
    buffer_[rank] = said->buffer_bytes;
    said_in_mark_ |= rank == own_rank_;
    return;
  }
  const auto* reserve = std::get_if<wire::RateReserve>(&message);
  if (reserve != nullptr && rank == speaker_)
    return allocation_.reserve(reserve->departed_bps, reserve->settled);
  ++counters_.malformed;
}

// With more events than there is memory for, the last ones count as settled when the newest is.
void RateShares::marked(uint64_t position) {
  const uint64_t event = allocation_.mark_applied().event;
  ++counters_.events;
  if (marks_end_ - marks_begin_ == kMarks) --marks_end_;
  mark(marks_end_++) = {event, position};
  last_mark_ = position;
  if (said_in_mark_) said_event_ = event;
  said_in_mark_ = false;
  decide();
  hold_behind_faster(position);
}

void RateShares::settle(uint64_t position) {
  uint64_t event = 0;
  while (marks_begin_ != marks_end_ && mark(marks_begin_).position <= position)
    event = mark(marks_begin_++).event;
  allocation_.settle(event);
  if (said_event_ != 0 && event >= said_event_) {
    said_ = false;
    said_event_ = 0;
  }
  // Nobody may announce anything for long: what members had before would be kept for them.
  if (own_rank_ == speaker_ && allocation_.settled() == allocation_.newest() &&
      allocation_.remembers_settled())
    reserve_due_ = true;
  decide();
}

void RateShares::out() {
  in_view_ = announce_due_ = reserve_due_ = said_ = false;
  held_from_ = kNothingHeld;
  lease_.end();
  watch_.set_on(false, 0);
  decide();
}

// Frames that are faster than what it may send now can wait for the port, whatever has lowered the
// limit: a mark, the need, an operator, a lease or a pause.
void RateShares::hold_behind_faster(uint64_t position) {
  if (limits_.bits_per_second < fastest_bps_) held_from_ = std::min(held_from_, position);
}

// --- what is announced ---------------------------------------------------------------------------

MemberRates RateShares::own_rates() const {
  const uint64_t need = config_.policy == Policy::kFair ? need_bps_ : limit(config_.limit_bps);
  return {std::min(need, wire::kMostBps), config_.line_bps, rate_control::room_bps(config_),
          rate_control::without_reserve(config_.each_bps, config_.reserve_percent)};
}

size_t RateShares::write(uint8_t* payload) {
  ++counters_.announced;
  return announce_due_ && !said_ ? write_announcement(payload) : write_reserve(payload);
}

size_t RateShares::write_announcement(uint8_t* payload) {
  const MemberRates rates = own_rates();
  wire::store_rate_announcement({rates.need_bps, rates.line_bps, rates.room_bps, rates.each_bps,
                                 percent_of(config_.capacity_bps, config_.reserve_percent),
                                 config_.buffer_bytes, allocation_.settled()},
                                payload);
  announce_due_ = false;
  said_ = true;
  return wire::kAnnounceBytes;
}

size_t RateShares::write_reserve(uint8_t* payload) {
  // If it does not know the number, it says the most that the number can be.
  const uint64_t kept =
      allocation_.knows_departed() ? allocation_.departed_bps() : wire::kMostDepartedBps;
  const uint64_t departed_bps = departed_until_ns_ == 0 ? 0 : kept;
  wire::store_rate_reserve({departed_bps, allocation_.settled()}, payload);
  reserve_due_ = false;
  return wire::kReserveBytes;
}

void RateShares::look_in_view(uint64_t now_ns) {
  const bool valid = lease_.valid();
  const bool paused = lease_.paused();
  lease_.pass(now_ns);
  if (valid != lease_.valid() || paused != lease_.paused()) [[unlikely]] {
    if (lease_.paused()) watch_.forgive();
    decide();
    tell_lease(valid);
  }
  if (departed_until_ns_ != 0 && now_ns >= departed_until_ns_) [[unlikely]] {
    departed_until_ns_ = 0;
    reserve_due_ = reserve_due_ || (own_rank_ == speaker_ && allocation_.departed_bps() != 0);
  }
  if (now_ns >= next_look_ns_ && measures()) measure(now_ns);
  if (watch_.on() != watches_) [[unlikely]]
    watch_.set_on(watches_, now_ns);
  if (now_ns >= watch_.next_look_ns()) [[unlikely]]
    watch_others(now_ns);
  if (silent_after_ns_ != 0 && now_ns >= silent_after_ns_) [[unlikely]] {
    silent_after_ns_ = 0;
    for (size_t rank = 0; rank < allocation_.members(); ++rank) {
      if (!allocation_.knows(rank) && rank != own_rank_)
        watch_.tell({RateEvent::What::kSilent, watch_.peer(rank), 0});
    }
  }
}

// Those who sent at a higher share a moment ago may not know of the newest one yet.
void RateShares::watch_others(uint64_t now_ns) {
  std::array<uint64_t, wire::kMaxMembers> may_send;
  const uint64_t beside = outside_bps() + control_bps();
  for (size_t rank = 0; rank < allocation_.members(); ++rank) {
    const uint64_t share = allocation_.highest(rank);
    may_send[rank] = share >= wire::kMostBps ? RateWatch::kAnything : share + share / 64 + beside;
  }
  watch_.look(std::span(may_send).first(allocation_.members()),
              burst_bytes(allocation_.highest(own_rank_)), now_ns);
}

void RateShares::tell_lease(bool was_valid) {
  const bool over = was_valid && !lease_.valid() && needs_lease();
  if (over) ++counters_.leases_lost;
  if (over && !lease_over_) watch_.tell({RateEvent::What::kLeaseOver, RateEvent::kSelf, 0});
  if (lease_over_ && lease_.valid())
    watch_.tell({RateEvent::What::kLeaseBack, RateEvent::kSelf, 0});
  lease_over_ = (lease_over_ || over) && !lease_.valid();
}

uint64_t RateShares::next_look_ns() const {
  uint64_t next_ns = measures() ? next_look_ns_ : ~uint64_t{0};
  if (departed_until_ns_ != 0 && own_rank_ == speaker_ && allocation_.departed_bps() != 0)
    next_ns = std::min(next_ns, departed_until_ns_);
  if (needs_lease() && lease_.valid()) next_ns = std::min(next_ns, lease_.until_ns());
  return std::min(next_ns, watch_.next_look_ns());
}

void RateShares::measure(uint64_t now_ns) {
  next_look_ns_ = now_ns + kLookNs;
  const Demand::Standing standing{need_bps_, limit(config_.line_bps),
                                  allocation_.own_limited_by() == FilledShare::kByCap,
                                  !said_ && !announce_due_, allocation_.members()};
  const auto wanted =
      demand_.look(standing, now_ns, [&] { return allocation_.greedy_bps(own_rank_); });
  if (wanted) need(*wanted);
}

void RateShares::need(uint64_t bps) {
  need_bps_ = bps;
  announce_due_ = in_view_;
  decide();
}

void RateShares::set_need(uint64_t bps) {
  config_.need_bps = bps;
  need(bps == 0 ? need_bps_ : bps);
}

void RateShares::set(const rate_control::RateConfig& config) {
  const Policy policy = config_.policy;
  config_ = config;
  config_.policy = policy;
  need(config.need_bps == 0 ? need_bps_ : config.need_bps);
}

// --- what it may send ----------------------------------------------------------------------------

void RateShares::decide() {
  watches_ = in_view_ && config_.policy == Policy::kFair && others_have_shares();
  const Limits now = decision();
  if (now == limits_) return;
  if (now.bits_per_second != limits_.bits_per_second)
    ++(now.bits_per_second < limits_.bits_per_second ? counters_.falls : counters_.raises);
  limits_ = now;
  fastest_bps_ = std::max(fastest_bps_, limits_.bits_per_second);
  ++revision_;
}

Limits RateShares::decision() const {
  Limits out;
  const auto lower = [&](uint64_t bps, LimitedBy by, uint16_t whom = Limits::kNobody) {
    if (bps >= out.bits_per_second) return;
    out.bits_per_second = bps;
    out.limited_by = by;
    out.whom = whom;
  };
  lower(limit(config_.limit_bps), LimitedBy::kLimit);
  if (config_.policy == Policy::kFair) {
    // What nobody has agreed to is paid for by the reserve, whoever sends it.
    const uint64_t outside = outside_bps();
    if (!in_view_ || alone()) {
      lower(outside, LimitedBy::kOutside);
    } else if (!allocation_.informed()) {
      lower(outside, LimitedBy::kNewcomer);
    } else if (allocation_.constrained(own_rank_)) {
      const uint16_t full = allocation_.own_limited_by();
      const uint64_t share = std::max(allocation_.own_bps(), outside);
      if (!lease_.valid())
        lower(outside, LimitedBy::kLease);
      else if (allocation_.rises())
        lower(share, LimitedBy::kSettling);
      else if (full != FilledShare::kByCap)
        lower(share, LimitedBy::kReceiver, full);
      else
        lower(share, LimitedBy::kNeed);
      lower(std::max(need_bps_, outside), LimitedBy::kNeed);
      if (lease_.paused()) lower(0, LimitedBy::kPause);
    }
  }
  if (out.unlimited()) return out;
  // The port holds to its line by itself.
  if (config_.line_bps != 0 && out.bits_per_second >= config_.line_bps)
    return {kUnlimitedBps, 0, 0, LimitedBy::kLine, Limits::kNobody};
  out.control_bps = control_bps();
  out.burst_bytes = burst_bytes(out.bits_per_second);
  return out;
}

// The least reserve of the other members; kUnlimitedBps: none of them has a limit. A newcomer has
// told its room alone: it is taken to keep the same part of it as this endpoint.
uint64_t RateShares::least_reserve() const {
  uint64_t least = kUnlimitedBps;
  for (size_t rank = 0; in_view_ && rank < allocation_.members(); ++rank) {
    const uint64_t room = allocation_.rates(rank).room_bps;
    if (rank == own_rank_ || room == 0) continue;
    const uint64_t likely = percent_of(room, config_.reserve_percent);
    least = std::min(least, reserve_[rank] != 0 ? reserve_[rank] : likely);
  }
  return least;
}

// The least receive buffer that another member has announced; kUnlimitedBps: none has.
uint64_t RateShares::least_buffer() const {
  uint64_t least = kUnlimitedBps;
  for (size_t rank = 0; in_view_ && rank < allocation_.members(); ++rank) {
    if (rank != own_rank_ && buffer_[rank] != 0) least = std::min(least, buffer_[rank]);
  }
  return least;
}

// A third of the reserve is for all that have no share, should all be in that case at once.
uint64_t RateShares::outside_bps() const {
  if (config_.outside_bps != 0) return config_.outside_bps;
  const uint64_t kept = known_reserve();
  return kept == kUnlimitedBps ? kept : kept / (3 * nodes());
}

// The other two thirds are for control.
uint64_t RateShares::control_bps() const {
  const uint64_t kept = known_reserve();
  return kept == kUnlimitedBps ? 0 : kept / 3 * 2 / nodes();
}

uint64_t RateShares::known_reserve() const {
  const uint64_t kept = least_reserve();
  if (in_view_ && !alone() && allocation_.informed()) return kept;
  return std::min(kept, limit(percent_of(config_.capacity_bps, config_.reserve_percent)));
}

size_t RateShares::nodes() const { return std::max(setting_.nodes, allocation_.members()); }

uint64_t RateShares::burst_bytes(uint64_t bps) const {
  const auto earned =
      static_cast<uint64_t>(static_cast<unsigned __int128>(bps) * config_.burst_ns / 8'000'000'000);
  uint64_t burst = std::min(earned, rate_control::Pacer::kMaxBurstUnits);
  const uint64_t buffer = least_buffer();
  if (buffer != kUnlimitedBps)
    burst = std::min(burst, buffer / (2 * std::max<size_t>(allocation_.members() - 1, 1)));
  return std::max(burst, setting_.longest_frame);
}

void RateShares::report(RateReport& out) const {
  out.policy = config_.policy;
  out.limits = limits_;
  out.need_bps = need_bps_;
  out.capacity_bps = config_.capacity_bps;
  out.departed_bps = allocation_.departed_bps();
  out.newest = allocation_.newest();
  out.settled = allocation_.settled();
  out.in_view = in_view_;
  out.counters = counters_;
  out.times_over = watch_.times_over();
  out.members = in_view_ ? allocation_.members() : 0;
  for (size_t rank = 0; rank < out.members; ++rank) {
    out.member[rank] = {allocation_.rates(rank), allocation_.shares()[rank].bps, reserve_[rank],
                        watch_.seen(rank)};
  }
}

}  // namespace lambdacast::node
