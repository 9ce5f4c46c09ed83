// SPDX-License-Identifier: BSD-3-Clause
#include "interactive.h"

#include <poll.h>
#include <unistd.h>

#include <string>
#include <utility>

#include "base/plain_text.h"
#include "console/catalogue.h"
#include "console/grammar.h"
#include "console/line_editor.h"
#include "console/terminal.h"

namespace lambdacast::ctl_tool {
namespace {

constexpr char kPrompt[] = "lambdacast> ";

// What the process can do, for completion: nothing of it runs here.
base::Result<std::vector<console::Command>> commands_of(ctl::Client& client) {
  const auto answer = client.ask({ctl::Format::kJson, "help"});
  if (!answer) return tl::unexpected(answer.error());
  if (!answer->ok) return base::fail(answer->text);
  return console::parse_catalogue(answer->text);
}

// False: the end of the input.
bool take_keys(console::LineEditor& editor, const Runner& runner) {
  char keys[256];
  const ssize_t got = ::read(STDIN_FILENO, keys, sizeof keys);
  if (got <= 0) return false;
  for (ssize_t i = 0; i < got && !runner.quits() && runner.connected(); ++i) {
    if (!editor.feed(keys[i])) return false;
  }
  return true;
}

}  // namespace

base::Result<void> run_interactive(ctl::Client& client, Runner& runner) {
  auto commands = commands_of(client);
  if (!commands) return tl::unexpected(commands.error());
  console::Grammar grammar(std::move(*commands));
  const console::RawTerminal terminal(STDIN_FILENO);
  console::LineEditor editor(grammar, kPrompt, print, [&](const std::string& line) {
    const Runner::Shown shown = runner.ask(line);
    runner.note(shown);
    return shown.text;
  });
  editor.prompt();
  while (!runner.quits() && runner.connected()) {
    pollfd wanted[] = {{STDIN_FILENO, POLLIN, 0}, {client.fd(), POLLIN, 0}};
    if (::poll(wanted, 2, -1) < 0) continue;
    if (wanted[0].revents != 0 && !take_keys(editor, runner)) break;
    if (wanted[1].revents == 0 || runner.quits() || !runner.connected()) continue;
    const auto event = client.next_event();
    if (!event) return tl::unexpected(event.error());
    if (!*event) return base::fail("the lambdacast has ended");
    editor.interject(base::shown(**event) + "\n");
  }
  print("\n");
  return {};
}

}  // namespace lambdacast::ctl_tool
