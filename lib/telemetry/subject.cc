#include "telemetry/subject.h"

#include <algorithm>
#include <cstring>

namespace lambdacast::telemetry {
namespace {

constexpr Subject kSubjects[] = {
    {"stages",
     "The stages of each endpoint: what came in, went on and was dropped.",
     Layout::kGrid,
     {},
     stages_table},
};

}  // namespace

std::span<const Subject> subjects() { return kSubjects; }

const Subject* find_subject(std::string_view name) {
  const auto all = subjects();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Subject& each) { return each.name == name; });
  return found == all.end() ? nullptr : &*found;
}

Table of_endpoint(Table table, const std::string& endpoint) {
  const auto label =
      std::find_if(table.figures.begin(), table.figures.end(), [](const Figure& figure) {
        return figure.kind == Kind::kLabel && std::strcmp(figure.name, "endpoint") == 0;
      });
  if (label == table.figures.end()) return table;
  const auto at = static_cast<size_t>(label - table.figures.begin());
  std::erase_if(table.rows,
                [&](const std::vector<Value>& row) { return row[at] != Value(endpoint); });
  return table;
}

}  // namespace lambdacast::telemetry
