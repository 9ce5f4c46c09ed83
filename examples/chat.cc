// SPDX-License-Identifier: BSD-3-Clause
// A chat over a group: all who take part see the same lines in the same order, and who comes later
// gets the last of them first.
//
//   chat CONFIG GROUP NICK     lines from standard input go to the group, until its end
//
// The whole of what an application needs: handlers for a group, a thread that publishes, and a
// mailbox from the lcore to the terminal.
#include <cstdio>
#include <cstring>
#include <deque>
#include <string>

#include "base/mailbox.h"
#include "base/plain_text.h"
#include "lambdacast/group.h"
#include "line_input.h"
#include "rack/application.h"

namespace lambdacast::examples {
namespace {

constexpr size_t kHistory = 20;  // lines that a newcomer gets
constexpr size_t kLineBytes = 1000;
constexpr int kPatienceMs = 3000;

struct Line {
  char text[kLineBytes + 128];
};

class Chat final : public rack::Application, private Handlers {
 public:
  Chat(rack::Endpoint& endpoint, std::string group)
      : Application(endpoint), group_(std::move(group)) {}

  // --- on the lcore, through Runtime::call ----------------------------------------------------
  Result join() { return groups().join(group_, *this); }
  Result leave() { return groups().leave(group_); }
  Result say(const std::string& text) {
    return groups().publish(std::string_view(group_),
                            {reinterpret_cast<const uint8_t*>(text.data()), text.size()},
                            Qos::kTotallyOrdered);
  }
  [[nodiscard]] bool takes_part() const { return takes_part_; }
  [[nodiscard]] bool out() const { return out_; }

  // --- on the terminal's thread ----------------------------------------------------------------
  void show() {
    while (const Line* const line = lines_.front()) {
      std::puts(line->text);
      lines_.pop();
    }
    std::fflush(stdout);
  }

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
    print(base::shown(line));
  }
  void print(const std::string& text) {
    Line* const line = lines_.begin();
    if (line == nullptr) return;  // the terminal is slower than the group
    const size_t bytes = std::min(text.size(), sizeof line->text - 1);
    std::memcpy(line->text, text.data(), bytes);
    line->text[bytes] = 0;
    lines_.push();
  }

  const std::string group_;
  std::deque<std::string> history_;
  bool takes_part_ = false;
  bool out_ = false;
  base::Mailbox<Line, 256> lines_;
};

int complain(const std::string& sentence) {
  std::fprintf(stderr, "chat: %s\n", base::shown_lines(sentence).c_str());
  return 3;
}

// The result of a call on the lcore, repeated for as long as that says "again".
template <typename Call>
Result on_lcore(rack::Runtime& runtime, Call&& call) {
  Result result = Result::kAgain;
  do {
    runtime.call(0, [&] { result = call(); });
  } while (result == Result::kAgain && !runtime.stop_signal().wait_ms(1));
  return result;
}

int run(const char* program, const char* config, const char* group, const std::string& nick) {
  auto opened = rack::Runtime::open(config, program);
  if (!opened) return complain(opened.error().message);
  rack::Runtime& runtime = **opened;
  std::fputs(runtime.notes().c_str(), stderr);
  Chat& chat = runtime.add<Chat>(0, group);
  if (auto started = runtime.start(); !started) return complain(started.error().message);
  if (const Result joined = on_lcore(runtime, [&] { return chat.join(); }); joined != Result::kOk)
    return complain(std::string(text(joined)));

  LineInput input(runtime.stop_signal());
  bool takes_part = false;
  while (!input.over()) {
    chat.show();
    runtime.call(0, [&] { takes_part = chat.takes_part(); });
    if (!takes_part) {
      runtime.stop_signal().wait_ms(10);
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
  for (int ms = 0; !out && ms < kPatienceMs && !runtime.stop_signal().wait_ms(1); ++ms)
    runtime.call(0, [&] { out = chat.out(); });
  chat.show();
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
