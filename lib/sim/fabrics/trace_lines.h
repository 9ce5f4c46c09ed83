// SPDX-License-Identifier: BSD-3-Clause
// A run's frames in words, a line each, for who replays one seed.
#pragma once

#include <functional>
#include <string>

#include "clock_sync/frame.h"
#include "congest/graph.h"
#include "congest/message.h"
#include "sim/fabrics/medium.h"
#include "trees/repair_frame.h"

namespace lambdacast::sim::fabrics {

// Takes lines; empty: nobody wants them.
using TraceSink = std::function<void(const std::string& line)>;

[[nodiscard]] std::string text_of(const clock_sync::Frame& frame);
[[nodiscard]] std::string text_of(const congest::Frame& frame);
[[nodiscard]] std::string text_of(const trees::RepairFrame& frame);

// When the frame starts, from which switch to which, what it says, and whether it is lost.
[[nodiscard]] std::string trace_line(const congest::Graph& graph, congest::ArcId arc,
                                     const Transit& transit, const std::string& what);

}  // namespace lambdacast::sim::fabrics
