#include "dataplane/rack_account.h"

#include <algorithm>

namespace lambdacast::dataplane {
namespace {

uint64_t arrived(const RackAccount& account) {
  uint64_t sum = 0;
  for (const ReceiverAccount& receiver : account.receivers) {
    sum += receiver.delivered + receiver.duplicates + receiver.lost();
  }
  return sum;
}

}  // namespace

bool RackAccount::at_rest() const {
  return std::all_of(receivers.begin(), receivers.end(),
                     [](const ReceiverAccount& r) { return r.balanced(); }) &&
         std::all_of(stages.begin(), stages.end(),
                     [](const EndpointSnapshot& s) { return s.pending == 0; });
}

RackAccount account_of(Rack& rack) {
  RackAccount account;
  for (size_t i = 0; i < rack.size(); ++i) {
    account.stages.push_back(rack.snapshot(i));
    account.ports.push_back(rack.endpoint(i).port().statistics());
    account.transmitters.push_back(account_of_transmitter(account.stages[i], account.ports[i]));
    account.receivers.push_back(account_of_receiver(account.stages[i], account.ports[i]));
  }
  for (size_t i = 0; i < rack.size(); ++i) {
    uint64_t never_sent = 0;
    for (size_t peer = 0; peer < rack.size(); ++peer) {
      if (peer == i) continue;
      account.receivers[i].expected += account.transmitters[peer].numbered;
      never_sent += account.transmitters[peer].lost();
    }
    if (never_sent != 0) account.receivers[i].losses["transmitter"] = never_sent;
  }
  account.now_ns = rack.clock().now_ns();
  return account;
}

RackAccount settle(Rack& rack, StopSignal& stop) {
  constexpr int kQuietLooks = 50;
  constexpr uint64_t kLookEveryMs = 10;
  RackAccount account = account_of(rack);
  for (int quiet = 0; quiet < kQuietLooks && !account.at_rest();) {
    (void)stop.wait_ms(kLookEveryMs);
    RackAccount next = account_of(rack);
    quiet = arrived(next) == arrived(account) ? quiet + 1 : 0;
    account = std::move(next);
  }
  return account;
}

}  // namespace lambdacast::dataplane
