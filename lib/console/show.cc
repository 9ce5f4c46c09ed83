// SPDX-License-Identifier: BSD-3-Clause
#include "console/show.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "console/endpoint_choice.h"
#include "console/json.h"
#include "console/text.h"

namespace lambdacast::console {
namespace {

using telemetry::Figure;
using telemetry::Kind;
using telemetry::Subject;
using telemetry::Table;
using telemetry::Unit;
using telemetry::Value;

// Figures of port_stats that are also shown a second, since they were last shown.
struct Rate {
  const char* of;
  uint64_t times;  // bits of a byte
  Figure figure;
};
constexpr Rate kRates[] = {
    {"rx_packets", 1, {"rx_pps", Kind::kGauge, Unit::kPacketsPerSecond, "Since last shown."}},
    {"rx_bytes", 8, {"rx_bps", Kind::kGauge, Unit::kBitsPerSecond, "Since last shown."}},
    {"tx_packets", 1, {"tx_pps", Kind::kGauge, Unit::kPacketsPerSecond, "Since last shown."}},
    {"tx_bytes", 8, {"tx_bps", Kind::kGauge, Unit::kBitsPerSecond, "Since last shown."}},
};

size_t column(const Table& table, const char* name) {
  size_t i = 0;
  while (i < table.figures.size() && std::strcmp(table.figures[i].name, name) != 0) ++i;
  return i;
}

uint64_t per_second(uint64_t count, uint64_t elapsed_ns) {
  return static_cast<uint64_t>(static_cast<double>(count) * 1e9 /
                               static_cast<double>(std::max<uint64_t>(elapsed_ns, 1)));
}

}  // namespace

std::vector<Command> Show::commands() {
  std::vector<Command> commands;
  for (const Subject& subject : telemetry::subjects()) {
    std::vector<Word> words = {fixed("show")};
    for (const std::string& word : words_of(subject.words)) words.push_back(fixed(word));
    std::vector<std::string> names = endpoint_names(source_.config);
    const bool all = words.back().name == "all";
    const Table empty = subject.table({});
    const bool of_endpoints = column(empty, "endpoint") != empty.figures.size();
    if (all) {
      names.insert(names.begin(), "all");
      words.back() = choice("all|ENDPOINT", names);
    } else if (of_endpoints) {
      words.push_back(choice("ENDPOINT", names));
    }
    const size_t most = of_endpoints ? words.size() : words.size() + 1;
    const auto table = [this, &subject, most](const Arguments& arguments) {
      const bool chosen = arguments.size() == most && arguments.back() != "all";
      return table_of(subject, chosen ? arguments.back() : "");
    };
    commands.push_back({words, of_endpoints && !all ? 1u : 0u, subject.help,
                        [table, &subject](const Arguments& arguments) -> Answer {
                          return render(table(arguments), subject.layout);
                        },
                        [table, &subject](const Arguments& arguments) -> Answer {
                          return json_of(subject.name, table(arguments));
                        }});
  }
  commands.push_back({{fixed("clear"), fixed("stats")},
                      0,
                      "Lets all counters that are shown begin at 0.",
                      [this](const Arguments&) -> Answer {
                        clear();
                        return std::string();
                      }});
  return commands;
}

Table Show::table_of(const Subject& subject, const std::string& endpoint) {
  const telemetry::Snapshot snapshot = take_snapshot(source_, subject.needs);
  Table table = subject.table(snapshot);
  const auto cleared = cleared_.find(subject.name);
  if (cleared != cleared_.end()) table = since(table, cleared->second);
  if (std::strcmp(subject.name, "port_stats") == 0) add_rates(subject, table, snapshot.now_ns);
  if (!endpoint.empty()) table = of_endpoint(std::move(table), endpoint);
  return table;
}

void Show::add_rates(const Subject& subject, Table& table, uint64_t now_ns) {
  const Shown last = std::exchange(last_[subject.name], {table, now_ns});
  const Table news = since(table, last.table);
  for (const Rate& rate : kRates) {
    const size_t from = column(news, rate.of);
    table.figures.push_back(rate.figure);
    for (size_t i = 0; i < table.rows.size(); ++i) {
      const uint64_t count = std::get<uint64_t>(news.rows[i][from]);
      table.rows[i].emplace_back(per_second(count * rate.times, now_ns - last.at_ns));
    }
  }
}

void Show::clear() {
  const telemetry::Snapshot snapshot =
      take_snapshot(source_, {.ports = true, .groups = true, .requests = true});
  for (const Subject& subject : telemetry::subjects()) {
    cleared_[subject.name] = subject.table(snapshot);
  }
  last_.clear();
  last_["port_stats"].at_ns = snapshot.now_ns;
}

}  // namespace lambdacast::console
