// SPDX-License-Identifier: BSD-3-Clause
#include "console/catalogue.h"

#include <gtest/gtest.h>

namespace lambdacast::console {
namespace {

TEST(CatalogueTest, write_and_read__expect_the_same_words) {
  const std::vector<Command> commands = {
      {{fixed("set"), choice("KIND", {"a", "b"}), any("VALUE")}, 1, "Sets.", {}},
      {{fixed("send"), number("GROUP"), rest("TEXT")}, 0, "Sends \"it\".", {}}};
  const auto read = parse_catalogue(catalogue_json(commands));
  ASSERT_TRUE(read);
  ASSERT_EQ(read->size(), 2u);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(usage((*read)[i]), usage(commands[i]));
    EXPECT_EQ((*read)[i].help, commands[i].help);
    for (size_t k = 0; k < commands[i].words.size(); ++k) {
      EXPECT_EQ((*read)[i].words[k].form, commands[i].words[k].form);
      EXPECT_EQ((*read)[i].words[k].choices, commands[i].words[k].choices);
    }
  }
}

TEST(CatalogueTest, read_what_is_none__expect_an_error) {
  for (const char* text : {"", "{", "[]", "{\"commands\":[{}]}", "{\"commands\":[{\"words\":[3]}]}",
                           "{\"commands\":{\"a\":1}}"}) {
    EXPECT_FALSE(parse_catalogue(text)) << text;
  }
}

TEST(CatalogueTest, read_more_optional_words_than_words__expect_as_many_as_there_are) {
  const auto read = parse_catalogue(
      R"({"commands":[{"words":[{"form":"fixed","name":"x"}],"optional":9,"help":""}]})");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->front().optional, 1u);
}

}  // namespace
}  // namespace lambdacast::console
