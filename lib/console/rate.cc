// SPDX-License-Identifier: BSD-3-Clause
#include "console/rate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>

#include "console/endpoint_choice.h"
#include "console/number.h"

namespace lambdacast::console {
namespace {

using rate_control::Policy;
using rate_control::RateConfig;

struct Kind {
  const char* name;
  uint64_t RateConfig::*bps;
};
constexpr std::array kKinds = {Kind{"need", &RateConfig::need_bps},
                               Kind{"limit", &RateConfig::limit_bps},
                               Kind{"capacity", &RateConfig::capacity_bps}};
constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();

// The configuration decides which values an endpoint takes.
base::Result<void> change(LiveConfig& live, size_t endpoint, const Kind& kind, uint64_t bps) {
  config::Endpoint changed = live.config().endpoints[endpoint];
  const Policy policy = config::rate_policy(changed);
  if (kind.bps == &RateConfig::need_bps && policy != Policy::kFair) {
    return base::fail(
        fmt::format("{}: its policy is {}, which has no need", changed.name, config::name(policy)));
  }
  changed.rate.*(kind.bps) = bps;
  if (auto checked = config::check_rates(changed); !checked) return checked;
  live.set_rates(endpoint, changed.rate);
  return {};
}

Command set_rate(LiveConfig& live) {
  std::vector<std::string> names;
  for (const Kind& kind : kKinds) names.emplace_back(kind.name);
  return {{fixed("set"), fixed("rate"), choice("WHAT", names), any("BITS"),
           endpoint_word(live.config())},
          1,
          "What endpoints need, send at most and can receive, in bits a second; need auto: as "
          "measured.",
          [&live](const Arguments& arguments) -> Answer {
            const auto* kind = std::find_if(kKinds.begin(), kKinds.end(), [&](const Kind& each) {
              return each.name == arguments[2];
            });
            const bool measured = kind->bps == &RateConfig::need_bps && arguments[3] == "auto";
            const auto bps = parse_whole(measured ? "0" : arguments[3], "BITS", 0, kMost);
            if (!bps) return tl::unexpected(bps.error());
            for (const size_t i : chosen(live.config(), arguments, 4)) {
              if (auto set = change(live, i, *kind, *bps); !set) return tl::unexpected(set.error());
            }
            return std::string();
          }};
}

Command set_group_rate(LiveConfig& live) {
  return {{fixed("set"), fixed("rate"), fixed("group"), number("GROUP"), any("BITS"),
           endpoint_word(live.config())},
          1,
          "What endpoints publish to a group at most, in bits a second; 0: no limit of its own.",
          [&live](const Arguments& arguments) -> Answer {
            const auto group = parse_whole(arguments[3], "GROUP", 1, 0xffffffff);
            if (!group) return tl::unexpected(group.error());
            const auto bps = parse_whole(arguments[4], "BITS", 0, kMost);
            if (!bps) return tl::unexpected(bps.error());
            const rate_control::GroupRate rate{static_cast<uint32_t>(*group), *bps};
            for (const size_t i : chosen(live.config(), arguments, 5)) {
              if (auto checked = config::check_group_rate(rate); !checked)
                return tl::unexpected(checked.error());
              if (auto set = live.set_group_rate(i, rate); !set) return tl::unexpected(set.error());
            }
            return std::string();
          }};
}

}  // namespace

std::vector<Command> rate_commands(LiveConfig& live) {
  return {set_rate(live), set_group_rate(live)};
}

}  // namespace lambdacast::console
