// SPDX-License-Identifier: BSD-3-Clause
#include "lambdacast-sim/pictures.h"

#include <gtest/gtest.h>

namespace lambdacast::sim_program {
namespace {

TEST(Pictures, names_of_graphs__expect_files_without_folders_and_colons) {
  EXPECT_EQ(Pictures::file_name("clock-fast-fat-tree:64"), "clock-fast-fat-tree-64");
  EXPECT_EQ(Pictures::file_name("trees-gml:/some/where/Kdl.gml"), "trees-gml-Kdl-gml");
}

TEST(Pictures, no_folder__expect_nothing_wanted_missing_or_drawn) {
  Pictures pictures("");
  EXPECT_FALSE(pictures.wanted());
  EXPECT_EQ(pictures.missing(), "");
  pictures.point("a", {}, "b", 1, 2);
  EXPECT_EQ(pictures.draw(), "");
}

TEST(Pictures, folder_that_is_not_there__expect_the_file_named_that_cannot_be_written) {
  Pictures pictures(::testing::TempDir() + "lambdacast-no-such-folder");
  pictures.point("a:1", {}, "b", 1, 2);
  EXPECT_NE(pictures.draw().find("a-1.svg"), std::string::npos);
}

}  // namespace
}  // namespace lambdacast::sim_program
