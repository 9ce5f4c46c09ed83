// SPDX-License-Identifier: BSD-3-Clause
#include "groups_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace lambdacast::bench {
namespace {

nlohmann::ordered_json step_of(const GroupsStep& step, const GroupsOptions& o) {
  return {
      {"groups", step.groups},
      {"joins", step.joins},
      {"join_s", step.join_s},
      {"joins_per_s", step.joins_per_s()},
      {"one_mps", median(step.one_mps)},
      {"many_mps", median(step.many_mps)},
      {"ratio", step.ratio()},
      {"one_mps_by_round", step.one_mps},
      {"many_mps_by_round", step.many_mps},
      {"rss_growth_bytes", step.rss_growth_bytes},
      {"rss_bytes_per_group", step.rss_bytes_per_group(o)},
  };
}

}  // namespace

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const size_t half = values.size() / 2;
  return values.size() % 2 != 0 ? values[half] : (values[half - 1] + values[half]) / 2;
}

double GroupsStep::ratio() const {
  const double one = median(one_mps);
  return one > 0 ? median(many_mps) / one : 0;
}

double GroupsStep::rss_bytes_per_group(const GroupsOptions& options) const {
  if (groups < 2) return 0;
  return static_cast<double>(rss_growth_bytes) / (groups - 1.0) / options.nodes;
}

bool GroupsReport::sound(const GroupsOptions& options) const {
  return steps.size() == options.groups.size() && wrong == 0 && out_of_order == 0 &&
         views == options.nodes && published != 0 && delivered == expected;
}

std::string text_of(const GroupsReport& r, const GroupsOptions& o) {
  std::string text = fmt::format(
      "groups: {} nodes, level {}, {} bytes of the application, one sends; {} rounds\n"
      "  {:>7}  {:>12}  {:>12}  {:>12}  {:>6}  {:>15}\n",
      o.nodes, name_of(o.level), o.payload_bytes, o.rounds, "groups", "joins/s", "to one, /s",
      "to all, /s", "ratio", "RSS bytes/group");
  for (const GroupsStep& step : r.steps) {
    text += fmt::format("  {:>7}  {:>12.0f}  {:>12.0f}  {:>12.0f}  {:>6.3f}  {:>15.0f}\n",
                        step.groups, step.joins_per_s(), median(step.one_mps),
                        median(step.many_mps), step.ratio(), step.rss_bytes_per_group(o));
  }
  text += fmt::format(
      "  an idle group takes {} bytes of a node's tables\n"
      "  {} published, {} deliveries expected, {} delivered\n",
      r.table_bytes_per_group, r.published, r.expected, r.delivered);
  if (r.views != o.nodes) text += fmt::format("  {} VIEWS BEGAN, one a node was right\n", r.views);
  if (r.wrong + r.out_of_order != 0) {
    text += fmt::format("  {} messages of WRONG CONTENT, {} OUT OF their group's ORDER\n", r.wrong,
                        r.out_of_order);
  }
  return text +
         fmt::format("verdict: {}\n", r.sound(o) ? "every message, in its order" : "NOT SOUND");
}

std::string json_of(const GroupsReport& r, const GroupsOptions& o) {
  nlohmann::ordered_json json = {
      {"benchmark", "groups"},
      {"nodes", o.nodes},
      {"level", name_of(o.level)},
      {"payload_bytes", o.payload_bytes},
      {"rate", o.rate},
      {"rounds", o.rounds},
      {"order_domains", o.order_domains},
  };
  if (!r.steps.empty()) json.update(step_of(r.steps.back(), o));
  json["table_bytes_per_group"] = r.table_bytes_per_group;
  json["published"] = r.published;
  json["expected"] = r.expected;
  json["delivered"] = r.delivered;
  json["wrong"] = r.wrong;
  json["out_of_order"] = r.out_of_order;
  json["views"] = r.views;
  json["sound"] = r.sound(o);
  json["steps"] = nlohmann::ordered_json::array();
  for (const GroupsStep& step : r.steps) json["steps"].push_back(step_of(step, o));
  return json.dump(2) + "\n";
}

}  // namespace lambdacast::bench
