// SPDX-License-Identifier: BSD-3-Clause
#include "call_events.h"

#include <fmt/format.h>

#include "base/plain_text.h"
#include "wire/roce/gid.h"

namespace lambdacast::appliance {
namespace {

std::string answer(const CallNews& news) {
  const size_t shown = std::min(news.bytes, CallNews::kTextBytes);
  const std::string more = news.bytes > shown ? fmt::format(" ... ({} bytes)", news.bytes) : "";
  return fmt::format("{} answers: {}{}", wire::format(news.from.gid),
                     base::shown({reinterpret_cast<const char*>(news.text.data()), shown}), more);
}

std::string delivered(const CallNews& news) {
  switch (news.delivered) {
    case Outcome::Delivered::kYes:
      return fmt::format("delivered at {}.{}", news.epoch, news.index);
    case Outcome::Delivered::kNo:
      return "never delivered";
    case Outcome::Delivered::kUnknown:
      break;
  }
  return "perhaps delivered";
}

std::string fate(Asked::Fate fate) {
  switch (fate) {
    case Asked::Fate::kAnswered:
      return "has answered";
    case Asked::Fate::kDeclined:
      return "has declined";
    case Asked::Fate::kDeparted:
      return "has departed";
    case Asked::Fate::kForgotten:
      return "keeps no answer";
    case Asked::Fate::kSilent:
      break;
  }
  return "has not answered";
}

// Whoever has answered was told with the answer.
std::string others(const CallNews& news) {
  std::string text;
  for (size_t i = 0; i < news.asked_count; ++i) {
    const Asked& asked = news.asked[i];
    if (asked.fate == Asked::Fate::kAnswered) continue;
    text += fmt::format("{}{} {}", text.empty() ? "; " : ", ", wire::format(asked.member.gid),
                        fate(asked.fate));
  }
  return text;
}

}  // namespace

std::string sentence(const std::string& endpoint, const CallNews& news) {
  const std::string what =
      news.ended ? fmt::format("{}; {}{}", text(*news.ended), delivered(news), others(news))
                 : answer(news);
  return fmt::format("{}: call to group {}: {}\n", endpoint, base::shown(news.group.data()), what);
}

}  // namespace lambdacast::appliance
