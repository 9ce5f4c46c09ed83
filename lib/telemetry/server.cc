// SPDX-License-Identifier: BSD-3-Clause
#include "telemetry/server.h"

#include <rte_telemetry.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>

#include "counters/drop_reason.h"
#include "telemetry/kept_tables.h"
#include "telemetry/reply.h"
#include "telemetry/subject.h"

namespace lambdacast::telemetry {
namespace {

constexpr std::string_view kPrefix = "/lambdacast/";

// DPDK calls back with the command's name alone, from threads of its own: several at once. Who
// answers shares `serving`; a server that comes or goes waits for them.
std::shared_mutex serving;
std::optional<Source> source;
std::mutex keeping;
KeptTables kept;

uint64_t now_ns() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<uint64_t>(std::chrono::nanoseconds(now).count());
}

struct Request {
  std::string endpoint;  // "": all
  size_t first = 0;
  uint64_t snapshot = 0;  // 0: any
};

template <typename Number>
bool take_number(std::string_view& text, Number& out) {
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, out);
  if (error != std::errc() || (stop != end && *stop != ',')) return false;
  text.remove_prefix(static_cast<size_t>(stop - text.data()) + (stop == end ? 0 : 1));
  return true;
}

std::optional<Request> parse(const char* parameters) {
  Request request;
  std::string_view text = parameters == nullptr ? "" : parameters;
  const size_t comma = text.find(',');
  request.endpoint = text.substr(0, comma);
  if (comma == std::string_view::npos) return request;
  text.remove_prefix(comma + 1);
  const bool goes_on = text.find(',') != std::string_view::npos;
  if (!take_number(text, request.first)) return {};
  if (goes_on && (!take_number(text, request.snapshot) || request.snapshot == 0)) return {};
  return text.empty() ? std::optional(request) : std::nullopt;
}

bool is_endpoint(const std::string& name) {
  for (const config::Endpoint& endpoint : source->config.endpoints) {
    if (endpoint.name == name) return true;
  }
  return false;
}

Table make(const Subject& subject, const std::string& endpoint) {
  Table table = subject.table(take_snapshot(*source, subject.needs));
  return endpoint.empty() ? std::move(table) : of_endpoint(std::move(table), endpoint);
}

// The table that the request goes on with, or a new one; null: that one is gone.
KeptTables::Kept table_for(const Subject& subject, const Request& request) {
  const std::string whose = std::string(subject.name) + "," + request.endpoint;
  if (request.first != 0 || request.snapshot != 0) {
    const std::lock_guard lock(keeping);
    auto found = kept.find(whose, request.snapshot, now_ns());
    if (found.table != nullptr || request.snapshot != 0) return found;
  }
  return {0, whose, std::make_shared<const Table>(make(subject, request.endpoint)), 0};
}

int answer_rows(const Subject& subject, const Request& request, rte_tel_data* data) {
  KeptTables::Kept of = table_for(subject, request);
  if (of.table == nullptr) return -EINVAL;
  const std::optional<size_t> next = reply_rows(data, *of.table, request.first);
  const std::lock_guard lock(keeping);
  if (!next) {
    if (request.snapshot != 0) kept.drop(of.id);  // who named none may share it
    return 0;
  }
  if (of.id == 0) of.id = kept.keep(of.whose, of.table, now_ns());
  rte_tel_data_add_dict_u64(data, "snapshot", of.id);
  return 0;
}

int answer_subject(const char* command, const char* parameters, rte_tel_data* data) {
  const std::shared_lock lock(serving);
  const Subject* subject = find_subject(std::string_view(command).substr(kPrefix.size()));
  const auto request = parse(parameters);
  if (!source || subject == nullptr || !request) return -EINVAL;
  if (!request->endpoint.empty() && !is_endpoint(request->endpoint)) return -EINVAL;
  return answer_rows(*subject, *request, data);
}

int answer_endpoint(const char*, const char* parameters, rte_tel_data* data) {
  const std::shared_lock lock(serving);
  if (!source) return -EINVAL;
  const Subject& subject = *find_subject("endpoint");
  if (parameters == nullptr || *parameters == ',') {
    const auto request = parse(parameters);
    return request ? answer_rows(subject, *request, data) : -EINVAL;
  }
  const Table table = make(subject, parameters);
  if (table.rows.size() != 1) return -EINVAL;
  rte_tel_data_start_dict(data);
  add_row(data, table, table.rows[0]);
  return 0;
}

int answer_endpoints(const char*, const char*, rte_tel_data* data) {
  const std::shared_lock lock(serving);
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

// DPDK refuses a command whose help has more than 127 bytes.
void offer(std::string_view name, telemetry_cb answer, const std::string& help) {
  rte_telemetry_register_cmd((std::string(kPrefix) + std::string(name)).c_str(), answer,
                             help.c_str());
}

void offer_all() {
  for (const Subject& subject : subjects()) {
    const bool flat = std::string_view(subject.name) == "endpoint";
    offer(subject.name, flat ? answer_endpoint : answer_subject,
          subject.help + std::string(flat ? " Parameters: string name"
                                          : " Parameters: [endpoint[, first_row[, snapshot]]]"));
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
  const std::unique_lock lock(serving);
  source.emplace(of);
}

Server::~Server() {
  const std::unique_lock lock(serving);
  source.reset();
  const std::lock_guard alone(keeping);
  kept.clear();
}

}  // namespace lambdacast::telemetry
