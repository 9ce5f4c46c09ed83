// SPDX-License-Identifier: BSD-3-Clause
#include "group/sessions.h"

#include <algorithm>

#include "base/bytes.h"

namespace lambdacast::group {
namespace {

constexpr size_t kSavedBytes = wire::kStreamNameBytes + 16 + 16 + 8 + wire::kRequestsUnderWay;

}  // namespace

Sessions::Sessions(size_t most) : most_(most) {}

Sessions::Session* Sessions::find(const wire::StreamName& caller) {
  const auto found = std::find_if(used_.begin(), used_.end(),
                                  [&](const Session& each) { return each.caller == caller; });
  return found == used_.end() ? nullptr : &*found;
}

Sessions::Session* Sessions::find(const wire::Envelope& request) {
  Session* const session = find(request.caller);
  return session != nullptr && session->id == request.session ? session : nullptr;
}

Sessions::Place Sessions::id_of(const wire::StreamName& caller) const {
  const Session* const session = const_cast<Sessions*>(this)->find(caller);
  return session == nullptr ? Place{} : session->id;
}

Sessions::Place Sessions::open(const wire::StreamName& caller, const Place& at) {
  if (Session* const known = find(caller); known != nullptr) {
    known->last_use = at;
    return known->id;
  }
  if (used_.size() == most_) {
    ++expired_;
    used_.erase(std::min_element(used_.begin(), used_.end(), [](const auto& a, const auto& b) {
      return a.last_use < b.last_use;
    }));
  }
  Session& session = used_.emplace_back();
  session.caller = caller;
  session.id = session.last_use = at;
  session.numbers.fill(kFree);
  return at;
}

// Numbers up to the floor are the caller's past: their bytes are those of numbers to come.
void Sessions::Session::raise(uint64_t to) {
  if (to <= floor) return;
  const uint64_t passed = std::min<uint64_t>(to - floor, numbers.size());
  for (uint64_t i = 1; i <= passed; ++i) of(floor + i) = kFree;
  floor = to;
}

Sessions::Verdict Sessions::take(const wire::Envelope& request, const Place& at) {
  Session* const session = find(request);
  if (session == nullptr) return Verdict::kExpired;
  session->last_use = at;
  session->raise(request.floor);
  // A copy of an older request, which a later one has overtaken by another entry.
  if (request.number <= session->floor) return Verdict::kRepetition;
  uint8_t& known = session->of(request.number);
  if (known == kWasRefused) return Verdict::kRefused;
  if (known != kFree) return Verdict::kRepetition;
  known = kGone;
  return Verdict::kNew;
}

void Sessions::refuse(const wire::Envelope& request) {
  if (Session* const session = find(request)) session->of(request.number) = kWasRefused;
}

void Sessions::ask(const wire::Envelope& request, uint8_t rank) {
  if (Session* const session = find(request)) session->of(request.number) = rank;
}

uint8_t Sessions::number_of(const wire::Envelope& request) const {
  Session* const session = const_cast<Sessions*>(this)->find(request);
  if (session == nullptr || request.number <= session->floor) return kFree;
  return session->of(request.number);
}

uint8_t Sessions::asked(const wire::Envelope& request) const {
  const uint8_t rank = number_of(request);
  return rank < wire::kMaxMembers ? rank : kGone;
}

bool Sessions::took(const wire::Envelope& request) const {
  const uint8_t known = number_of(request);
  return known != kFree && known != kWasRefused;
}

void Sessions::move(std::span<const uint8_t> now) {
  for (Session& session : used_) {
    for (uint8_t& each : session.numbers) {
      if (each < wire::kMaxMembers) each = now[each];
    }
  }
}

void Sessions::save(std::vector<uint8_t>& out) const {
  for (const Session& session : used_) {
    out.resize(out.size() + kSavedBytes);
    uint8_t* const to = out.data() + out.size() - kSavedBytes;
    wire::store_stream_name(session.caller, to);
    base::store_be64(to + 24, session.id.epoch);
    base::store_be64(to + 32, session.id.place);
    base::store_be64(to + 40, session.last_use.epoch);
    base::store_be64(to + 48, session.last_use.place);
    base::store_be64(to + 56, session.floor);
    std::copy(session.numbers.begin(), session.numbers.end(), to + 64);
  }
}

bool Sessions::load(std::span<const uint8_t> in, size_t ranks) {
  used_.clear();
  for (; in.size() >= kSavedBytes && used_.size() < most_; in = in.subspan(kSavedBytes)) {
    Session session;
    session.caller = wire::load_stream_name(in.data());
    session.id = {base::load_be64(&in[24]), base::load_be64(&in[32])};
    session.last_use = {base::load_be64(&in[40]), base::load_be64(&in[48])};
    session.floor = base::load_be64(&in[56]);
    std::copy_n(&in[64], session.numbers.size(), session.numbers.begin());
    const bool possible = std::all_of(session.numbers.begin(), session.numbers.end(),
                                      [&](uint8_t each) { return each < ranks || each >= kFree; });
    if (!possible || find(session.caller) != nullptr) break;
    used_.push_back(session);
  }
  if (in.empty()) return true;
  used_.clear();
  return false;
}

}  // namespace lambdacast::group
