// SPDX-License-Identifier: BSD-3-Clause
// A map that every process of a group has a copy of: changes are totally ordered messages, applied
// where they are delivered, so all copies are the same after the same changes.
//
//   replicated_map CONFIG GROUP     commands from standard input:
//     put KEY VALUE    sets; answers "stored" when every member has it
//     del KEY
//     get KEY          from this copy
//     list
//     members
//
// State for newcomers is the map itself.
#include <lambdacast/runtime.h>
#include <lambdacast/text.h>

#include <algorithm>
#include <climits>
#include <cstdio>
#include <map>
#include <optional>
#include <sstream>
#include <string>

#include "line_input.h"

namespace lambdacast::examples {
namespace {

class ReplicatedMap final : public Application, private Handlers, private Completion {
 public:
  ReplicatedMap(Groups& groups, std::string group)
      : Application(groups), group_(std::move(group)) {}

  // All on the lcore, through Runtime::call.
  Result join() { return groups().join(group_, *this); }
  Result leave() { return groups().leave(group_); }
  // A change is "key\0value", or "key" alone: it goes.
  Result change(const std::string& text) {
    fate_ = Fate::kUnderWay;
    return groups().publish(std::string_view(group_),
                            {reinterpret_cast<const uint8_t*>(text.data()), text.size()},
                            Qos::kTotallyResilient, this, 0);
  }
  enum class Fate { kUnderWay, kStable, kUnknown };
  [[nodiscard]] Fate fate() const { return fate_; }
  [[nodiscard]] bool is_member() const { return is_member_; }
  [[nodiscard]] bool out() const { return end_.has_value(); }
  [[nodiscard]] bool excluded() const { return end_ == End::kExcluded; }
  [[nodiscard]] std::string answer(const std::string& command, const std::string& key) const {
    std::string text;
    if (command == "members") return std::to_string(members_) + " members\n";
    for (const auto& [name, value] : map_) {
      if (command == "list" || name == key) text += name + " = " + value + "\n";
    }
    return text.empty() ? "nothing\n" : text;
  }

 private:
  void delivered(const Delivery&, std::span<const uint8_t> message) override {
    apply({reinterpret_cast<const char*>(message.data()), message.size()});
  }
  void view(const GroupView& view) override {
    is_member_ = true;
    members_ = view.members.size();
  }
  void snapshot(std::vector<uint8_t>& out) override {
    for (const auto& [key, value] : map_) {
      const std::string change = key + '\0' + value;
      for (const int shift : {24, 16, 8, 0})
        out.push_back(static_cast<uint8_t>(change.size() >> shift));
      out.insert(out.end(), change.begin(), change.end());
    }
  }
  void restore(std::span<const uint8_t> state) override {
    while (state.size() >= 4) {
      size_t bytes = 0;
      for (const uint8_t byte : state.first(4)) bytes = bytes << 8 | byte;
      bytes = std::min(bytes, state.size() - 4);
      apply({reinterpret_cast<const char*>(state.data()) + 4, bytes});
      state = state.subspan(4 + bytes);
    }
  }
  void state_lost() override { map_.clear(); }
  void ended(End reason) override { end_ = reason; }
  void stable(uint64_t) override { fate_ = Fate::kStable; }
  void unknown(uint64_t) override { fate_ = Fate::kUnknown; }

  void apply(const std::string& change) {
    const size_t end = change.find('\0');
    if (end == std::string::npos) {
      map_.erase(change);
    } else {
      map_[change.substr(0, end)] = change.substr(end + 1);
    }
  }

  const std::string group_;
  std::map<std::string, std::string> map_;
  size_t members_ = 0;
  Fate fate_ = Fate::kUnderWay;
  bool is_member_ = false;
  std::optional<End> end_;
};

std::nullptr_t complain(const std::string& sentence) {
  std::fprintf(stderr, "replicated_map: %s\n", shown_lines(sentence).c_str());
  return nullptr;
}

// Without a quorum nothing is ordered: who leaves does not wait for ever.
constexpr int kPatienceMs = 3000;

template <typename Condition>
void await(Runtime& runtime, Condition&& condition, int most_ms = INT_MAX) {
  bool holds = false;
  for (int ms = 0; !holds && ms < most_ms && !runtime.stop_came(); ++ms) {
    runtime.call(0, [&] { holds = condition(); });
    if (!holds) runtime.wait_ms(1);
  }
}

std::string execute(Runtime& runtime, ReplicatedMap& map, const std::string& line) {
  std::istringstream words(line);
  std::string command, key, value, answer;
  words >> command >> key >> std::ws;
  std::getline(words, value);
  if (command == "get" || command == "list" || command == "members") {
    runtime.call(0, [&] { answer = map.answer(command, key); });
    return answer;
  }
  if ((command != "put" || value.empty()) && (command != "del" || key.empty()))
    return "commands: put KEY VALUE, del KEY, get KEY, list, members\n";
  const std::string change = command == "put" ? key + '\0' + value : key;
  Result result = Result::kAgain;
  await(runtime, [&] { return (result = map.change(change)) != Result::kAgain; });
  if (result != Result::kOk) return std::string(text(result)) + "\n";
  await(runtime, [&] { return map.fate() != ReplicatedMap::Fate::kUnderWay; });
  return map.fate() == ReplicatedMap::Fate::kStable ? "stored\n" : "not known\n";
}

// In the group, with its state; null: why not is said.
ReplicatedMap* take_part(Runtime& runtime, const char* group) {
  ReplicatedMap& map = runtime.add<ReplicatedMap>(0, group);
  std::string problem;
  if (!runtime.start(problem)) return complain(problem);
  Result joined = Result::kOk;
  runtime.call(0, [&] { joined = map.join(); });
  if (joined != Result::kOk) return complain(std::string(text(joined)));
  await(runtime, [&] { return map.is_member(); });
  return &map;
}

// Stopped for too long the others went on without us: what they have since, another life is given.
ReplicatedMap* come_back(Runtime& runtime, const char* group) {
  std::string problem;
  if (!runtime.begin_again(problem)) return complain(problem);
  return take_part(runtime, group);
}

int run(const char* program, const char* config, const char* group) {
  constexpr int kEnvironment = 3;
  std::string problem;
  const std::unique_ptr<Runtime> opened = Runtime::open(config, program, problem);
  if (!opened) {
    complain(problem);
    return kEnvironment;
  }
  Runtime& runtime = *opened;
  std::fputs(runtime.notes().c_str(), stderr);
  ReplicatedMap* map = take_part(runtime, group);
  for (LineInput input(runtime); map != nullptr && !input.over();) {
    const auto line = input.next(1000);
    if (line && !line->empty()) {
      std::fputs(shown_lines(execute(runtime, *map, *line)).c_str(), stdout);
      std::fflush(stdout);
    }
    bool excluded = false;
    runtime.call(0, [&] { excluded = map->excluded(); });
    if (excluded) map = come_back(runtime, group);
  }
  if (map == nullptr) return kEnvironment;
  runtime.call(0, [&] { (void)map->leave(); });
  await(
      runtime, [&] { return map->out(); }, kPatienceMs);
  runtime.stop();
  return 0;
}

}  // namespace
}  // namespace lambdacast::examples

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: replicated_map CONFIG GROUP\n");
    return 2;
  }
  return lambdacast::examples::run(argv[0], argv[1], argv[2]);
}
