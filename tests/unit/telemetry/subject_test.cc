// SPDX-License-Identifier: BSD-3-Clause
#include "telemetry/subject.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <set>

#include "support.h"

namespace lambdacast::telemetry {
namespace {

// DPDK's telemetry allows no other characters in a key, and 127 bytes of a text.
bool is_key(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return std::islower(static_cast<unsigned char>(c)) != 0 ||
           std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '_';
  });
}

bool is_sentence(const std::string& text) {
  return text.size() > 1 && text.size() <= 127 && text.back() == '.';
}

TEST(SubjectTest, look_at_all_subjects__expect_names_and_sentences_that_telemetry_can_carry) {
  std::set<std::string> names;
  for (const Subject& subject : subjects()) {
    EXPECT_TRUE(is_key(subject.name)) << subject.name;
    EXPECT_TRUE(is_sentence(subject.help)) << subject.name;
    EXPECT_TRUE(names.insert(subject.name).second) << subject.name;
    EXPECT_EQ(find_subject(subject.name), &subject);
    const Table table = subject.table(Snapshot{});
    std::set<std::string> figures;
    bool labelled = false;
    for (const Figure& figure : table.figures) {
      EXPECT_TRUE(is_key(figure.name)) << subject.name << ' ' << figure.name;
      EXPECT_TRUE(is_sentence(figure.help)) << subject.name << ' ' << figure.name;
      EXPECT_TRUE(figures.insert(figure.name).second) << subject.name << ' ' << figure.name;
      labelled = labelled || figure.kind == Kind::kLabel;
    }
    EXPECT_TRUE(labelled) << subject.name;
  }
  EXPECT_EQ(find_subject("nonesuch"), nullptr);
}

TEST(SubjectTest, tell_all_of_a_rack__expect_rows_as_wide_as_their_table_and_labels_that_differ) {
  test::RunningRack running;
  const Snapshot snapshot = take_snapshot(running.source(), {.ports = true, .groups = true});
  for (const Subject& subject : subjects()) {
    const Table table = subject.table(snapshot);
    std::set<std::vector<Value>> labels;
    for (const auto& row : table.rows) {
      ASSERT_EQ(row.size(), table.figures.size()) << subject.name;
      std::vector<Value> label;
      for (size_t i = 0; i < row.size(); ++i) {
        const Kind kind = table.figures[i].kind;
        if (kind == Kind::kLabel) label.push_back(row[i]);
        EXPECT_EQ(std::holds_alternative<uint64_t>(row[i]) && kind == Kind::kText, false);
        EXPECT_TRUE(kind != Kind::kCounter || std::holds_alternative<uint64_t>(row[i]));
      }
      EXPECT_TRUE(labels.insert(label).second) << subject.name;
    }
  }
}

TEST(SubjectTest, choose_an_endpoint__expect_its_rows_alone) {
  const Table table{
      {{"endpoint", Kind::kLabel, Unit::kNone, "E."}, {"count", Kind::kCounter, Unit::kNone, "C."}},
      {{Value("a"), Value(uint64_t{1})}, {Value("b"), Value(uint64_t{2})}}};
  const Table chosen = of_endpoint(table, "b");
  ASSERT_EQ(chosen.rows.size(), 1u);
  EXPECT_EQ(chosen.rows[0][1], Value(uint64_t{2}));
  EXPECT_TRUE(of_endpoint(table, "c").rows.empty());
}

}  // namespace
}  // namespace lambdacast::telemetry
