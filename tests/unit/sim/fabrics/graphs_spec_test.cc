// SPDX-License-Identifier: BSD-3-Clause
#include "sim/fabrics/graphs_spec.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "sim/fabrics/graphs_figures.h"

namespace lambdacast::sim::fabrics {
namespace graphs_spec_test {

std::string error_of(const std::string& spec) {
  const auto parsed = parse_graph(spec, 1);
  return parsed ? "parsed" : parsed.error().message;
}

TEST(GraphsSpec, every_form__expect_a_connected_graph_by_its_name_with_racks) {
  for (const std::string spec :
       {"fat-tree:4", "jupiter", "jellyfish", "jellyfish:20,50", "wan:20,24,6,5", "hamming:3,2",
        "spine-leaf:4,2", "ring:3", "random:10,12"}) {
    const auto fabric = parse_graph(spec, 1);
    ASSERT_TRUE(fabric) << fabric.error().message;
    EXPECT_EQ(fabric->name, spec);
    EXPECT_FALSE(fabric->racks.empty());
    EXPECT_EQ(unreachable(fabric->graph), kNone);
  }
}

TEST(GraphsSpec, bad_specs__expect_the_spec_and_what_is_allowed) {
  EXPECT_EQ(error_of("fat-tree:7"), "fat-tree:7: K is even");
  EXPECT_EQ(error_of("fat-tree:1000"), "fat-tree:1000: K is 1000: from 2 to 128 are allowed");
  EXPECT_EQ(error_of("fat-tree"), "fat-tree: '' is not a list of whole numbers, as in 4,7");
  EXPECT_EQ(error_of("ring:3,"), "ring:3,: '3,' is not a list of whole numbers, as in 4,7");
  EXPECT_EQ(error_of("ring:-3"), "ring:-3: '-3' is not a list of whole numbers, as in 4,7");
  EXPECT_EQ(error_of("ring:3,4"), "ring:3,4: 2 numbers where 1 are wanted");
  EXPECT_EQ(error_of("random:5,3"), "random:5,3: LINKS is 3: from 4 to 10 are allowed");
  EXPECT_EQ(error_of("wan:9,9,9,3"), "wan:9,9,9,3: DIAMETER is 9: from 2 to 8 are allowed");
  EXPECT_EQ(error_of("wan:6,5,4,5"),
            "wan:6,5,4,5: no connected graph came out of 64 draws: choose other figures");
  EXPECT_EQ(error_of("hamming:1024,3"), "hamming:1024,3: more than 1048576 nodes or 8388608 links");
  EXPECT_EQ(error_of("gml:"), "gml:: the file is missing, as in gml:network.gml");
  EXPECT_EQ(error_of("jupiter:3"),
            std::string("jupiter:3: no such graph: there are ") + kGraphForms);
  EXPECT_TRUE(error_of("gml:/nowhere.gml").starts_with("gml:/nowhere.gml: '/nowhere.gml' cannot"));
}

class GmlFile {
 public:
  explicit GmlFile(const std::string& text) {
    std::string path = (std::filesystem::temp_directory_path() / "lambdacast-XXXXXX").string();
    ::close(::mkstemp(path.data()));
    path_ = path;
    std::ofstream(path_) << text;
  }
  ~GmlFile() { std::filesystem::remove(path_); }
  GmlFile(const GmlFile&) = delete;
  GmlFile& operator=(const GmlFile&) = delete;
  [[nodiscard]] std::string spec() const { return "gml:" + path_; }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

TEST(GraphsSpec, gml_file__expect_its_graph_or_its_line) {
  const GmlFile good("graph [ node [ id 1 ] node [ id 2 ] edge [ source 1 target 2 ] ]");
  const auto fabric = parse_graph(good.spec(), 1);
  ASSERT_TRUE(fabric) << fabric.error().message;
  EXPECT_EQ(fabric->graph.links(), 1u);
  EXPECT_EQ(fabric->racks.size(), 2u);
  const GmlFile bad("graph [\n node [ ] ]");
  EXPECT_EQ(error_of(bad.spec()), bad.spec() + ": " + bad.path() + ":2: a node without an id");
}

TEST(GraphsSpec, gml_file_in_two_parts__expect_both_parts_named) {
  const GmlFile file("graph [ node [ id 1 label \"Ulm\" ] node [ id 2 label \"Bonn\" ] ]");
  EXPECT_EQ(error_of(file.spec()),
            file.spec() + ": the graph is not connected: no path from 'Ulm' to 'Bonn'");
}

// FRANCIS, Table 8. The Topology Zoo's files are not part of the tree: the directory that has them
// is named in the environment.
TEST(GraphsSpec, topology_zoo__expect_table_8) {
  const char* zoo = std::getenv("LAMBDACAST_TOPOLOGY_ZOO");
  if (zoo == nullptr) GTEST_SKIP() << "LAMBDACAST_TOPOLOGY_ZOO names no directory";
  struct {
    const char* file;
    size_t nodes, links;
    uint32_t diameter;
    size_t degree;
  } const kNetworks[] = {{"UsCarrier.gml", 158, 189, 35, 6}, {"Kdl.gml", 754, 895, 58, 7}};
  for (const auto& network : kNetworks) {
    const auto fabric = parse_graph(std::string("gml:") + zoo + "/" + network.file, 1);
    ASSERT_TRUE(fabric) << fabric.error().message;
    const GraphFigures found = figures(fabric->graph);
    EXPECT_EQ(found.nodes, network.nodes);
    EXPECT_EQ(found.links, network.links);
    EXPECT_EQ(found.diameter, network.diameter);
    EXPECT_EQ(found.degree, network.degree);
  }
}

}  // namespace graphs_spec_test
}  // namespace lambdacast::sim::fabrics
