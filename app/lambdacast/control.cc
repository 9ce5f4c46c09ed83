// SPDX-License-Identifier: BSD-3-Clause
#include "control.h"

#include <fmt/format.h>

#include <cstdlib>

#include "base/plain_text.h"
#include "drivers/net/odbss/odbss_control.h"
#include "wire/control/group_message.h"
#include "wire/roce/gid.h"

namespace lambdacast::appliance {
const std::string& Control::name(size_t endpoint) { return rack_.endpoint(endpoint).config().name; }

dpdk::LcoreLoop& Control::loop_of(size_t endpoint) {
  return rack_.loop(rack_.endpoint(endpoint).config().stages.ordering);
}

void Control::set_rate_pps(size_t endpoint, uint64_t rate_pps) {
  const uint64_t now_ns = rack_.clock().now_ns();
  loop_of(endpoint).run_here([&] { applications_[endpoint]->set_rate_pps(rate_pps, now_ns); });
}

base::Result<uint32_t> Control::number_of(size_t endpoint, const std::string& group) {
  if (group.front() >= '0' && group.front() <= '9')
    return static_cast<uint32_t>(std::strtoul(group.c_str(), nullptr, 10));
  if (!wire::valid_group_name(group)) {
    return base::fail(fmt::format("{}: group {}: {}", name(endpoint), base::shown(group),
                                  text(group::Result::kBadName)));
  }
  std::optional<uint32_t> number;
  loop_of(endpoint).run_here([&] {
    const dpdk::Groups* const groups = rack_.endpoint(endpoint).named_groups();
    if (groups != nullptr) number = groups->layer().number_of(group);
  });
  if (number) return *number;
  return base::fail(
      fmt::format("{}: no group {} is known; join {} makes it so", name(endpoint), group, group));
}

// Groups with names are totally ordered from here, the others as they have always been.
base::Result<void> Control::send(size_t endpoint, const std::string& group, std::string_view text) {
  const auto number = number_of(endpoint, group);
  if (!number) return tl::unexpected(number.error());
  const bool named = *number >= wire::kFirstNamedGroup;
  const size_t most =
      std::min(Note::kTextBytes, rack_.endpoint(endpoint).publisher().max_message_bytes());
  if (text.size() > most) {
    return base::fail(fmt::format("TEXT: {} bytes are too long; allowed: {}", text.size(), most));
  }
  if (applications_[endpoint]->send_note(
          *number, named ? wire::Qos::kTotallyOrdered : wire::Qos::kUnreliable, text)) {
    return {};
  }
  return base::fail(name(endpoint) + " has not sent the last messages yet; try again later");
}

template <typename Change>
base::Result<void> Control::change(size_t endpoint, const std::string& group, Change&& what) {
  if (rack_.endpoint(endpoint).named_groups() == nullptr) {
    return base::fail(name(endpoint) +
                      " takes part in no groups with names: enabled = true in its "
                      "[endpoint.membership] lets it");
  }
  group::Result result = group::Result::kOk;
  loop_of(endpoint).run_here([&] { result = what(*applications_[endpoint]); });
  return outcome(endpoint, group, result);
}

base::Result<void> Control::outcome(size_t endpoint, const std::string& group,
                                    group::Result result) {
  if (result == group::Result::kOk) return {};
  return base::fail(
      fmt::format("{}: group {}: {}", name(endpoint), base::shown(group), text(result)));
}

base::Result<void> Control::join(size_t endpoint, const std::string& group) {
  return change(endpoint, group, [&](Traffic& traffic) { return traffic.join(group); });
}

base::Result<void> Control::leave(size_t endpoint, const std::string& group) {
  return change(endpoint, group, [&](Traffic& traffic) { return traffic.leave(group); });
}

base::Result<void> Control::acquire(size_t endpoint, const std::string& group, uint32_t handler) {
  return change(endpoint, group, [&](Traffic& traffic) { return traffic.acquire(group, handler); });
}

base::Result<void> Control::release(size_t endpoint, const std::string& group, uint32_t handler) {
  return change(endpoint, group, [&](Traffic& traffic) { return traffic.release(group, handler); });
}

base::Result<void> Control::call(size_t endpoint, const std::string& group,
                                 std::optional<uint32_t> handler, std::string_view text) {
  group::Result result = group::Result::kOk;
  loop_of(endpoint).run_here(
      [&] { result = applications_[endpoint]->calls().call(group, text, handler); });
  return outcome(endpoint, group, result);
}

base::Result<void> Control::listen(size_t endpoint, const std::string& which) {
  const auto number = number_of(endpoint, which);
  if (!number) return tl::unexpected(number.error());
  const uint32_t group = *number;
  bool was_member = true;
  bool is_member = true;
  bool listens = false;
  loop_of(endpoint).run_here([&] {
    rack::Endpoint& groups = rack_.endpoint(endpoint);
    was_member = groups.subscribed(group);
    // One with a name is joined, or not.
    is_member = was_member || (group < wire::kFirstNamedGroup && groups.subscribe(group));
    listens = is_member && applications_[endpoint]->listen(group);
  });
  if (!was_member && is_member) joined_.emplace_back(endpoint, group);
  if (listens) return {};
  if (!is_member && group >= wire::kFirstNamedGroup)
    return base::fail(
        fmt::format("{} is not in group {}; join {} lets it", name(endpoint), which, which));
  return base::fail(name(endpoint) + " listens to as many groups as it can; listen off ends it");
}

void Control::listen_off() {
  for (size_t i = 0; i < applications_.size(); ++i) {
    loop_of(i).run_here([&] {
      applications_[i]->listen_off();
      for (const auto& [endpoint, group] : joined_) {
        if (endpoint == i) rack_.endpoint(i).unsubscribe(group);
      }
    });
  }
  joined_.clear();
}

base::Result<fabric::FaultRates> Control::faults(size_t endpoint) {
  return odbss::faults(rack_.endpoint(endpoint).port().id());
}

base::Result<void> Control::set_faults(size_t endpoint, const fabric::FaultRates& rates) {
  return odbss::set_faults(rack_.endpoint(endpoint).port().id(), rates);
}

base::Result<void> Control::set_line_rate_bps(size_t endpoint, uint64_t rate_bps) {
  return odbss::set_line_rate_bps(rack_.endpoint(endpoint).port().id(), rate_bps);
}

void Control::set_rates(size_t endpoint, const rate_control::RateConfig& rates) {
  rack::Endpoint& of = rack_.endpoint(endpoint);
  config::Endpoint config = of.config();
  config.rate = rates;
  if (config.wavelength) {
    if (const auto now = faults(endpoint)) config.faults = *now;
  }
  const rate_control::RateConfig derived = of.rates_of(config);
  rack_.loop(config.stages.rate_control).run_here([&] { of.node().rates().set(derived); });
}

base::Result<void> Control::set_group_rate(size_t endpoint, const rate_control::GroupRate& rate) {
  bool room = true;
  const uint64_t now_ns = rack_.clock().now_ns();
  loop_of(endpoint).run_here(
      [&] { room = rack_.endpoint(endpoint).publisher().limit_group(rate, now_ns); });
  if (room) return {};
  return base::fail(fmt::format("{}: {} groups have a limit; allowed: no more than that",
                                name(endpoint), rate_control::GroupLimits::kMost));
}

std::string Control::heard() {
  std::string text;
  uint64_t unheard = 0;
  for (size_t i = 0; i < applications_.size(); ++i) {
    while (const Note* note = applications_[i]->heard()) {
      const std::string more =
          note->bytes > Note::kTextBytes ? fmt::format(" ... ({} bytes)", note->bytes) : "";
      const std::string group =
          note->name[0] == 0 ? std::to_string(note->group) : base::shown(note->name.data());
      const auto shown = note->shown();
      text += fmt::format(
          "{}: group {} from {}: {}{}\n", name(i), group, wire::format(note->from.gid),
          base::shown({reinterpret_cast<const char*>(shown.data()), shown.size()}), more);
      applications_[i]->pop_heard();
    }
    unheard += applications_[i]->unheard();
  }
  if (unheard != unheard_) {
    text += fmt::format("{} more messages, too fast to be shown\n", unheard - unheard_);
    unheard_ = unheard;
  }
  return text;
}

}  // namespace lambdacast::appliance
