// SPDX-License-Identifier: BSD-3-Clause
#include "console/json.h"

#include <nlohmann/json.hpp>

#include "base/plain_text.h"

namespace lambdacast::console {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const telemetry::Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return base::shown(*text);
  if (const auto* count = std::get_if<uint64_t>(&value)) return *count;
  return std::get<int64_t>(value);
}

}  // namespace

std::string json_of(std::string_view subject, const telemetry::Table& table) {
  Json figures = Json::object();
  for (const telemetry::Figure& figure : table.figures)
    figures[figure.name] = {{"kind", name(figure.kind)}, {"unit", name(figure.unit)}};
  Json rows = Json::array();
  for (const auto& values : table.rows) {
    Json row = Json::object();
    for (size_t i = 0; i < values.size(); ++i) row[table.figures[i].name] = json_of(values[i]);
    rows.push_back(std::move(row));
  }
  Json json = {{"subject", subject}, {"figures", figures}, {"rows", rows}};
  if (!table.notes.empty()) json["notes"] = table.notes;
  return json.dump();
}

std::string json_of_text(std::string_view text) {
  if (text.empty()) return {};
  return Json{{"text", base::shown_lines(text)}}.dump();
}

std::string event_json(const Event& event) {
  Json json = {{"time_ms", event.unix_ms}, {"event", event.kind}};
  if (!event.endpoint.empty()) json["endpoint"] = base::shown(event.endpoint);
  json["text"] = base::shown(event.text);
  return json.dump();
}

}  // namespace lambdacast::console
