// SPDX-License-Identifier: BSD-3-Clause
#include "console/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "config/effective.h"
#include "config/plan.h"
#include "console/json.h"
#include "console/text.h"

namespace lambdacast::console {
namespace {

using config::Change;
using config::Effect;
using telemetry::FigureOf;
using telemetry::Kind;
using telemetry::Unit;
using telemetry::Value;

constexpr FigureOf<Change> kFigures[] = {
    {{"setting", Kind::kLabel, Unit::kNone, "The setting, by its section and whose it is."},
     [](const Change& change) { return Value(change.setting); }},
    {{"running", Kind::kText, Unit::kNone, "Its value as it works, as TOML."},
     [](const Change& change) { return Value(change.before); }},
    {{"wanted", Kind::kText, Unit::kNone, "Its value in the file."},
     [](const Change& change) { return Value(change.after); }},
    {{"unit", Kind::kText, Unit::kNone, "The unit of both."},
     [](const Change& change) { return Value(change.unit); }},
    {{"effect", Kind::kText, Unit::kNone, "What the change takes: live, new incarnation, restart."},
     [](const Change& change) { return Value(std::string(name(change.effect))); }},
};

telemetry::Table table_of(const std::vector<Change>& changes) {
  return make_table(kFigures, changes);
}

base::Result<config::Config> load(const Files& files, const std::string& path) {
  const auto text = files.read(path);
  if (!text) return tl::unexpected(text.error());
  auto config = config::parse(*text, path);
  if (config) return std::move(*config);
  std::string problems = config::text(config.error());
  problems.pop_back();  // the last line feed
  return base::fail(problems);
}

// Sets what is live in `wanted`, one endpoint and kind of setting after the other.
class Application {
 public:
  Application(LiveConfig& live, const config::Config& wanted) : live_(live), wanted_(wanted) {}

  [[nodiscard]] base::Result<void> set(const Change& change) {
    if (change.setting == "fabric.line_rate") return set_line_rate();
    for (size_t i = 0; i < live_.config().endpoints.size(); ++i) {
      if (live_.config().endpoints[i].name == change.endpoint) return set(change, i);
    }
    return {};
  }

 private:
  [[nodiscard]] const config::Endpoint& wanted(const std::string& name) const {
    for (const config::Endpoint& endpoint : wanted_.endpoints) {
      if (endpoint.name == name) return endpoint;
    }
    return wanted_.endpoints.front();  // a live change is of an endpoint in both
  }
  [[nodiscard]] base::Result<void> set(const Change& change, size_t i) {
    const config::Endpoint& to = wanted(change.endpoint);
    if (change.setting.ends_with(".traffic.enabled")) {
      live_.publish(i, to.traffic.enabled);
    } else if (change.setting.ends_with(".traffic.rate_pps")) {
      live_.set_rate_pps(i, to.traffic.rate_pps);
    } else if (change.setting.find(".rate.") != std::string::npos) {
      rate_control::RateConfig rates = live_.config().endpoints[i].rate;
      rates.need_bps = to.rate.need_bps;
      rates.limit_bps = to.rate.limit_bps;
      rates.capacity_bps = to.rate.capacity_bps;
      live_.set_rates(i, rates);
    } else if (change.setting.find(".group_rate.") != std::string::npos) {
      return set_group_rates(i, to.group_rates);
    } else if (with_faults_.insert(i).second) {
      return live_.set_faults(i, to.faults);
    }
    return {};
  }
  [[nodiscard]] base::Result<void> set_group_rates(
      size_t i, const std::vector<rate_control::GroupRate>& wanted) {
    const std::vector<rate_control::GroupRate> running = live_.config().endpoints[i].group_rates;
    for (const rate_control::GroupRate& rate : running) {
      const bool stays = std::any_of(wanted.begin(), wanted.end(),
                                     [&](const auto& each) { return each.group == rate.group; });
      if (stays) continue;
      if (auto set = live_.set_group_rate(i, {rate.group, 0}); !set) return set;
    }
    for (const rate_control::GroupRate& rate : wanted) {
      if (std::find(running.begin(), running.end(), rate) != running.end()) continue;
      if (auto set = live_.set_group_rate(i, rate); !set) return set;
    }
    return {};
  }
  [[nodiscard]] base::Result<void> set_line_rate() {
    for (size_t i = 0; i < live_.config().endpoints.size(); ++i) {
      if (!live_.config().endpoints[i].wavelength) continue;
      if (auto set = live_.set_line_rate_bps(i, wanted_.fabric->line_rate_bps); !set) return set;
    }
    return {};
  }

