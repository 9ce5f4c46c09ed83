// SPDX-License-Identifier: BSD-3-Clause
#include "console/dispatcher.h"

#include <utility>

#include "console/catalogue.h"
#include "console/help.h"
#include "console/number.h"

namespace lambdacast::console {
namespace {

constexpr double kMaxWaitSeconds = 86'400;
constexpr uint64_t kMaxEvents = 4096;
constexpr uint64_t kEvents = 1024;

Answer done(const base::Result<void>& result) {
  if (!result) return tl::unexpected(result.error());
  return std::string();
}

}  // namespace

Dispatcher::Dispatcher(std::vector<Command> commands) {
  for (Command& command : own_commands()) commands.push_back(std::move(command));
  grammar_ = std::make_unique<Grammar>(std::move(commands));
}

Reply Dispatcher::run(const std::string& line, Format format, Client& client) {
  Client* const before = std::exchange(client_, &client);
  Reply reply = grammar_->run(line, format);
  client_ = before;
  return reply;
}

Command Dispatcher::wait_command() {
  return {
      {fixed("wait"), any("SECONDS")},
      0,
      "Lets time pass before the next command of a file.",
      [this](const Arguments& arguments) -> Answer {
        const auto seconds = parse_real(arguments[1], "SECONDS");
        if (!seconds) return tl::unexpected(seconds.error());
        if (*seconds < 0 || *seconds > kMaxWaitSeconds) {
          return base::fail("SECONDS: " + arguments[1] + " is not allowed; allowed: 0 to 86,400");
        }
        client_->wait(*seconds);
        return std::string();
      }};
}

Command Dispatcher::events_command() {
  return {
      {fixed("events"), any("MOST")},
      1,
      "Tells lambdacastctl what happens, as JSON; MOST events may wait for it, 1024 by default.",
      [this](const Arguments& arguments) -> Answer {
        base::Result<uint64_t> most = kEvents;
        if (arguments.size() > 1) most = parse_whole(arguments[1], "MOST", 1, kMaxEvents);
        if (!most) return tl::unexpected(most.error());
        return done(client_->hear_events(*most));
      }};
}

std::vector<Command> Dispatcher::own_commands() {
  const auto help = [this](const Arguments& arguments) -> Answer {
    return help_text(grammar_->commands(), arguments.size() > 1 ? arguments[1] : "");
  };
  const auto catalogue = [this](const Arguments&) -> Answer {
    return catalogue_json(grammar_->commands());
  };
  const auto load = [this](const Arguments& arguments) {
    return done(client_->load(arguments[1]));
  };
  const auto quit = [this](const Arguments&) -> Answer {
    client_->quit();
    return std::string();
  };
  const auto drain = [this](const Arguments&) -> Answer {
    client_->drain();
    return std::string();
  };
  return {wait_command(),
          events_command(),
          {{fixed("load"), any("FILE")}, 0, "Runs the commands of a file.", load},
          {{fixed("help"), rest("COMMAND")},
           1,
           "Lists the commands, or those that begin so.",
           help,
           catalogue},
          {{fixed("drain")}, 0, "Ends the program in order, as SIGTERM does.", drain},
          {{fixed("quit")}, 0, "Ends the program; of lambdacastctl, itself.", quit}};
}

}  // namespace lambdacast::console
