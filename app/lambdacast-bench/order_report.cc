// SPDX-License-Identifier: BSD-3-Clause
#include "order_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace lambdacast::bench {

bool OrderReport::sound(const OrderOptions& options) const {
  if (wrong != 0 || out_of_order != 0 || !same_order || views != options.nodes) return false;
  return options.level == wire::Qos::kUnreliable ||
         (lost == 0 && total_delivered == total_expected);
}

std::string text_of(const OrderReport& r, const OrderOptions& o) {
  const double per_node = r.per_node(o);
  std::string text = fmt::format(
      "order: {} nodes, level {}, {} bytes of the application, {}{}\n"
      "  delivered at each node, its own included: {:.0f} messages/s, {:.3f} Gb/s ({:.3f} s)\n",
      o.nodes, name_of(o.level), o.payload_bytes, o.one_sender ? "one sends" : "all send",
      o.groups == 1 ? "" : fmt::format(", {} groups", o.groups), per_node,
      per_node * 8 * o.payload_bytes / 1e9, r.elapsed_s);
  if (r.capacity_mps > 0) {
    text += fmt::format("  a node can receive {:.0f} messages/s: optimum {:.0f}, reached {:.3f}\n",
                        r.capacity_mps, r.optimum(o), per_node / r.optimum(o));
  }
  text += fmt::format(
      "  latency at a third member: median {:.1f} us, 99 % {:.1f}, 99.9 % {:.1f}\n"
      "  busiest lcore {:.0f} % of its time; {} packets of marks, {} control frames\n"
      "  {} published, {} deliveries expected, {} delivered, {} declared lost\n",
      static_cast<double>(r.latency_ns.value_at(0.5)) / 1e3,
      static_cast<double>(r.latency_ns.value_at(0.99)) / 1e3,
      static_cast<double>(r.latency_ns.value_at(0.999)) / 1e3, r.duty * 100, r.marks,
      r.control_frames, r.total_published, r.total_expected, r.total_delivered, r.lost);
  if (r.views != o.nodes) text += fmt::format("  {} VIEWS BEGAN, one a node was right\n", r.views);
  if (!r.same_order) text += "  NODES DELIVERED IN DIFFERENT ORDERS\n";
  if (r.wrong + r.out_of_order != 0) {
    text += fmt::format("  {} messages of WRONG CONTENT, {} OUT OF their sender's ORDER\n", r.wrong,
                        r.out_of_order);
  }
  return text + fmt::format("verdict: {}\n", r.sound(o) ? "one order, every message" : "NOT SOUND");
}

std::string json_of(const OrderReport& r, const OrderOptions& o) {
  const nlohmann::ordered_json json = {
      {"benchmark", "order"},
      {"nodes", o.nodes},
      {"level", name_of(o.level)},
      {"payload_bytes", o.payload_bytes},
      {"one_sender", o.one_sender},
      {"coalesce", o.coalesce},
      {"groups", o.groups},
      {"rate", o.rate},
      {"rx_rate_bps", o.rx_rate_bps},
      {"messages_per_second_per_node", r.per_node(o)},
      {"goodput_bps_per_node", r.per_node(o) * 8 * o.payload_bytes},
      {"capacity_messages_per_second", r.capacity_mps},
      {"optimum_messages_per_second", r.optimum(o)},
      {"p50_ns", r.latency_ns.value_at(0.5)},
      {"p99_ns", r.latency_ns.value_at(0.99)},
      {"p999_ns", r.latency_ns.value_at(0.999)},
      {"max_ns", r.latency_ns.max()},
      {"duty", r.duty},
      {"marks", r.marks},
      {"control_frames", r.control_frames},
      {"published", r.total_published},
      {"expected", r.total_expected},
      {"delivered", r.total_delivered},
      {"lost", r.lost},
      {"views", r.views},
      {"same_order", r.same_order},
      {"sound", r.sound(o)},
  };
  return json.dump(2) + "\n";
}

}  // namespace lambdacast::bench
