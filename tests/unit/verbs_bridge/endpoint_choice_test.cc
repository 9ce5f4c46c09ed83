// SPDX-License-Identifier: BSD-3-Clause
#include "endpoint_choice.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>

namespace lambdacast::verbs {
namespace {

constexpr const char* kOne = R"([[endpoint]]
name = "one"
address = "10.77.0.1"
port = "net_tap0"
path_mtu = 1024
)";
constexpr const char* kOther = R"([[endpoint]]
name = "other"
address = "10.77.0.2"
port = "net_tap1"
)";

class EndpointChoice : public ::testing::Test {
 protected:
  ~EndpointChoice() override { std::remove(path_.c_str()); }
  base::Result<config::Config> choose(const std::string& text, const std::string& endpoint = "") {
    std::ofstream(path_) << text;
    return choose_endpoint({path_, endpoint, "fabric"});
  }
  std::string refusal(const std::string& text, const std::string& endpoint = "") {
    const auto chosen = choose(text, endpoint);
    return chosen ? "" : chosen.error().message;
  }
  const std::string path_ =
      ::testing::TempDir() + "lambdacast_choice_" + std::to_string(::getpid()) + ".toml";
};

TEST_F(EndpointChoice, OfOneNeedsNoName) {
  const auto chosen = choose(kOne);
  ASSERT_TRUE(chosen);
  ASSERT_EQ(chosen->endpoints.size(), 1u);
  EXPECT_EQ(chosen->endpoints[0].name, "one");
  EXPECT_EQ(chosen->endpoints[0].path_mtu, 1024u);
}

TEST_F(EndpointChoice, OfSeveralIsByName) {
  const std::string both = std::string(kOne) + kOther;
  EXPECT_EQ(refusal(both),
            path_ + " has several endpoints; set LAMBDACAST_ENDPOINT to one of one, other");
  EXPECT_EQ(refusal(both, "third"),
            "LAMBDACAST_ENDPOINT=third is none of " + path_ + ": one, other");
  const auto chosen = choose(both, "other");
  ASSERT_TRUE(chosen);
  ASSERT_EQ(chosen->endpoints.size(), 1u);
  EXPECT_EQ(chosen->endpoints[0].port, "net_tap1");
}

TEST_F(EndpointChoice, IsRefusedWithThePlaceOfWhatIsWrong) {
  std::string text = kOne;
  text.replace(text.find("1024"), 4, "1500");
  EXPECT_EQ(refusal(text), path_ +
                               ":5: endpoint.path_mtu: 1500 is not allowed; allowed: 256, 512, "
                               "1024, 2048 or 4096 bytes");
}

TEST_F(EndpointChoice, IsOfADpdkPortOnly) {
  const std::string text = R"([fabric]
name = "rack"
[[endpoint]]
name = "one"
address = "10.77.0.1"
wavelength = "C21"
)";
  EXPECT_NE(refusal(text).find("set LAMBDACAST_FABRIC=rack and LAMBDACAST_WAVELENGTH=C21"),
            std::string::npos);
  std::string verbs = kOne;
  verbs.replace(verbs.find("net_tap0"), 8, "verbs:mlx5_0");
  EXPECT_NE(refusal(verbs).find("is a verbs device already"), std::string::npos);
}

}  // namespace
}  // namespace lambdacast::verbs
