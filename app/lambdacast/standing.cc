// SPDX-License-Identifier: BSD-3-Clause
#include "standing.h"

#include <fmt/format.h>

#include "wire/roce/gid.h"

namespace lambdacast::appliance {
namespace {

using What = membership::Standing::What;

// "10.77.0.2 (its life has ended), 10.77.0.3 (silent)"
std::string missing_of(const node::StandingEvent& event) {
  std::string text;
  for (size_t i = 0; i < event.missing; ++i) {
    text += fmt::format("{}{} ({})", i == 0 ? "" : ", ", wire::format(event.name[i].gid),
                        event.over[i] ? "that life of it has ended" : "silent");
  }
  return text;
}

std::string first_view(const membership::Standing& standing) {
  if (standing.here >= standing.needed) {
    return fmt::format("no first view yet: {} nodes are here, and not each hears all others",
                       standing.here);
  }
  return fmt::format(
      "no first view yet: {} of the {} nodes that it takes are here; it begins when {} more "
      "are started, or everywhere with lower initial_nodes and minimum_partition",
      standing.here, standing.needed, standing.needed - standing.here);
}

std::string no_quorum(const node::StandingEvent& event, const std::string& view) {
  const membership::Standing& standing = event.standing;
  if (event.missing == 0)
    return fmt::format("no view follows {}: its members are heard, and do not agree", view);
  return fmt::format(
      "no view can follow {}: {} of its members here, and it takes {}; missing: {}. It goes on "
      "when enough of them are heard again; where their lives have ended, start them again, and "
      "with --rejoin all begin anew",
      view, standing.here, standing.needed, missing_of(event));
}

}  // namespace

std::string sentence(std::string_view endpoint, const node::StandingEvent& event) {
  const membership::Standing& standing = event.standing;
  const std::string view = fmt::format("view {}.{}", standing.view.epoch, standing.view.round);
  constexpr std::string_view kMeanwhile = "; what needs no view goes on";
  switch (standing.what) {
    case What::kClear:
      return {};
    case What::kFirstView:
      return fmt::format("{}: {}{}\n", endpoint, first_view(standing), kMeanwhile);
    case What::kOthers:
      return fmt::format(
          "{}: not taken into {} of others: {} of its members are heard here, and it takes {} to "
          "let anybody in; it goes on when more of them are heard, or are started again{}\n",
          endpoint, view, standing.here, standing.needed, kMeanwhile);
    case What::kNoQuorum:
      return fmt::format("{}: {}{}\n", endpoint, no_quorum(event, view), kMeanwhile);
    case What::kOrder:
      return fmt::format(
          "{}: {} orders otherwise, and shares no view with this node: membership.order, "
          "order_domains and names have to be the same at every node{}\n",
          endpoint, wire::format(standing.other.gid), kMeanwhile);
    case What::kOver:
      return fmt::format("{}: {} is over for good, its other lives are too few: {}\n", endpoint,
                         view, missing_of(event));
  }
  return {};
}

}  // namespace lambdacast::appliance
