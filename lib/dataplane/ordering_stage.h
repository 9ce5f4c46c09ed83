// Stage `ordering`, thin in this version: it passes subscribed groups on to delivery in the order
// of arrival. It holds nothing back and reorders nothing.
#pragma once

#include "dataplane/core_stage.h"

namespace lambdacast::dataplane {

class OrderingStage final : public CoreStage<ordering::OrderingCore> {
 public:
  using CoreStage::CoreStage;
  [[nodiscard]] const char* name() const override { return "ordering"; }
};

}  // namespace lambdacast::dataplane
