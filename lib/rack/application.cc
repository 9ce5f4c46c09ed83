// SPDX-License-Identifier: BSD-3-Clause
#include "rack/application.h"

namespace lambdacast::rack {

uint32_t Application::poll(uint64_t now_ns) {
  struct Sink : node::DeliverySink {
    explicit Sink(Application& application) : application_(application) {}
    void message(const node::PacketInfo& info, std::span<const uint8_t> message) {
      application_.numbered(info, message);
    }
    void view(const node::ViewEvent& event) { application_.node_view(event); }

   private:
    Application& application_;
  };
  const uint32_t most = std::min(endpoint_.config().burst, node::kMaxBurst);
  const uint32_t taken = endpoint_.named_groups() != nullptr
                             ? endpoint_.poll_groups(most, now_ns, Sink(*this))
                             : endpoint_.poll_calls(most, now_ns, Sink(*this));
  return taken + tick(now_ns);
}

base::Result<std::unique_ptr<Runtime>> Runtime::open(const std::string& config_file,
                                                     const std::string& program,
                                                     const std::vector<std::string>& eal_arguments,
                                                     bool members_only) {
  auto config = config::load_file(config_file);
  if (!config) return base::fail(config::text(config.error()));
  for (const config::Endpoint& endpoint : config->endpoints) {
    if (endpoint.membership.enabled || !members_only) continue;
    return base::fail(
        "endpoint " + endpoint.name +
        " takes part in no groups: enabled = true in its [endpoint.membership] lets it");
  }
  std::unique_ptr<Runtime> runtime(new Runtime);
  std::vector<std::string> user = eal_arguments;
  user.insert(user.end(), config->eal_args.begin(), config->eal_args.end());
  const dpdk::EalArguments arguments =
      dpdk::eal_arguments(*config, user, dpdk::Machine::this_one());
  runtime->notes_ = config::text(config->warnings);
  if (!arguments.note.empty()) runtime->notes_ += arguments.note + "\n";
  auto eal = dpdk::Eal::start(program, arguments);
  if (!eal) return tl::unexpected(eal.error());
  runtime->eal_ = std::move(*eal);
  runtime->config_ = std::move(*config);
  if (auto made = runtime->make_rack(); !made) return tl::unexpected(made.error());
  return runtime;
}

base::Result<void> Runtime::make_rack() {
  auto rack = Rack::create(config_, {incarnation_, 0});
  if (!rack) return tl::unexpected(rack.error());
  rack_ = std::move(*rack);
  return {};
}

base::Result<void> Runtime::begin_again() {
  rack_.reset();  // its ports are opened again
  incarnation_ = incarnation_after(incarnation_);
  return make_rack();
}

Runtime::~Runtime() {
  if (rack_ != nullptr) rack_->stop();
}

void Runtime::call(size_t endpoint, const std::function<void()>& task) {
  rack_->loop(rack_->endpoint(endpoint).config().stages.ordering).run_here(task);
}

}  // namespace lambdacast::rack
