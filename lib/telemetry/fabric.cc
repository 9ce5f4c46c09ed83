// SPDX-License-Identifier: BSD-3-Clause
// `fabric`: the embedded fabric and what each endpoint's port makes of its light.
#include <cmath>
#include <utility>

#include "config/light.h"
#include "telemetry/subject.h"
#include "wdm/channel.h"

namespace lambdacast::telemetry {
namespace {

struct Row {
  const config::Fabric* fabric;
  const EndpointCounts* port;
  wdm::ReceiverBudget budget;

  [[nodiscard]] Value count(const char* name) const {
    return Value(port->port.extended_or_zero(name));
  }
};

Value milli(double value) { return Value(int64_t{std::llround(value * 1000)}); }

constexpr FigureOf<Row> kFigures[] = {
    {{"fabric", Kind::kLabel, Unit::kNone, "The fabric."},
     [](const Row& row) { return Value(row.fabric->name); }},
    {{"endpoint", Kind::kLabel, Unit::kNone, "The endpoint whose port is on it."},
     [](const Row& row) { return Value(row.port->endpoint->config().name); }},
    {{"wavelength", Kind::kText, Unit::kNone, "The wavelength it transmits on."},
     [](const Row& row) {
       return Value(wdm::channel_name(*row.port->endpoint->config().wavelength));
     }},
    {{"wavelengths", Kind::kGauge, Unit::kNone, "Wavelengths that the fabric has room for."},
     [](const Row& row) { return Value(uint64_t{row.fabric->wavelengths}); }},
    {{"slots", Kind::kGauge, Unit::kFrames, "Frames that the ring of a wavelength holds."},
     [](const Row& row) { return Value(uint64_t{row.fabric->slots}); }},
    {{"frame_bytes", Kind::kGauge, Unit::kBytes, "The longest frame."},
     [](const Row& row) { return Value(uint64_t{row.fabric->frame_bytes}); }},
    {{"light", Kind::kGauge, Unit::kMillidecibelMilliwatts, "The weakest light it receives."},
     [](const Row& row) { return milli(row.budget.weakest_dbm); }},
    {{"margin", Kind::kGauge, Unit::kMillidecibels,
      "Weakest light above the receiver's sensitivity; below 0 it cannot be read."},
     [](const Row& row) { return milli(row.budget.margin_db); }},
    {{"headroom", Kind::kGauge, Unit::kMillidecibels,
      "Strongest light below the receiver's overload; below 0 it blinds."},
     [](const Row& row) { return milli(row.budget.headroom_db); }},
    {{"sent", Kind::kCounter, Unit::kFrames, "Frames it has put on its wavelength."},
     [](const Row& row) { return Value(row.port->port.tx_packets); }},
    {{"heard", Kind::kCounter, Unit::kFrames, "Frames it has taken from all wavelengths."},
     [](const Row& row) { return Value(row.port->port.rx_packets); }},
    {{"missed", Kind::kCounter, Unit::kFrames, "Frames overwritten before it read them."},
     [](const Row& row) { return Value(row.port->port.missed); }},
    {{"filtered", Kind::kCounter, Unit::kFrames, "Frames for other addresses."},
     [](const Row& row) { return row.count("filtered"); }},
    {{"fault_lost", Kind::kCounter, Unit::kFrames, "Frames that an injected fault has lost."},
     [](const Row& row) { return row.count("fault_lost"); }},
    {{"fault_corrupted", Kind::kCounter, Unit::kFrames, "Frames that one has altered."},
     [](const Row& row) { return row.count("fault_corrupted"); }},
    {{"fault_duplicated", Kind::kCounter, Unit::kFrames, "Frames that one has doubled."},
     [](const Row& row) { return row.count("fault_duplicated"); }},
};

}  // namespace

Table fabric_table(const Snapshot& snapshot) {
  std::vector<Row> rows;
  std::vector<std::string> notes;
  const bool lit = snapshot.config != nullptr && snapshot.config->fabric;
  const auto budgets =
      lit ? config::power_budgets(*snapshot.config) : std::vector<wdm::ReceiverBudget>{};
  for (const EndpointCounts& each : snapshot.endpoints) {
    if (rows.size() == budgets.size()) break;  // one each for those with a wavelength, in order
    if (!each.endpoint->config().wavelength) continue;
    const wdm::ReceiverBudget& budget = budgets[rows.size()];
    if (const std::string warning = wdm::warning(budget); !warning.empty()) {
      notes.push_back("warning: " + budget.owner + " " + warning);
    }
    rows.push_back({&*snapshot.config->fabric, &each, budget});
  }
  Table table = make_table(kFigures, rows);
  table.notes = std::move(notes);
  return table;
}

}  // namespace lambdacast::telemetry
