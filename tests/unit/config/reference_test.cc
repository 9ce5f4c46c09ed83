// SPDX-License-Identifier: BSD-3-Clause
#include "config/reference.h"

#include <cstdlib>

#include "config/key.h"
#include "support.h"

namespace lambdacast::config {
namespace {

// With LAMBDACAST_WRITE_GUIDE set, writes the reference into the guide in place of comparing.
TEST(Reference, guide_has_it) {
  std::string guide = read_source_file("doc/guide/configuration.md");
  const std::size_t begin = guide.find(kReferenceBegin);
  const std::size_t end = guide.find(kReferenceEnd);
  ASSERT_NE(begin, std::string::npos);
  ASSERT_NE(end, std::string::npos);
  const std::size_t from = begin + kReferenceBegin.size();
  const std::string expected = reference();
  if (std::getenv("LAMBDACAST_WRITE_GUIDE")) {
    guide.replace(from, end - from, expected);
    std::ofstream(LAMBDACAST_SOURCE_ROOT "/doc/guide/configuration.md") << guide;
    GTEST_SKIP() << "guide written";
  }
  EXPECT_EQ(guide.substr(from, end - from), expected)
      << "run this test once with LAMBDACAST_WRITE_GUIDE=1 and commit doc/guide/configuration.md";
}

TEST(Reference, every_key_explains_itself) {
  for (const Section& section : sections()) {
    for (const Key* key : section.keys) {
      EXPECT_FALSE(key->help.empty()) << key->name;
      EXPECT_NE(key->help.back(), '.') << key->name;
      EXPECT_EQ(key->allowed_text().find('|'), std::string::npos) << "a bar would end the cell";
      EXPECT_EQ(find_key(section.name, key->name), key) << "twice in its section";
      EXPECT_NE(reference().find("| `" + std::string(key->name) + "` |"), std::string::npos);
    }
  }
  EXPECT_EQ(find_key("endpoint", "colour"), nullptr);
  EXPECT_EQ(find_key("colour", "name"), nullptr);
}

}  // namespace
}  // namespace lambdacast::config
