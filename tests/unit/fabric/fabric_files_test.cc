// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/fabric_files.h"

#include <gtest/gtest.h>

namespace lambdacast::fabric {
namespace {

TEST(FabricFilesTest, names__expect_data_stems_of_their_own_without_what_eal_sweeps) {
  EXPECT_NE(data_stem("rack"), data_stem("rack4"));
  EXPECT_EQ(data_stem("map_x").find("map_"), std::string::npos);
}

TEST(FabricFilesTest, no_hugetlbfs__expect_the_data_in_shared_memory_alone) {
  const std::string stem = data_stem("rack");
  EXPECT_EQ(data_paths({"/shm", ""}, "rack"), std::vector<std::string>{"/shm/" + stem});
  EXPECT_EQ(data_paths({"/shm", "/huge"}, "rack"),
            (std::vector<std::string>{"/shm/" + stem, "/huge/" + stem}));
}

}  // namespace
}  // namespace lambdacast::fabric
