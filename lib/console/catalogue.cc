// SPDX-License-Identifier: BSD-3-Clause
#include "console/catalogue.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

namespace lambdacast::console {
namespace {

using Json = nlohmann::ordered_json;

struct FormName {
  Word::Form form;
  const char* name;
};
constexpr std::array<FormName, 5> kForms = {{{Word::Form::kFixed, "fixed"},
                                             {Word::Form::kChoice, "choice"},
                                             {Word::Form::kAny, "any"},
                                             {Word::Form::kNumber, "number"},
                                             {Word::Form::kRest, "rest"}}};

Json json_of(const Word& word) {
  Json json;
  for (const FormName& each : kForms) {
    if (each.form == word.form) json["form"] = each.name;
  }
  json["name"] = word.name;
  if (word.form == Word::Form::kChoice) json["choices"] = word.choices;
  return json;
}

Word word_of(const Json& json) {
  Word word;
  const std::string form = json.at("form");
  for (const FormName& each : kForms) {
    if (each.name == form) word.form = each.form;
  }
  word.name = json.at("name");
  if (json.contains("choices")) word.choices = json.at("choices");
  return word;
}

}  // namespace

std::string catalogue_json(const std::vector<Command>& commands) {
  Json list = Json::array();
  for (const Command& command : commands) {
    Json words = Json::array();
    for (const Word& word : command.words) words.push_back(json_of(word));
    list.push_back({{"words", words}, {"optional", command.optional}, {"help", command.help}});
  }
  return Json{{"commands", list}}.dump();
}

base::Result<std::vector<Command>> parse_catalogue(std::string_view text) {
  try {
    const Json json = Json::parse(text);
    std::vector<Command> commands;
    for (const Json& each : json.at("commands")) {
      Command& command = commands.emplace_back();
      for (const Json& word : each.at("words")) command.words.push_back(word_of(word));
      command.optional = std::min(each.at("optional").get<size_t>(), command.words.size());
      command.help = each.at("help");
    }
    return commands;
  } catch (const Json::exception&) {
    return base::fail("the list of commands is not as lambdacast writes it");
  }
}

}  // namespace lambdacast::console
