// SPDX-License-Identifier: BSD-3-Clause
#include "fabrics.h"

#include <fmt/format.h>

#include <cstdio>

#include "base/joined.h"
#include "base/plain_text.h"
#include "fabric/file_owner.h"

namespace lambdacast::appliance {
namespace {

constexpr uint64_t kMiB = uint64_t{1} << 20;

std::string title(const fabric::FabricFiles& each) {
  return each.name.empty() ? "data without a fabric" : "fabric " + base::shown(each.name);
}

}  // namespace

std::string text(const std::vector<fabric::FabricFiles>& fabrics) {
  if (fabrics.empty()) return "no fabrics\n";
  std::string out;
  for (const fabric::FabricFiles& each : fabrics) {
    const std::string state =
        each.live ? "live: " + fabric::process_name(each.process) + " uses it" : "stale";
    out += fmt::format("{}, {}, {} MiB, {}: {}\n", title(each), fabric::user_name(each.owner),
                       (each.bytes + kMiB - 1) / kMiB, state,
                       base::shown(base::joined(each.paths, " ")));
  }
  return out;
}

app::ExitCode show_fabrics(bool remove) {
  const auto all = fabric::inventory(fabric::BackingDirectories::of_this_machine());
  std::fputs(text(all).c_str(), stdout);
  if (!remove) return app::kExitOk;
  app::ExitCode code = app::kExitOk;
  for (const fabric::FabricFiles& each : all) {
    if (each.live) continue;
    if (const auto removed = fabric::remove_stale(each); !removed) {
      std::fprintf(stderr, "lambdacast: %s\n", base::shown(removed.error().message).c_str());
      code = app::kExitEnvironment;
    } else {
      std::printf("removed: %s\n", title(each).c_str());
    }
  }
  return code;
}

}  // namespace lambdacast::appliance
