// SPDX-License-Identifier: BSD-3-Clause
// The console's calls to groups, and the answers of the built-in application to those of others:
// each request is answered with its own text.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/mailbox.h"
#include "call_events.h"
#include "rack/endpoint.h"

namespace lambdacast::appliance {

class Calls final : private group::CallHandler {
 public:
  // The endpoint outlives it.
  explicit Calls(rack::Endpoint& endpoint) : endpoint_(endpoint) {}

  // These come on the application's lcore; answers with membership alone.
  // Asks the holder of the lock, or without one all members that have the group's state.
  [[nodiscard]] group::Result call(std::string_view group, std::string_view text,
                                   std::optional<uint32_t> handler);
  void answer(const group::Request& request, std::span<const uint8_t> message);
  // Gives the answers for which there was no room. Returns how many.
  uint32_t poll();

  // One control thread: of its calls.
  [[nodiscard]] const CallNews* news() { return news_.front(); }
  void pop_news() { news_.pop(); }

 private:
  using Answer = std::pair<uint64_t, std::vector<uint8_t>>;  // by ticket

  void answered(uint64_t token, const wire::StreamName& from,
                std::span<const uint8_t> answer) override;
  void ended(uint64_t token, const Outcome& outcome) override;
  // Null: whoever reads them is far behind; `show requests` tells.
  [[nodiscard]] CallNews* begin(uint64_t token);
  // False: there is no room.
  bool give(uint64_t ticket, std::span<const uint8_t> message);

  rack::Endpoint& endpoint_;
  uint64_t made_ = 0;
  std::map<uint64_t, std::string> under_way_;  // groups that are called, by token
  std::deque<Answer> owed_;
  base::Mailbox<CallNews, 64> news_;
};

}  // namespace lambdacast::appliance
