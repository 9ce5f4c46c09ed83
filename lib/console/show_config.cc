// SPDX-License-Identifier: BSD-3-Clause
#include "console/show_config.h"

#include "config/effective.h"
#include "config/settings.h"
#include "console/json.h"

namespace lambdacast::console {
namespace {

using config::Setting;
using telemetry::FigureOf;
using telemetry::Kind;
using telemetry::Unit;
using telemetry::Value;

constexpr FigureOf<Setting> kFigures[] = {
    {{"setting", Kind::kLabel, Unit::kNone, "The setting, by its section and whose it is."},
     [](const Setting& setting) { return Value(setting.name()); }},
    {{"value", Kind::kText, Unit::kNone, "As TOML."},
     [](const Setting& setting) { return Value(setting.value); }},
    {{"unit", Kind::kText, Unit::kNone, "Its unit."},
     [](const Setting& setting) { return Value(setting.unit); }},
    {{"default", Kind::kText, Unit::kNone, "Whether the value is the default."},
     [](const Setting& setting) { return Value(std::string(setting.at_default ? "yes" : "no")); }},
};

}  // namespace

std::vector<Command> show_config_commands(const config::Config& config) {
  return {{{fixed("show"), fixed("config")},
           0,
           "The configuration as it works; defaults stand behind a #.",
           [&config](const Arguments&) -> Answer { return effective(config); },
           [&config](const Arguments&) -> Answer {
             return json_of("config", make_table(kFigures, settings(config)));
           }}};
}

}  // namespace lambdacast::console
