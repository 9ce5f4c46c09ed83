#include "events.h"

#include <fmt/format.h>

#include <map>
#include <tuple>

#include "console/text.h"

namespace lambdacast::app {
namespace {

using reliability::ReceiverEvent;

std::string address_of(dataplane::Endpoint& endpoint, uint16_t peer) {
  return wire::format(endpoint.receive().peers().at(peer).gid);
}

// Nothing for what is no trouble.
std::string sentence(dataplane::Endpoint& endpoint, const ReceiverEvent& event) {
  const config::Reliability& limits = endpoint.config().reliability;
  std::string what;
  switch (event.what) {
    case ReceiverEvent::What::kJoined:
    case ReceiverEvent::What::kLeft:
      return {};
    case ReceiverEvent::What::kEvictedLag:
      what = fmt::format("cut off: it held the window back for longer than evict_lag_ms, {} ms",
                         limits.evict_lag_ms);
      break;
    case ReceiverEvent::What::kEvictedSilent:
      what = fmt::format("cut off: silent for suspect_after_ms, {} ms", limits.suspect_after_ms);
      break;
    case ReceiverEvent::What::kRestarted:
      what = "has restarted";
      break;
  }
  return fmt::format("{}: receiver {} {}; it has all up to packet {}\n", endpoint.config().name,
                     address_of(endpoint, event.peer), what, event.position);
}

struct Lost {
  uint64_t packets = 0;
  uint64_t first = 0;
};

}  // namespace

std::string take_events(dataplane::Rack& rack) {
  std::string text;
  for (size_t i = 0; i < rack.size(); ++i) {
    dataplane::Endpoint& endpoint = rack.endpoint(i);
    std::map<std::tuple<uint16_t, reliability::LossReason>, Lost> lost;
    endpoint.take_events([&](const ReceiverEvent& event) { text += sentence(endpoint, event); },
                         [&](const endpoint::GapEvent& gap) {
                           if (gap.count == 0) {
                             text +=
                                 fmt::format("{}: cut off by {} behind packet {}; joins it again\n",
                                             endpoint.config().name, address_of(endpoint, gap.peer),
                                             gap.first_rel_seq - 1);
                             return;
                           }
                           Lost& sum = lost[{gap.peer, gap.reason}];
                           if (sum.packets == 0) sum.first = gap.first_rel_seq;
                           sum.packets += gap.count;
                         });
    for (const auto& [whose, sum] : lost) {
      const auto& [peer, reason] = whose;
      text += fmt::format("{}: {} packets of {} declared lost here, from packet {} on: {}\n",
                          endpoint.config().name, console::with_separators(sum.packets),
                          address_of(endpoint, peer), sum.first, name(reason));
    }
  }
  return text;
}

}  // namespace lambdacast::app
