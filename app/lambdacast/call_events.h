// SPDX-License-Identifier: BSD-3-Clause
// News of a call from the console: an answer to it, or its end.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "group/handlers.h"
#include "lambdacast/call.h"
#include "lambdacast/names.h"
#include "wire/control/view_control.h"

namespace lambdacast::appliance {

struct CallNews {
  static constexpr size_t kTextBytes = 1024;

  std::array<char, kMaxGroupNameBytes + 1> group{};  // which was called
  // Without it: an answer.
  std::optional<Outcome::What> ended;
  Outcome::Delivered delivered = Outcome::Delivered::kUnknown;
  uint64_t epoch = 0;
  uint64_t index = 0;
  size_t asked_count = 0;
  std::array<Asked, wire::kMaxMembers> asked;
  // An answer, of which `text` has the first kTextBytes at most.
  wire::StreamName from;
  size_t bytes = 0;
  std::array<uint8_t, kTextBytes> text;

  void take(const Outcome& outcome) {
    ended = outcome.what;
    delivered = outcome.delivered;
    epoch = outcome.epoch;
    index = outcome.index;
    asked_count = std::min(outcome.asked.size(), asked.size());
    std::copy_n(outcome.asked.begin(), asked_count, asked.begin());
  }
  void take(const wire::StreamName& member, std::span<const uint8_t> answer) {
    from = member;
    bytes = answer.size();
    std::copy_n(answer.begin(), std::min(bytes, kTextBytes), text.begin());
  }
};

// A line, with its newline.
[[nodiscard]] std::string sentence(const std::string& endpoint, const CallNews& news);

}  // namespace lambdacast::appliance
