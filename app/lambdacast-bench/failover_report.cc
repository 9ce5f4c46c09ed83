// SPDX-License-Identifier: BSD-3-Clause
#include "failover_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace lambdacast::bench {

uint64_t FailoverReport::value_at(std::vector<uint64_t> samples, double share) {
  if (samples.empty()) return 0;
  std::sort(samples.begin(), samples.end());
  const auto place = static_cast<size_t>(std::ceil(share * static_cast<double>(samples.size())));
  return samples[std::max<size_t>(place, 1) - 1];
}

std::string text_of(const FailoverReport& r, const FailoverOptions& o) {
  const auto ms = [&](double share) { return static_cast<double>(r.standstill_at(share)) / 1e6; };
  std::string text = fmt::format(
      "failover: {} nodes, stopped: {}, suspected after {} us, heartbeats each {} us\n"
      "  to the first delivery in the new view at every survivor, {} of {} runs: median {:.3f} ms, "
      "99 % {:.3f}, longest {:.3f}\n"
      "  the median is the time of suspicion and {:.0f} us; the view began there {:.0f} us before\n"
      "  {} published by survivors, {} deliveries of these missing, {} packets declared lost\n",
      o.nodes, name_of(o.victims), o.suspect_after_us, o.heartbeat_us, r.measured, r.runs, ms(0.5),
      ms(0.99), ms(1), static_cast<double>(r.suspect_plus_ns(o)) / 1e3,
      static_cast<double>(r.standstill_at(0.5) - r.value_at(r.view_ns, 0.5)) / 1e3, r.published,
      r.missing, r.gaps);
  if (r.disturbed != 0) {
    text += fmt::format(
        "  {} runs DISTURBED: a node that was not stopped was suspected; longer --suspect-us, or "
        "lcores that nobody else uses\n",
        r.disturbed);
  }
  if (r.stuck != 0) text += fmt::format("  {} runs without a delivery in a new view\n", r.stuck);
  if (r.different != 0)
    text += fmt::format("  in {} runs SURVIVORS DELIVERED IN DIFFERENT ORDERS\n", r.different);
  if (r.wrong + r.out_of_order != 0) {
    text += fmt::format("  {} messages of WRONG CONTENT, {} OUT OF their sender's ORDER\n", r.wrong,
                        r.out_of_order);
  }
  return text + fmt::format("verdict: {}\n", r.sound() ? "one order, every message" : "NOT SOUND");
}

std::string json_of(const FailoverReport& r, const FailoverOptions& o) {
  const nlohmann::ordered_json json = {
      {"benchmark", "failover"},
      {"nodes", o.nodes},
      {"stop", name_of(o.victims)},
      {"suspect_after_us", o.suspect_after_us},
      {"heartbeat_us", o.heartbeat_us},
      {"rate", o.rate},
      {"payload_bytes", o.payload_bytes},
      {"runs", r.runs},
      {"measured", r.measured},
      {"disturbed", r.disturbed},
      {"stuck", r.stuck},
      {"min_ns", r.standstill_at(0)},
      {"p50_ns", r.standstill_at(0.5)},
      {"p90_ns", r.standstill_at(0.9)},
      {"p99_ns", r.standstill_at(0.99)},
      {"max_ns", r.standstill_at(1)},
      {"view_p50_ns", r.value_at(r.view_ns, 0.5)},
      {"suspect_plus_ns", r.suspect_plus_ns(o)},
      {"published", r.published},
      {"missing", r.missing},
      {"wrong", r.wrong},
      {"out_of_order", r.out_of_order},
      {"lost", r.gaps},
      {"different_orders", r.different},
      {"sound", r.sound()},
  };
  return json.dump(2) + "\n";
}

}  // namespace lambdacast::bench
