// SPDX-License-Identifier: BSD-3-Clause
#include "console/trace.h"

#include <fmt/format.h>

#include <charconv>

#include "console/endpoint_choice.h"
#include "console/text.h"
#include "telemetry/repair_life.h"

namespace lambdacast::console {
namespace {

Answer trace(const telemetry::Source& source, const Arguments& arguments) {
  const std::string& sender = arguments[2];
  const auto notes = telemetry::take_repair_notes(source);
  std::optional<uint64_t> position = newest_repair(notes, sender);
  if (arguments.size() > 3) {
    const std::string& text = arguments[3];
    uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size())
      return base::fail("REL_SEQ: " + text + " is not a number; `trace repair " + sender +
                        "` shows the newest.");
    position = number;
  }
  if (!position) return "No packet of " + sender + " was lost of late.\n";
  const telemetry::Table life = repair_life(notes, sender, *position);
  if (life.rows.empty())
    return fmt::format("Nothing is noted of packet {} of {}.\n", *position, sender);
  return fmt::format("packet {} of {}\n", *position, sender) +
         render(life, telemetry::Layout::kGrid);
}

}  // namespace

std::vector<Command> trace_commands(const telemetry::Source& source) {
  return {{{fixed("trace"), fixed("repair"), endpoint_word(source.config), any("REL_SEQ")},
           1,
           "Shows the life of a packet of ENDPOINT that was lost on its way: the newest, or "
           "REL_SEQ.",
           [source](const Arguments& arguments) { return trace(source, arguments); }}};
}

}  // namespace lambdacast::console
