// SPDX-License-Identifier: BSD-3-Clause
// One lock of a group, and two files that its holder writes to. The first one is guarded: it takes
// a line only with a token that is not older than the newest it has taken. The other takes all.
//
//   lock_service CONFIG GROUP FILE     commands from standard input:
//     lock             asks for the lock; "locked" comes when it is this process's
//     unlock           gives it back
//     pass ADDRESS     gives it to the member with that IPv4 address
//     who              the holder, as this process knows it
//     write TEXT       writes by the last token to FILE, then without any to FILE.unfenced
//
// A process may be stopped between its look at the lock and its write. Others have the lock then,
// and no clock of this process tells: only the guarded file is safe.
#include <fcntl.h>
#include <lambdacast/runtime.h>
#include <lambdacast/text.h>
#include <sys/file.h>
#include <unistd.h>

#include <cinttypes>
#include <cstdio>
#include <optional>
#include <sstream>
#include <string>

#include "line_input.h"

namespace lambdacast::examples {
namespace {

constexpr uint32_t kLock = 1;

std::string address(const NodeName& name) {
  const auto& b = name.gid.bytes;
  return std::to_string(b[12]) + "." + std::to_string(b[13]) + "." + std::to_string(b[14]) + "." +
         std::to_string(b[15]);
}

// A resource outside the order. The newest token that it has taken stands in front of its lines, in
// the file itself, and the file's lock makes asking and writing one step.
std::string write_guarded(const std::string& path, const FencingToken& token,
                          const std::string& text) {
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (fd < 0 || ::flock(fd, LOCK_EX) != 0) return "no file";
  char head[80] = {};
  FencingToken newest;
  const ssize_t got = ::pread(fd, head, sizeof head - 1, 0);
  const bool known = got > 0 && std::sscanf(head, "%" SCNu32 " %" SCNu64 " %" SCNu64,
                                            &newest.lineage, &newest.epoch, &newest.place) == 3;
  const bool taken = !known || admits(newest, token);
  if (taken) {
    const int bytes =
        std::snprintf(head, sizeof head, "%010" PRIu32 " %020" PRIu64 " %020" PRIu64 "\n",
                      token.lineage, token.epoch, token.place);
    const std::string line = text + "\n";
    const auto length = static_cast<size_t>(bytes);
    if (::pwrite(fd, head, length, 0) != bytes || ::lseek(fd, 0, SEEK_END) < 0 ||
        ::write(fd, line.data(), line.size()) != static_cast<ssize_t>(line.size()))
      std::fprintf(stderr, "lock_service: %s is not written\n", path.c_str());
  }
  ::close(fd);
  return taken ? "written" : "refused: another holder has written since";
}

void write_unfenced(const std::string& path, const std::string& text) {
  if (std::FILE* const file = std::fopen(path.c_str(), "a")) {
    std::fprintf(file, "%s\n", text.c_str());
    std::fclose(file);
  }
}

class LockService final : public Application, private Handlers {
 public:
  LockService(Groups& groups, std::string group) : Application(groups), group_(std::move(group)) {}

  // All on the lcore, through Runtime::call.
  Result join() { return groups().join(group_, *this); }
  Result leave() { return groups().leave(group_); }
  Result lock() { return groups().acquire(group_, kLock); }
  Result unlock(const std::string& to) {
    const NodeName* heir = nullptr;
    for (const NodeName& member : members_) {
      if (address(member) == to) heir = &member;
    }
    return groups().release(group_, kLock, token_, heir);
  }
  [[nodiscard]] const FencingToken& token() const { return token_; }
  [[nodiscard]] const std::string& holder() const { return holder_; }
  [[nodiscard]] bool is_member() const { return !members_.empty(); }
  [[nodiscard]] bool out() const { return end_.has_value(); }
  [[nodiscard]] std::string take_news() { return std::exchange(news_, {}); }

 private:
  void delivered(const Delivery&, std::span<const uint8_t>) override {}
  void view(const GroupView& view) override {
    members_.assign(view.members.begin(), view.members.end());
  }
  // The last token is kept, as a process keeps it that does not know better.
  void handler(const HandlerEvent& event) override {
    if (event.handler != kLock || event.what == HandlerEvent::What::kQueued) return;
    holder_ = event.what == HandlerEvent::What::kFreed ? "nobody" : address(event.holder);
    if (event.own) token_ = event.token;
    if (event.own) news_ += "locked\n";
  }
  void ended(End reason) override {
    end_ = reason;
    news_ += reason == End::kExcluded ? "excluded\n" : "";
  }

  const std::string group_;
  std::vector<NodeName> members_;
  std::string holder_ = "nobody";
  FencingToken token_;
  std::string news_;
  std::optional<End> end_;
};

template <typename Condition>
void await(Runtime& runtime, Condition&& condition, int most_ms) {
  bool holds = false;
  for (int ms = 0; !holds && ms < most_ms && !runtime.stop_came(); ++ms) {
    runtime.call(0, [&] { holds = condition(); });
    if (!holds) runtime.wait_ms(1);
  }
}

std::string execute(Runtime& runtime, LockService& service, const std::string& file,
                    const std::string& line) {
  std::istringstream words(line);
  std::string command, rest, answer;
  words >> command >> std::ws;
  std::getline(words, rest);
  Result result = Result::kOk;
  FencingToken token;
  runtime.call(0, [&] {
    token = service.token();
    if (command == "lock") result = service.lock();
    if (command == "unlock" || command == "pass") result = service.unlock(rest);
    if (command == "who") answer = service.holder() + "\n";
  });
  if (result != Result::kOk) return std::string(text(result)) + "\n";
  if (command != "write") return answer;
  if (token == FencingToken{}) return "never had the lock\n";
  answer = write_guarded(file, token, rest) + "\n";
  write_unfenced(file + ".unfenced", rest);
  return answer;
}

int run(const char* program, const char* config, const char* group, const std::string& file) {
  constexpr int kEnvironment = 3;
  constexpr int kPatienceMs = 3000;
  std::string problem;
  const std::unique_ptr<Runtime> runtime = Runtime::open(config, program, problem);
  LockService* const service = runtime ? &runtime->add<LockService>(0, group) : nullptr;
  if (service == nullptr || !runtime->start(problem)) {
    std::fprintf(stderr, "lock_service: %s\n", shown_lines(problem).c_str());
    return kEnvironment;
  }
  runtime->call(0, [&] { (void)service->join(); });
  await(
      *runtime, [&] { return service->is_member(); }, 60'000);
  for (LineInput input(*runtime); !input.over();) {
    const auto line = input.next(20);
    std::string said = line ? execute(*runtime, *service, file, *line) : "";
    runtime->call(0, [&] { said += service->take_news(); });
    std::fputs(shown_lines(said).c_str(), stdout);
    std::fflush(stdout);
  }
  runtime->call(0, [&] { (void)service->leave(); });
  await(
      *runtime, [&] { return service->out(); }, kPatienceMs);
  runtime->stop();
  return 0;
}

}  // namespace
}  // namespace lambdacast::examples

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: lock_service CONFIG GROUP FILE\n");
    return 2;
  }
  return lambdacast::examples::run(argv[0], argv[1], argv[2], argv[3]);
}
