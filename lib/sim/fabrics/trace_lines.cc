// SPDX-License-Identifier: BSD-3-Clause
#include "sim/fabrics/trace_lines.h"

namespace lambdacast::sim::fabrics {

namespace {

// Words with a blank between.
class Words {
 public:
  void add(const std::string& word) { text_ += (text_.empty() ? "" : ", ") + word; }
  [[nodiscard]] std::string text() const { return text_.empty() ? "nothing" : text_; }

 private:
  std::string text_;
};

const char* word_of(clock_sync::ItemKind kind) {
  switch (kind) {
    case clock_sync::ItemKind::kWave:
      return "wave";
    case clock_sync::ItemKind::kEcho:
      return "echo";
    case clock_sync::ItemKind::kMove:
      return "move";
    case clock_sync::ItemKind::kResult:
      return "result";
  }
  return "?";
}

const char* word_of(congest::Action action) {
  switch (action) {
    case congest::Action::kAcknowledge:
      return "acknowledgement";
    case congest::Action::kMessage:
      return "message";
    case congest::Action::kNothing:
      return "nothing this round";
    case congest::Action::kSync:
      return "SYNC";
    case congest::Action::kComplete:
      return "COMPLETE";
    case congest::Action::kEnd:
      return "END";
  }
  return "?";
}

const char* word_of(trees::RecordKind kind) {
  switch (kind) {
    case trees::RecordKind::kFlood:
      return "flood";
    case trees::RecordKind::kBits:
      return "bits";
    case trees::RecordKind::kSubtree:
      return "subtree";
    case trees::RecordKind::kGo:
      return "go";
    case trees::RecordKind::kRound:
      return "end of round";
    case trees::RecordKind::kCluster:
      return "cluster";
    case trees::RecordKind::kKeep:
      return "keep";
    case trees::RecordKind::kList:
      return "list";
    case trees::RecordKind::kRange:
      return "range";
    case trees::RecordKind::kCounts:
      return "counts";
    case trees::RecordKind::kFarthest:
      return "farthest";
    case trees::RecordKind::kLayers:
      return "layers";
    case trees::RecordKind::kAbove:
      return "above";
  }
  return "?";
}

}  // namespace

std::string text_of(const clock_sync::Frame& frame) {
  Words words;
  if (frame.has_flood)
    words.add("flood " + std::to_string(frame.flood.generation) + " of " +
              std::to_string(frame.flood.address) + (frame.child ? " as a child" : ""));
  if (frame.has_time)
    words.add("time of " + std::to_string(frame.time_root) + " by " + std::to_string(frame.hops) +
              " hops");
  if (frame.asks) words.add("asks");
  if (frame.answers) words.add("answers");
  if (frame.reports) words.add(frame.leaf ? "reports as a leaf" : "reports");
  for (size_t i = 0; i < frame.items; ++i)
    words.add(std::string(word_of(frame.item[i].kind)) + " of " +
              std::to_string(frame.item[i].root) + " " + std::to_string(frame.item[i].first));
  if (frame.numbered()) words.add("number " + std::to_string(frame.number));
  if (frame.acknowledges) words.add("acknowledges " + std::to_string(frame.last));
  return words.text();
}

std::string text_of(const congest::Frame& frame) {
  std::string text = word_of(frame.action);
  if (frame.action == congest::Action::kAcknowledge) return text;
  text += " " + std::to_string(frame.sequence);
  if (frame.action != congest::Action::kMessage) return text;
  for (const uint32_t word : frame.message.words) text += " " + std::to_string(word);
  return text + (frame.odd_round ? ", odd round" : ", even round");
}

std::string text_of(const trees::RepairFrame& frame) {
  Words words;
  if (frame.name.exists())
    words.add("flood " + std::to_string(frame.name.generation) + " of " +
              std::to_string(frame.name.detector));
  if (frame.asks) words.add("asks");
  if (frame.answers) words.add("answers");
  if (frame.numbered) words.add("number " + std::to_string(frame.number));
  std::span<const uint8_t> body = frame.records();
  while (const auto record = trees::take_record(body)) words.add(word_of(record->kind));
  if (frame.acknowledges) words.add("acknowledges up to " + std::to_string(frame.next));
  return words.text();
}

std::string trace_line(const congest::Graph& graph, congest::ArcId arc, const Transit& transit,
                       const std::string& what) {
  return std::to_string(transit.start_ns) + " ns  " + std::to_string(graph.from(arc)) + " -> " +
         std::to_string(graph.to(arc)) + "  " + what + (transit.copies == 0 ? "; lost" : "") +
         (transit.copies == 2 ? "; twice" : "");
}

}  // namespace lambdacast::sim::fabrics
