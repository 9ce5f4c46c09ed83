// SPDX-License-Identifier: BSD-3-Clause
// The life of one packet that was lost on its way: what its sender and its receivers noted of it
// (reliability/repair_trace.h), put together in the order in which it happened. They share a clock
// only within a process, so only its endpoints are told of.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "reliability/repair_trace.h"
#include "telemetry/figure.h"
#include "telemetry/snapshot.h"

namespace lambdacast::telemetry {

// One endpoint's notes, and whom its peer indices mean.
struct RepairNotes {
  std::string endpoint;
  std::vector<reliability::TraceEvent> sender;
  std::vector<reliability::TraceEvent> receiver;
  std::vector<std::string> peers;  // by index: an endpoint's name, or an address
};

[[nodiscard]] std::vector<RepairNotes> take_repair_notes(const Source& source);

// The newest packet of `sender` that was repaired or lost in the end and whose sending is still
// noted, else the newest that anybody noted anything of; nothing: none was lost of late.
[[nodiscard]] std::optional<uint64_t> newest_repair(const std::vector<RepairNotes>& notes,
                                                    const std::string& sender);

// A row a step: when (from its sending, or else from the first step), where, what, and about whom.
[[nodiscard]] Table repair_life(const std::vector<RepairNotes>& notes, const std::string& sender,
                                uint64_t position);

}  // namespace lambdacast::telemetry
