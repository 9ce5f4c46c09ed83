// SPDX-License-Identifier: BSD-3-Clause
#include "console/log_level.h"

#include <rte_log.h>

#include <cstdint>
#include <string>

namespace lambdacast::console {
namespace {

struct Level {
  const char* name;
  uint32_t level;
};
// As EAL's --log-level names them.
constexpr Level kLevels[] = {
    {"emergency", RTE_LOG_EMERG}, {"alert", RTE_LOG_ALERT},     {"critical", RTE_LOG_CRIT},
    {"error", RTE_LOG_ERR},       {"warning", RTE_LOG_WARNING}, {"notice", RTE_LOG_NOTICE},
    {"info", RTE_LOG_INFO},       {"debug", RTE_LOG_DEBUG},
};

uint32_t level_of(const std::string& name) {
  for (const Level& each : kLevels) {
    if (each.name == name) return each.level;
  }
  return RTE_LOG_INFO;  // the grammar lets no other word pass
}

std::vector<std::string> level_names() {
  std::vector<std::string> names;
  for (const Level& each : kLevels) names.emplace_back(each.name);
  return names;
}

Answer set_all(const Arguments& arguments) {
  const uint32_t level = level_of(arguments[2]);
  rte_log_set_global_level(level);
  rte_log_set_level_pattern("*", level);
  return std::string();
}

Answer set_some(const Arguments& arguments) {
  if (rte_log_set_level_pattern(arguments[2].c_str(), level_of(arguments[3])) < 0) {
    return base::fail("TYPE: " + arguments[2] +
                      " is no pattern of log types like lib.eal or pmd.*");
  }
  return std::string();
}

}  // namespace

std::vector<Command> log_commands() {
  const Word level = choice("LEVEL", level_names());
  return {
      {{fixed("set"), fixed("log"), level}, 0, "How much is logged: emergency to debug.", set_all},
      {{fixed("set"), fixed("log"), any("TYPE"), level},
       0,
       "The same for the log types of a pattern, like lib.eal or pmd.*.",
       set_some}};
}

}  // namespace lambdacast::console