  LiveConfig& live_;
  const config::Config& wanted_;
  std::set<size_t> with_faults_;  // a port takes all of its faults at once
};

// What has been set; what could not be is an error, and what was set before it stays.
base::Result<std::vector<Change>> apply(LiveConfig& live, const config::Config& wanted) {
  std::vector<Change> done;
  Application application(live, wanted);
  for (const Change& change : config::plan(live.config(), wanted)) {
    if (change.effect != Effect::kLive) continue;
    if (const auto set = application.set(change); !set) {
      return base::fail(fmt::format("{}: {}; {} settings were set before it", change.setting,
                                    set.error().message, done.size()));
    }
    done.push_back(change);
  }
  return done;
}

std::string text_of(const std::vector<Change>& remaining) {
  return render(table_of(remaining), telemetry::Layout::kGrid);
}

Command plan_command(LiveConfig& live, const Files& files) {
  const auto changes = [&live,
                        files](const Arguments& arguments) -> base::Result<std::vector<Change>> {
    const auto wanted = load(files, arguments[1]);
    if (!wanted) return tl::unexpected(wanted.error());
    return config::plan(live.config(), *wanted);
  };
  return {{fixed("plan"), any("FILE")},
          0,
          "Compares the configuration as it works with a file: what each change would take.",
          [changes](const Arguments& arguments) -> Answer {
            const auto found = changes(arguments);
            if (!found) return tl::unexpected(found.error());
            return found->empty() ? "Nothing differs.\n" : text_of(*found);
          },
          [changes](const Arguments& arguments) -> Answer {
            const auto found = changes(arguments);
            if (!found) return tl::unexpected(found.error());
            return json_of("plan", table_of(*found));
          }};
}

Command apply_command(LiveConfig& live, const Files& files) {
  struct Outcome {
    std::vector<Change> done, remaining;
  };
  const auto run = [&live, files](const Arguments& arguments) -> base::Result<Outcome> {
    const auto wanted = load(files, arguments[1]);
    if (!wanted) return tl::unexpected(wanted.error());
    auto done = apply(live, *wanted);
    if (!done) return tl::unexpected(done.error());
    return Outcome{std::move(*done), config::plan(live.config(), *wanted)};
  };
  return {{fixed("apply"), any("FILE")},
          0,
          "Sets what a file has otherwise, as far as that is live, and says what remains.",
          [run](const Arguments& arguments) -> Answer {
            const auto outcome = run(arguments);
            if (!outcome) return tl::unexpected(outcome.error());
            std::string text;
            for (const Change& change : outcome->done)
              text += fmt::format("{} = {}\n", change.setting, change.after);
            if (outcome->remaining.empty()) return text + "Nothing remains.\n";
            return text + "These remain:\n" + text_of(outcome->remaining);
          },
          [run](const Arguments& arguments) -> Answer {
            const auto outcome = run(arguments);
            if (!outcome) return tl::unexpected(outcome.error());
            return "{\"done\":" + json_of("plan", table_of(outcome->done)) +
                   ",\"remaining\":" + json_of("plan", table_of(outcome->remaining)) + "}";
          }};
}

}  // namespace

std::vector<Command> plan_commands(LiveConfig& live, Files files) {
  const auto save = [&live, files](const Arguments& arguments) -> Answer {
    if (const auto written = files.write(arguments[1], effective(live.config())); !written)
      return tl::unexpected(written.error());
    return std::string();
  };
  return {plan_command(live, files),
          apply_command(live, files),
          {{fixed("save"), any("FILE")},
           0,
           "Writes the configuration as it works, as TOML that loads to the same.",
           save}};
}

}  // namespace lambdacast::console
