// SPDX-License-Identifier: BSD-3-Clause
#include "telemetry/server.h"

#include <rte_telemetry.h>

#include <cerrno>
#include <charconv>
#include <mutex>
#include <optional>
#include <string>

#include "counters/drop_reason.h"
#include "telemetry/reply.h"
#include "telemetry/subject.h"

namespace lambdacast::telemetry {
namespace {

constexpr std::string_view kPrefix = "/lambdacast/";

// DPDK calls back with the command's name alone, from threads of its own.
std::mutex serving;
std::optional<Source> source;

struct Request {
  std::string endpoint;  // "": all
  size_t first = 0;
};

std::optional<Request> parse(const char* parameters) {
  Request request;
  if (parameters == nullptr) return request;
  const std::string text = parameters;
  const size_t comma = text.find(',');
  request.endpoint = text.substr(0, comma);
  if (comma == std::string::npos) return request;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data() + comma + 1, end, request.first);
  if (error != std::errc() || stop != end) return {};
  return request;
}

bool is_endpoint(const std::string& name) {
  for (const config::Endpoint& endpoint : source->config.endpoints) {
    if (endpoint.name == name) return true;
  }
  return false;
}

int answer_subject(const char* command, const char* parameters, rte_tel_data* data) {
  const std::lock_guard lock(serving);
  const Subject* subject = find_subject(std::string_view(command).substr(kPrefix.size()));
  const auto request = parse(parameters);
  if (!source || subject == nullptr || !request) return -EINVAL;
  if (!request->endpoint.empty() && !is_endpoint(request->endpoint)) return -EINVAL;
  Table table = subject->table(take_snapshot(*source, subject->needs));
  if (!request->endpoint.empty()) table = of_endpoint(std::move(table), request->endpoint);
  reply_rows(data, table, request->first);
  return 0;
}

int answer_endpoint(const char*, const char* parameters, rte_tel_data* data) {
  const std::lock_guard lock(serving);
  if (!source) return -EINVAL;
  const Subject& subject = *find_subject("endpoint");
  Table table = subject.table(take_snapshot(*source, subject.needs));
  if (parameters == nullptr || *parameters == ',') {
    const auto request = parse(parameters);
    if (!request) return -EINVAL;
    reply_rows(data, table, request->first);
    return 0;
  }
  table = of_endpoint(std::move(table), parameters);
  if (table.rows.size() != 1) return -EINVAL;
  rte_tel_data_start_dict(data);
  add_row(data, table, table.rows[0]);
  return 0;
}

int answer_endpoints(const char*, const char*, rte_tel_data* data) {
  const std::lock_guard lock(serving);
  if (!source) return -EINVAL;
  rte_tel_data_start_array(data, RTE_TEL_STRING_VAL);
  for (const config::Endpoint& endpoint : source->config.endpoints) {
    rte_tel_data_add_array_string(data, endpoint.name.c_str());
  }
  return 0;
}

int answer_subjects(const char*, const char*, rte_tel_data* data) {
  rte_tel_data_start_array(data, RTE_TEL_STRING_VAL);
  for (const Subject& subject : subjects()) rte_tel_data_add_array_string(data, subject.name);
  return 0;
}

int answer_figures(const char*, const char* parameters, rte_tel_data* data) {
  const Subject* subject = find_subject(parameters == nullptr ? "" : parameters);
  if (subject == nullptr) return -EINVAL;
  reply_figures(data, subject->table(Snapshot{}));
  return 0;
}

int answer_drop_reasons(const char*, const char*, rte_tel_data* data) {
  rte_tel_data_start_dict(data);
  for (size_t i = 1; i < counters::kDropReasons; ++i) {
    const auto reason = static_cast<counters::DropReason>(i);
    rte_tel_data_add_dict_string(data, counters::name(reason), counters::help(reason));
  }
  return 0;
}

void offer(std::string_view name, telemetry_cb answer, const std::string& help) {
  rte_telemetry_register_cmd((std::string(kPrefix) + std::string(name)).c_str(), answer,
                             help.c_str());
}

void offer_all() {
  for (const Subject& subject : subjects()) {
    const bool flat = std::string_view(subject.name) == "endpoint";
    offer(subject.name, flat ? answer_endpoint : answer_subject,
          subject.help + std::string(flat ? " Parameters: string name"
                                          : " Parameters: [string endpoint[, int first_row]]"));
  }
  offer("endpoints", answer_endpoints, "The names of the endpoints. Takes no parameters");
  offer("subjects", answer_subjects, "The names of all tables. Takes no parameters");
  offer("figures", answer_figures, "Kind, unit and help of figures. Parameters: string subject");
  offer("drop_reasons", answer_drop_reasons, "What drop reasons mean. Takes no parameters");
}

}  // namespace

Server::Server(const Source& of) {
  static std::once_flag offered;
  std::call_once(offered, offer_all);
  const std::lock_guard lock(serving);
  source.emplace(of);
}

Server::~Server() {
  const std::lock_guard lock(serving);
  source.reset();
}

}  // namespace lambdacast::telemetry
