// SPDX-License-Identifier: BSD-3-Clause
#include "events.h"

#include <fmt/format.h>

#include <map>
#include <tuple>
#include <utility>

#include "base/plain_text.h"
#include "call_events.h"
#include "console/text.h"
#include "doubles.h"
#include "places.h"
#include "rate_events.h"
#include "standing.h"
#include "versions.h"

namespace lambdacast::appliance {
namespace {

using reliability::ReceiverEvent;

constexpr uint64_t kNsPerMs = 1'000'000;

std::string address_of(rack::Endpoint& endpoint, uint16_t peer) {
  return wire::format(endpoint.peers().name_of(peer).gid);
}

// Nothing for what is no trouble.
std::string sentence(rack::Endpoint& endpoint, const ReceiverEvent& event) {
  const reliability::ReliabilityConfig& limits = endpoint.config().reliability;
  std::string what;
  switch (event.what) {
    case ReceiverEvent::What::kJoined:
    case ReceiverEvent::What::kLeft:
      return {};
    case ReceiverEvent::What::kEvictedLag:
      what = fmt::format("cut off: it held the window back for longer than evict_lag_ms, {} ms",
                         limits.evict_lag_ns / kNsPerMs);
      break;
    case ReceiverEvent::What::kEvictedSilent:
      what = fmt::format("cut off: silent for suspect_after_ms, {} ms",
                         limits.suspect_after_ns / kNsPerMs);
      break;
    case ReceiverEvent::What::kOnTrial:
      what = "is on trial: it lagged again soon, so nobody waits for it until it keeps up";
      break;
    case ReceiverEvent::What::kRefused:
      return fmt::format(
          "{}: receiver {} is refused: packets of this stream are longer than its path_mtu; here "
          "it "
          "is {} bytes\n",
          endpoint.config().name, address_of(endpoint, event.peer), endpoint.config().path_mtu);
    case ReceiverEvent::What::kRestarted:
      what = "has restarted";
      break;
  }
  return fmt::format("{}: receiver {} {}; it has all up to packet {}\n", endpoint.config().name,
                     address_of(endpoint, event.peer), what, event.position);
}

std::string refusal(rack::Endpoint& endpoint, const node::GapEvent& gap) {
  return fmt::format(
      "{}: refused by {}: its packets are longer than path_mtu here, {} bytes; there it is {}\n",
      endpoint.config().name, address_of(endpoint, gap.peer), endpoint.config().path_mtu,
      gap.path_mtu);
}

std::string sentence(const std::string& endpoint, const ViewNews& news) {
  using What = node::ViewEvent::What;
  const std::string view = fmt::format("view {}.{}", news.id.epoch, news.id.round);
  if (news.what == What::kExcluded) {
    return fmt::format(
        "{}: excluded from {}: this incarnation of it takes part in no view any more; "
        "started again it joins as another\n",
        endpoint, view);
  }
  if (news.what == What::kLeft) return fmt::format("{}: has left {}\n", endpoint, view);
  std::string members;
  for (size_t rank = 0; rank < news.members; ++rank)
    members += (rank == 0 ? "" : ", ") + wire::format(news.member[rank].gid);
  return fmt::format("{}: {} begins, members {}: {}\n", endpoint, view, news.members, members);
}

std::string sentence(const group::HandlerEvent& event) {
  using What = group::HandlerEvent::What;
  const std::string lock = fmt::format("lock {}", event.handler);
  const std::string holder = wire::format(event.holder.gid);
  const std::string token = fmt::format("{}.{}", event.token.epoch, event.token.place);
  switch (event.what) {
    case What::kGranted:
      return fmt::format("{} is {}'s, token {}", lock, holder, token);
    case What::kMoved:
      return fmt::format("{} has moved to {}, token {}", lock, holder, token);
    case What::kFreed:
      return fmt::format("{} is free", lock);
    case What::kQueued:
      return fmt::format("{}: waiting for it", lock);
    case What::kRefused:
      break;
  }
  return fmt::format("{}: refused", lock);
}

std::string sentence(const std::string& endpoint, const GroupNews& news) {
  const std::string group = fmt::format("{}: group {}", endpoint, base::shown(news.name.data()));
  if (news.end) return fmt::format("{}: out of it: {}\n", group, text(*news.end));
  if (news.lock) return fmt::format("{}: {}\n", group, sentence(*news.lock));
  if (news.state_lost)
    return fmt::format("{}: nobody has its state any more: it begins anew\n", group);
  std::string members;
  for (size_t i = 0; i < news.members; ++i)
    members += (i == 0 ? "" : ", ") + wire::format(news.member[i].gid);
  return fmt::format("{}: members {}: {}\n", group, news.members, members);
}

std::string rate_peer(rack::Endpoint& endpoint, const node::RateEvent& event) {
  return event.peer == node::RateEvent::kSelf ? "" : address_of(endpoint, event.peer);
}

std::string rejoin_sentence(rack::Endpoint& endpoint, const node::GapEvent& gap) {
  return fmt::format("{}: cut off by {} behind packet {}; joins it again\n", endpoint.config().name,
                     address_of(endpoint, gap.peer), gap.first_rel_seq - 1);
}

struct Lost {
  uint64_t packets = 0;
  uint64_t first = 0;
};

}  // namespace

Events take_events(rack::Rack& rack, const std::vector<Traffic*>& applications) {
  Events events;
  for (size_t i = 0; i < rack.size(); ++i) {
    rack::Endpoint& endpoint = rack.endpoint(i);
    const std::string& name = endpoint.config().name;
    const auto tell = [&](const char* kind, std::string line) {
      if (!line.empty()) events.news.push_back({kind, name, std::move(line)});
    };
    while (const auto stranger = endpoint.take_version())
      tell("version", sentence(name, *stranger));
    while (const auto pair = endpoint.take_double()) {
      const std::string said = sentence(name, *pair);
      if (pair->lost) events.gave_way = said;
      tell("double", said + "\n");
    }
    while (const auto place = endpoint.take_place())
      tell("place", sentence(name, *place, endpoint.config().max_peers) + "\n");
    while (const auto rate = endpoint.take_rate())
      tell("rate", sentence(name, rate_peer(endpoint, *rate), *rate) + "\n");
    while (const auto standing = endpoint.take_standing())
      tell("standing", sentence(name, *standing));
    while (const ViewNews* news = applications[i]->view_news()) {
      tell("view", sentence(name, *news));
      if (news->what == node::ViewEvent::What::kExcluded) ++events.exclusions;
      applications[i]->pop_view_news();
    }
    while (const GroupNews* news = applications[i]->group_news()) {
      tell("group", sentence(name, *news));
      applications[i]->pop_group_news();
    }
    while (const CallNews* news = applications[i]->calls().news()) {
      tell("call", sentence(name, *news));
      applications[i]->calls().pop_news();
    }
    std::map<std::tuple<uint16_t, reliability::LossReason>, Lost> lost;
    endpoint.take_events(
        [&](const ReceiverEvent& event) { tell("receiver", sentence(endpoint, event)); },
        [&](const node::GapEvent& gap) {
          if (gap.path_mtu != 0) return tell("receiver", refusal(endpoint, gap));
          if (gap.count == 0) return tell("receiver", rejoin_sentence(endpoint, gap));
          Lost& sum = lost[{gap.peer, gap.reason}];
          if (sum.packets == 0) sum.first = gap.first_rel_seq;
          sum.packets += gap.count;
        });
    for (const auto& [whose, sum] : lost) {
      const auto& [peer, reason] = whose;
      tell("lost", fmt::format("{}: {} packets of {} declared lost here, from packet {} on: {}\n",
                               name, console::with_separators(sum.packets),
                               address_of(endpoint, peer), sum.first, reliability::name(reason)));
    }
  }
  return events;
}

}  // namespace lambdacast::appliance
