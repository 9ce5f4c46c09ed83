// SPDX-License-Identifier: BSD-3-Clause
// A chat over a group: all who take part see the same lines in the same order, and who comes later
// gets the last of them first.
//
//   chat CONFIG GROUP NICK     lines from standard input go to the group, until its end
//
// The whole of what an application needs: handlers for a group, a thread that publishes, and lines
// that wait on the lcore for the terminal.
#include <lambdacast/runtime.h>
#include <lambdacast/text.h>

#include <algorithm>
#include <cstdio>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "line_input.h"

namespace lambdacast::examples {
namespace {

constexpr size_t kHistory = 20;  // lines that a newcomer gets
constexpr size_t kLineBytes = 1000;
constexpr size_t kWaitingLines = 256;
constexpr int kPatienceMs = 3000;

// All of it on the lcore, through Runtime::call.
class Chat final : public Application, private Handlers {
 public:
  Chat(Groups& groups, std::string group) : Application(groups), group_(std::move(group)) {}

  Result join() { return groups().join(group_, *this); }
  Result leave() { return groups().leave(group_); }
  Result say(const std::string& text) {
    return groups().publish(std::string_view(group_),
                            {reinterpret_cast<const uint8_t*>(text.data()), text.size()},
                            Qos::kTotallyOrdered);
  }
  [[nodiscard]] bool takes_part() const { return takes_part_; }
  [[nodiscard]] bool out() const { return out_; }
  // The lines that have come since the last call.
  [[nodiscard]] std::vector<std::string> take_lines() { return std::exchange(lines_, {}); }

 private:
  void delivered(const Delivery&, std::span<const uint8_t> message) override {
    remember({reinterpret_cast<const char*>(message.data()), message.size()});
  }
  void view(const GroupView& view) override {
    takes_part_ = true;
    print("* " + std::to_string(view.members.size()) + " take part");
  }
  void snapshot(std::vector<uint8_t>& out) override {
    for (const std::string& line : history_) {
      out.insert(out.end(), line.begin(), line.end());
      out.push_back('\n');
    }
  }
  void restore(std::span<const uint8_t> state) override {
    std::string line;
    for (const uint8_t byte : state) {
      if (byte != '\n') {
        line += static_cast<char>(byte);
        continue;
      }
      remember(line);
      line.clear();
    }
  }
  void ended(End reason) override {
    out_ = true;
    print("* out: " + std::string(text(reason)));
  }

  void remember(const std::string& line) {
    history_.push_back(line);
    if (history_.size() > kHistory) history_.pop_front();
    print(shown(line));
  }
  void print(const std::string& text) {
    if (lines_.size() < kWaitingLines) lines_.push_back(text);  // the terminal may be too slow
  }

  const std::string group_;
  std::deque<std::string> history_;
  bool takes_part_ = false;
  bool out_ = false;
  std::vector<std::string> lines_;
};

int complain(const std::string& sentence) {
  std::fprintf(stderr, "chat: %s\n", shown_lines(sentence).c_str());
  return 3;
}

void show(Runtime& runtime, Chat& chat) {
  std::vector<std::string> lines;
  runtime.call(0, [&] { lines = chat.take_lines(); });
  for (const std::string& line : lines) std::puts(line.c_str());
  std::fflush(stdout);
}

// The result of a call on the lcore, repeated for as long as that says "again".
template <typename Call>
Result on_lcore(Runtime& runtime, Call&& call) {
  Result result = Result::kAgain;
  do {
    runtime.call(0, [&] { result = call(); });
  } while (result == Result::kAgain && !runtime.wait_ms(1));
  return result;
}

int run(const char* program, const char* config, const char* group, const std::string& nick) {
  std::string problem;
  const std::unique_ptr<Runtime> opened = Runtime::open(config, program, problem);
  if (!opened) return complain(problem);
  Runtime& runtime = *opened;
  std::fputs(runtime.notes().c_str(), stderr);
  Chat& chat = runtime.add<Chat>(0, group);
  if (!runtime.start(problem)) return complain(problem);
  if (const Result joined = on_lcore(runtime, [&] { return chat.join(); }); joined != Result::kOk)
    return complain(std::string(text(joined)));

  LineInput input(runtime);
  bool takes_part = false;
  while (!input.over()) {
    show(runtime, chat);
    runtime.call(0, [&] { takes_part = chat.takes_part(); });
    if (!takes_part) {
      runtime.wait_ms(10);
      continue;
    }
    const auto line = input.next(50);
    if (!line || line->empty()) continue;
    const std::string message = (nick + ": " + *line).substr(0, kLineBytes);
    const Result said = on_lcore(runtime, [&] { return chat.say(message); });
    if (said != Result::kOk) return complain(std::string(text(said)));
  }
  // What was said before is ordered before the leave. Without a quorum nothing is ordered.
  (void)on_lcore(runtime, [&] { return chat.leave(); });
  bool out = false;
  for (int ms = 0; !out && ms < kPatienceMs && !runtime.wait_ms(1); ++ms)
    runtime.call(0, [&] { out = chat.out(); });
  show(runtime, chat);
  runtime.stop();
  return 0;
}

}  // namespace
}  // namespace lambdacast::examples

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: chat CONFIG GROUP NICK\n");
    return 2;
  }
  return lambdacast::examples::run(argv[0], argv[1], argv[2], argv[3]);
}
