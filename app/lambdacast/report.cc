// SPDX-License-Identifier: BSD-3-Clause
#include "report.h"

#include <fmt/format.h>

#include <algorithm>

#include "console/text.h"
#include "wdm/channel.h"

namespace lambdacast::appliance {
namespace {

using console::with_separators;

std::string where(const rack::Endpoint& endpoint) {
  const auto& wavelength = endpoint.config().wavelength;
  return wavelength ? wdm::channel_name(*wavelength) : endpoint.port().name();
}

uint64_t per_second(uint64_t now, uint64_t before, uint64_t elapsed_ns) {
  return elapsed_ns == 0 ? 0
                         : static_cast<uint64_t>(static_cast<double>(now - before) * 1e9 /
                                                 static_cast<double>(elapsed_ns));
}

// Without what the network did not bring: of that, some may still be on its way.
uint64_t lost_so_far(const rack::ReceiverAccount& receiver) {
  const auto network = receiver.losses.find("network");
  return receiver.lost() - (network == receiver.losses.end() ? 0 : network->second);
}

// Empty: none.
std::string sentence(const Trouble& trouble) {
  std::string text;
  const auto add = [&](uint64_t count, const char* what) {
    if (count == 0) return;
    text +=
        fmt::format("{}{} {}", text.empty() ? "  trouble: " : ", ", with_separators(count), what);
  };
  add(trouble.declared_lost, "packets declared lost");
  add(trouble.evicted, "receivers cut off");
  add(trouble.evictions, "times cut off by a sender");
  add(trouble.refusals, "times refused for the path MTU, here or there");
  add(trouble.silences, "times a peer was silent for suspect_after_ms");
  add(trouble.exclusions, "times excluded from a view");
  add(trouble.out_of_order, "messages out of order");
  return text.empty() ? text : text + "\n";
}

}  // namespace

std::string table(rack::Rack& rack, const rack::RackAccount& before, const rack::RackAccount& now) {
  std::string text =
      fmt::format("{:<12} {:<8} {:>12} {:>12} {:>16} {:>16} {:>9} {:>9} {:>9}\n", "endpoint",
                  "light", "sent/s", "heard/s", "sent", "delivered", "gaps", "lost", "dup");
  const uint64_t elapsed_ns = now.now_ns - before.now_ns;
  for (size_t i = 0; i < rack.size(); ++i) {
    const auto& stages = now.stages[i];
    const auto& receiver = now.receivers[i];
    text += fmt::format(
        "{:<12} {:<8} {:>12} {:>12} {:>16} {:>16} {:>9} {:>9} {:>9}\n",
        rack.endpoint(i).config().name, where(rack.endpoint(i)),
        with_separators(
            per_second(now.ports[i].tx_packets, before.ports[i].tx_packets, elapsed_ns)),
        with_separators(per_second(receiver.delivered, before.receivers[i].delivered, elapsed_ns)),
        with_separators(now.ports[i].tx_packets), with_separators(receiver.delivered),
        with_separators(stages.reliability.sequences.gaps), with_separators(lost_so_far(receiver)),
        with_separators(receiver.duplicates));
  }
  return text;
}

std::string lcore_table(const rack::Rack& rack) {
  std::string text = fmt::format("{:<6} {:>9} {:>12} {:>14}  {}\n", "lcore", "busy", "empty polls",
                                 "longest loop", "packets a burst, by stage");
  for (const auto& loop : rack.loops()) {
    const dpdk::DutyCounters& duty = loop->duty();
    const double elapsed_ns = std::max<double>(1, static_cast<double>(rack.clock().now_ns()));
    const double loops = std::max<double>(1, static_cast<double>(duty.loops.get()));
    text += fmt::format("{:<6} {:>8.1f}% {:>11.1f}% {:>11.1f} us ", loop->id(),
                        100.0 * static_cast<double>(duty.busy_ns.get()) / elapsed_ns,
                        100.0 * static_cast<double>(duty.empty_loops.get()) / loops,
                        static_cast<double>(duty.longest_ns.load()) / 1e3);
    for (const auto& polled : loop->stages()) {
      const uint64_t bursts = polled->polls.get() - polled->empty_polls.get();
      text += fmt::format(
          " {}.{}={:.1f}", polled->endpoint, polled->stage->name(),
          bursts == 0 ? 0.0
                      : static_cast<double>(polled->packets.get()) / static_cast<double>(bursts));
    }
    text += "\n";
  }
  return text;
}

std::string reliability_report(const rack::RackAccount& state,
                               const std::vector<Traffic*>& applications) {
  uint64_t published = 0, repairs = 0, repaired = 0;
  bool any = false;
  for (const node::NodeReport& stages : state.stages) {
    const node::RateControlReport& sending = stages.rate_control;
    published += sending.retention.last - sending.first_rel_seq;
    repairs += sending.sender.repairs;
    for (const auto& peer : stages.reliability.peers) {
      any = any || (peer.receiver.open && peer.receiver.contiguous + 1 > peer.receiver.opened_at);
      repaired += peer.receiver.repaired;
    }
  }
  const Trouble trouble = trouble_of(state, applications, 0);
  if (published + repairs + repaired == 0 && !trouble.any() && !any) return {};
  uint64_t ordered = 0, disordered = 0, totally = 0, totally_wrong = 0;
  for (const Traffic* application : applications) {
    ordered += application->source_ordered().messages.get();
    disordered += application->source_ordered().out_of_order.get();
    totally += application->totally_ordered().messages.get();
    totally_wrong += application->totally_ordered().out_of_order.get();
  }
  std::string text = fmt::format(
      "  recoverable packets: {} published, {} sent again; here {} repaired, {} declared lost\n"
      "  receivers: {} cut off by endpoints here, endpoints here cut off {} times\n"
      "  source ordered messages: {} delivered, {} out of order\n",
      with_separators(published), with_separators(repairs), with_separators(repaired),
      with_separators(trouble.declared_lost), with_separators(trouble.evicted),
      with_separators(trouble.evictions), with_separators(ordered), with_separators(disordered));
  const bool membership = std::any_of(state.stages.begin(), state.stages.end(),
                                      [](const auto& stages) { return stages.view.has_value(); });
  if (membership) {
    text += fmt::format("  totally ordered messages: {} delivered, {} out of order\n",
                        with_separators(totally), with_separators(totally_wrong));
  }
  return text;
}

Trouble trouble_of(const rack::RackAccount& state, const std::vector<Traffic*>& applications,
                   uint64_t exclusions) {
  Trouble trouble;
  trouble.exclusions = exclusions;
  for (const node::NodeReport& stages : state.stages) {
    const auto& sender = stages.rate_control.sender;
    // Members cut off whoever departs from a view, in order or not. A member that fell silent is
    // counted by its silence.
    if (!stages.view) trouble.evicted += sender.evicted_lag + sender.evicted_silent;
    trouble.refusals += sender.refused + stages.reliability.receiver.refusals;
    const bool left = stages.view && stages.view->left;
    for (const auto& peer : stages.reliability.peers) {
      // All members cut off an endpoint that has left its view in order.
      if (!left) trouble.evictions += peer.receiver.evictions;
      trouble.silences += peer.receiver.silences;
      for (const uint64_t count : peer.receiver.lost) trouble.declared_lost += count;
    }
  }
  for (const Traffic* application : applications) {
    trouble.out_of_order += application->source_ordered().out_of_order.get() +
                            application->totally_ordered().out_of_order.get();
  }
  return trouble;
}

Verdict verdict(rack::Rack& rack, const rack::RackAccount& state, const Trouble& trouble) {
  Verdict result{true, {}};
  uint64_t expected = 0;
  uint64_t elsewhere = 0;
  uint64_t other = 0;
  uint64_t foreign = 0;
  uint64_t control = 0;
  uint64_t own = 0;
  uint64_t marks = 0;
  uint64_t delivered = 0;
  uint64_t lost = 0;
  for (size_t i = 0; i < rack.size(); ++i) {
    const rack::ReceiverAccount& account = state.receivers[i];
    const uint64_t own_control = std::min(account.control, account.control_expected);
    expected += account.expected - account.control_expected;
    // A foreign frame may be that of another endpoint of this process.
    const uint64_t strange = std::min(account.foreign, account.elsewhere - account.other);
    expected -= account.foreign - strange;
    elsewhere += account.elsewhere - account.other - strange - (account.control - own_control);
    foreign += account.foreign;
    control += account.control;
    own += account.own;
    marks += account.marks;
    other += account.other;
    delivered += account.delivered;
    lost += account.lost() - account.control_lost();
    const std::string& name = rack.endpoint(i).config().name;
    for (const auto& [reason, count] : account.losses) {
      result.text +=
          fmt::format("  lost at receiver {}: {} by {}\n", name, with_separators(count), reason);
    }
    if (account.balanced()) continue;
    result.accounted = false;
    result.text += fmt::format(
        "  receiver {}: {} expected + {} from elsewhere + {} copies + {} its own is not {} "
        "delivered "
        "+ {} duplicates + {} other + {} foreign + {} control + {} marks + {} lost + {} inside\n",
        name, account.expected, account.elsewhere, account.copies, account.own, account.delivered,
        account.duplicates, account.other, account.foreign, account.control, account.marks,
        account.lost(), account.inside);
  }
  if (elsewhere != 0) {
    result.text += fmt::format("  from endpoints elsewhere: {}\n", with_separators(elsewhere));
  }
  result.text += fmt::format("  control frames heard: {}\n", with_separators(control));
  if (own + marks != 0) {
    result.text += fmt::format("  in total order: {} own packets came back, {} marks heard\n",
                               with_separators(own), with_separators(marks));
  }
  if (foreign != 0) {
    result.text +=
        fmt::format("  of other fabrics (to groups, queue pairs and partitions not ours): {}\n",
                    with_separators(foreign));
  }
  if (other != 0) {
    result.text += fmt::format("  other traffic (ARP, IGMP, other protocols and VLANs): {}\n",
                               with_separators(other));
  }
  result.text += sentence(trouble);
  const char* const how = !result.accounted ? "NOT ACCOUNTED"
                          : trouble.any()   ? "every packet accounted for, with trouble"
                                            : "every packet accounted for";
  result.text +=
      fmt::format("verdict: {}: {} packets expected = {} delivered + {} lost, over {} endpoints\n",
                  how, with_separators(expected + elsewhere + own - marks),
                  with_separators(delivered), with_separators(lost), rack.size());
  return result;
}

}  // namespace lambdacast::appliance
