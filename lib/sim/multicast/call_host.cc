// SPDX-License-Identifier: BSD-3-Clause
#include "sim/multicast/call_host.h"

#include <array>
#include <utility>

#include "base/bytes.h"
#include "sim/multicast/group_host.h"

namespace lambdacast::sim {
namespace {

constexpr size_t kCallBytes = 12;  // the caller's life 4, its number 8

}  // namespace

uint64_t answer_to(uint32_t caller, uint64_t number, uint32_t from) {
  return base::mix64(base::mix64(number << 32 | caller) ^ from);
}

CallTold CallHost::entry(CallTold::What what, uint32_t caller, uint64_t number) const {
  CallTold told;
  told.what = what;
  told.life = life_;
  told.caller = caller;
  told.number = number;
  return told;
}

void CallHost::act(bool busy) {
  if (busy && random_.below(3) == 0) call();
  for (Waiting& each : std::exchange(waiting_, {})) {
    const bool later = random_.below(2) == 0;
    if (later || !answer(each)) waiting_.push_back(each);
  }
}

void CallHost::cancel() {
  if (outside_ == nullptr || outside_->under_way() == 0) return;
  for (uint64_t number = 1; number <= calls_; ++number)
    outside_->cancel(*this, kOutsideNumbers + number);
}

void CallHost::call() {
  using group::Want;
  constexpr std::array kWants{Want::kAcknowledgement, Want::kHolder, Want::kHolder, Want::kAnswers};
  const auto name = static_cast<uint32_t>(random_.below(kGroupNames.size()));
  group::CallOptions options;
  options.want = kWants[random_.below(kWants.size())];
  options.qos =
      static_cast<wire::Qos>(static_cast<uint64_t>(wire::Qos::kTotallyOrdered) + random_.below(4));
  options.handler = static_cast<uint32_t>(random_.below(2));
  options.answers = static_cast<uint8_t>(random_.below(4));
  // Some are given up before a second copy can be sent, and some behind a few copies.
  const uint64_t patience = random_.below(8);
  options.timeout_ns = patience == 0 ? 200'000 : patience == 1 ? 3'000'000 : 1'000'000'000;
  std::array<uint8_t, kCallBytes> bytes;
  base::store_be32(bytes.data(), life_);
  const uint64_t number = next_number();
  base::store_be64(bytes.data() + 4, number);
  const group::Result result = outside_ != nullptr
                                   ? outside_->call(kGroupNames[name], bytes, options, this, number)
                                   : core_.call(kGroupNames[name], bytes, options, this, number);
  if (result != group::Result::kOk) return;
  ++calls_;
  CallTold told = entry(CallTold::What::kCalled, life_, number);
  told.name = name;
  told.want = static_cast<uint8_t>(options.want);
  told.k = options.answers;
  told.qos = options.qos;
  world_.told_of_call(std::move(told));
}

void CallHost::requested(uint32_t name, const group::Request& request,
                         std::span<const uint8_t> message) {
  if (message.size() != kCallBytes) return;
  const Waiting waiting{request.ticket, name, base::load_be32(message.data()),
                        base::load_be64(message.data() + 4)};
  CallTold told = entry(CallTold::What::kRequested, waiting.caller, waiting.number);
  told.name = name;
  told.asked = request.answers;
  told.qos = request.delivery.qos;
  told.epoch = request.delivery.epoch;
  told.index = request.delivery.index;
  world_.told_of_call(std::move(told));
  if (!request.answers && request.ticket != 0 && waiting.number % 2 == 0) keep(waiting);
  if (!request.answers || random_.below(16) == 0) return;  // some are slow for ever
  if (random_.below(2) == 0 || !answer(waiting)) waiting_.push_back(waiting);
}

bool CallHost::answer(const Waiting& waiting) {
  const bool declines = random_.below(8) == 0;
  std::array<uint8_t, 8> bytes;
  base::store_be64(bytes.data(), answer_to(waiting.caller, waiting.number, life_));
  // What is said may come to its caller, this life, before answer() returns.
  CallTold told = entry(declines ? CallTold::What::kDeclining : CallTold::What::kAnswering,
                        waiting.caller, waiting.number);
  told.name = waiting.name;
  const group::Result result =
      declines ? core_.decline(waiting.ticket) : core_.answer(waiting.ticket, bytes);
  if (result == group::Result::kOk) world_.told_of_call(std::move(told));
  return result != group::Result::kAgain;
}

void CallHost::keep(const Waiting& waiting) {
  std::array<uint8_t, 8> bytes;
  base::store_be64(bytes.data(), answer_to(waiting.caller, waiting.number, life_));
  if (core_.keep(waiting.ticket, bytes) != group::Result::kOk) return;
  CallTold told = entry(CallTold::What::kKeeping, waiting.caller, waiting.number);
  told.name = waiting.name;
  world_.told_of_call(std::move(told));
}

void CallHost::answered(uint64_t token, const wire::StreamName& from,
                        std::span<const uint8_t> bytes) {
  CallTold told = entry(CallTold::What::kAnswer, life_, token);
  told.from = world_.life_called(from);
  told.content = bytes.size() == 8 ? base::load_be64(bytes.data()) : 0;
  world_.told_of_call(std::move(told));
}

void CallHost::ended(uint64_t token, const group::Outcome& outcome) {
  CallTold told = entry(CallTold::What::kEnded, life_, token);
  told.outcome = static_cast<uint8_t>(outcome.what);
  told.delivered = static_cast<uint8_t>(outcome.delivered);
  told.epoch = outcome.epoch;
  told.index = outcome.index;
  for (const group::Asked& each : outcome.asked) {
    told.fates.push_back({world_.life_called(each.member), static_cast<uint8_t>(each.fate)});
  }
  world_.told_of_call(std::move(told));
}

}  // namespace lambdacast::sim
