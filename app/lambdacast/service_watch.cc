// SPDX-License-Identifier: BSD-3-Clause
#include "service_watch.h"

#include <fmt/format.h>

#include <algorithm>

namespace lambdacast::appliance {

ServiceWatch::ServiceWatch(rack::Rack& rack) : rack_(rack), loops_(rack.loops().size()) {}

void ServiceWatch::look(uint64_t now_ns) {
  if (!notify_.listens()) return;
  if (!ready_ && is_ready()) {
    ready_ = true;
    notify_.ready();
  }
  if (now_ns >= next_status_ns_) {
    next_status_ns_ = now_ns + 1'000'000'000;
    if (std::string line = status(); line != said_) {
      notify_.status(line);
      said_ = std::move(line);
    }
  }
  const auto period_ns = notify_.watchdog_period_ns();
  if (!period_ns || now_ns < next_alive_ns_ || !lcores_move()) return;
  next_alive_ns_ = now_ns + *period_ns;
  notify_.alive();
}

bool ServiceWatch::is_ready() const {
  for (size_t i = 0; i < rack_.size(); ++i) {
    const rack::Endpoint& endpoint = rack_.endpoint(i);
    if (!endpoint.port().link_up()) return false;
    if (endpoint.config().membership.enabled && endpoint.view_members() == 0) return false;
  }
  return true;
}

std::string ServiceWatch::status() const {
  size_t down = 0;
  size_t waiting = 0;
  size_t members = 0;
  for (size_t i = 0; i < rack_.size(); ++i) {
    const rack::Endpoint& endpoint = rack_.endpoint(i);
    down += endpoint.port().link_up() ? 0 : 1;
    if (!endpoint.config().membership.enabled) continue;
    waiting += endpoint.view_members() == 0 ? 1 : 0;
    members = std::max(members, endpoint.view_members());
  }
  std::string line = fmt::format("{} endpoints", rack_.size());
  if (down != 0) line += fmt::format(", {} links down", down);
  if (waiting != 0) line += fmt::format(", {} in no view", waiting);
  if (members != 0) line += fmt::format(", view of {} members", members);
  return line;
}

bool ServiceWatch::lcores_move() {
  std::vector<uint64_t> now;
  for (const auto& loop : rack_.loops()) now.push_back(loop->duty().loops.get());
  const bool all = std::equal(now.begin(), now.end(), loops_.begin(),
                              [](uint64_t is, uint64_t was) { return is != was; });
  if (all) loops_ = std::move(now);
  return all;
}

}  // namespace lambdacast::appliance
