// SPDX-License-Identifier: BSD-3-Clause
#include "console/trace_packets.h"

#include <array>
#include <optional>

#include "console/endpoint_choice.h"
#include "console/json.h"
#include "console/number.h"
#include "console/text.h"
#include "telemetry/packet_lives.h"

namespace lambdacast::console {
namespace {

using node::StageId;

struct Name {
  const char* name;
  StageId stage;
};
constexpr std::array<Name, 4> kStages = {{{"receive", StageId::kReceive},
                                          {"reliability", StageId::kReliability},
                                          {"ordering", StageId::kOrdering},
                                          {"application", StageId::kApplication}}};

std::vector<std::string> stage_names() {
  std::vector<std::string> names;
  for (const Name& each : kStages) names.emplace_back(each.name);
  return names;
}

Answer add(rack::PacketTracer& tracer, const config::Config& config, const Arguments& arguments) {
  const auto packets = parse_whole(arguments[3], "N", 1, dpdk::PacketTrace::kMostPackets);
  if (!packets) return tl::unexpected(packets.error());
  std::optional<size_t> endpoint;
  if (arguments.size() > 4) endpoint = chosen(config, arguments, 4).front();
  for (const Name& each : kStages) {
    if (arguments[2] == each.name) tracer.start(each.stage, endpoint, *packets);
  }
  return std::string();
}

base::Result<telemetry::Table> lives(const rack::PacketTracer& tracer) {
  if (!tracer.started()) return base::fail("No packet is followed; trace add begins it.");
  return telemetry::packet_lives(tracer.lives(), dpdk::TscClock());
}

}  // namespace

std::vector<Command> trace_packets_commands(rack::PacketTracer& tracer,
                                            const config::Config& config) {
  return {{{fixed("trace"), fixed("add"), choice("STAGE", stage_names()), any("N"),
            endpoint_word(config)},
           1,
           "Follows the next N packets that come to a stage; application: that it publishes.",
           [&](const Arguments& arguments) { return add(tracer, config, arguments); }},
          {{fixed("trace"), fixed("show")},
           0,
           "Shows the packets that were followed: each stage, when, and what it did.",
           [&](const Arguments&) -> Answer {
             const auto table = lives(tracer);
             if (!table) return tl::unexpected(table.error());
             return render(*table, telemetry::Layout::kGrid);
           },
           [&](const Arguments&) -> Answer {
             const auto table = lives(tracer);
             if (!table) return tl::unexpected(table.error());
             return json_of("packets", *table);
           }},
          {{fixed("trace"), fixed("stop")},
           0,
           "Follows no packets any more.",
           [&](const Arguments&) -> Answer {
             tracer.stop();
             return std::string();
           }}};
}

}  // namespace lambdacast::console
