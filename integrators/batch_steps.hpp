// The number of the present step, for kernels that may stand in a graph: what a batch counts from
// lies on the device.
#pragma once

#include "core/device/device.hpp"
#include "core/step_control.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

struct NoteFirstStep {
  static constexpr const char* name = "integrator: first step";
  std::int64_t* first_step;
  std::int64_t step;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index) const { *first_step = step; }
};

/// Called on the device: the step of a StepNumber, from the beginning of the run.
struct RunStep {
  const std::int64_t* first_step;
  StepNumber of_batch;

  PENCILBOX_DEVICE_FUNCTION std::int64_t operator()() const { return *first_step + of_batch(); }
};

class BatchSteps {
 public:
  BatchSteps() : first_step_(1) {}

  /// Between batches.
  void begin(std::int64_t step, Stream& stream) {
    for_each(stream, 1, NoteFirstStep{first_step_.data(), step});
  }
  RunStep operator[](const StepNumber& of_batch) const { return {first_step_.data(), of_batch}; }

 private:
  Buffer<std::int64_t> first_step_;
};

}  // namespace pencilbox::PENCILBOX_DEVICE
