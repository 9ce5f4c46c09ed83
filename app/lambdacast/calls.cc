// SPDX-License-Identifier: BSD-3-Clause
#include "calls.h"

namespace lambdacast::appliance {

group::Result Calls::call(std::string_view group, std::string_view text,
                          std::optional<uint32_t> handler) {
  group::CallOptions options;
  options.want = handler ? Want::kHolder : Want::kAnswers;
  options.handler = handler.value_or(0);
  const uint64_t token = ++made_;
  under_way_[token] = group;
  const std::span message(reinterpret_cast<const uint8_t*>(text.data()), text.size());
  dpdk::Groups* const groups = endpoint_.named_groups();
  const group::Result result = groups != nullptr
                                   ? groups->call(group, message, options, this, token)
                                   : endpoint_.caller()->call(group, message, options, this, token);
  if (result != group::Result::kOk) under_way_.erase(token);
  return result;
}

void Calls::answer(const group::Request& request, std::span<const uint8_t> message) {
  if (!request.answers || (owed_.empty() && give(request.ticket, message))) return;
  owed_.emplace_back(request.ticket, std::vector<uint8_t>(message.begin(), message.end()));
}

uint32_t Calls::poll() {
  uint32_t given = 0;
  while (!owed_.empty() && give(owed_.front().first, owed_.front().second)) {
    owed_.pop_front();
    ++given;
  }
  return given;
}

bool Calls::give(uint64_t ticket, std::span<const uint8_t> message) {
  dpdk::Groups& groups = *endpoint_.named_groups();
  const group::Result result = groups.answer(ticket, message);
  if (result == group::Result::kTooLong) (void)groups.decline(ticket);
  return result != group::Result::kAgain;
}

CallNews* Calls::begin(uint64_t token) {
  CallNews* const news = news_.begin();
  const auto found = under_way_.find(token);
  if (news == nullptr || found == under_way_.end()) return nullptr;
  *news = CallNews{};
  std::copy(found->second.begin(), found->second.end(), news->group.begin());
  return news;
}

void Calls::answered(uint64_t token, const wire::StreamName& from,
                     std::span<const uint8_t> answer) {
  CallNews* const news = begin(token);
  if (news == nullptr) return;
  news->take(from, answer);
  news_.push();
}

void Calls::ended(uint64_t token, const Outcome& outcome) {
  if (CallNews* const news = begin(token)) {
    news->take(outcome);
    news_.push();
  }
  under_way_.erase(token);
}

}  // namespace lambdacast::appliance
