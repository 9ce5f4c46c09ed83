// SPDX-License-Identifier: BSD-3-Clause
#include "console/capture.h"

#include "console/endpoint_choice.h"
#include "console/text.h"

namespace lambdacast::console {

std::vector<Command> capture_commands(rack::Capture& capture, rack::Rack& rack,
                                      const config::Config& config) {
  const auto start = [&](const Arguments& arguments) -> Answer {
    rack::CaptureOptions options;
    if (arguments.size() > 3) options.endpoint = arguments[3];
    const auto started = capture.start(rack, arguments[2], options);
    if (!started) return tl::unexpected(started.error());
    return std::string();
  };
  const auto stop = [&](const Arguments&) -> Answer {
    if (!capture.running()) return base::fail("No capture runs.");
    return report(capture.stop());
  };
  return {{{fixed("capture"), fixed("start"), any("FILE"), endpoint_word(config)},
           1,
           "Writes what the ports receive and transmit to a pcapng file.",
           start},
          {{fixed("capture"), fixed("stop")}, 0, "Ends the capture, and says what it has.", stop}};
}

std::string report(const rack::CaptureReport& capture) {
  std::string text = "captured " + with_separators(capture.captured) + " frames, ";
  text += with_separators(capture.dropped) + " dropped, ";
  text += with_separators(capture.written_bytes) + " bytes in " + capture.path + "\n";
  return text;
}

}  // namespace lambdacast::console
