#include "app/processes/launch.hpp"

#include <charconv>
#include <string_view>

#include <fmt/format.h>

#include "core/error.hpp"

namespace pencilbox {
namespace {

/// A number of processes above one; else nothing.
std::optional<Launch> several(const Environment& environment, const char* variable) {
  const char* const text = environment(variable);
  if (text == nullptr) return {};
  const std::string_view digits(text);
  int processes = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), processes);
  if (processes < 2) return {};
  return Launch{variable, processes};
}

}  // namespace

std::optional<Launch> launch_of(const Environment& environment) {
  for (const char* variable : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}) {
    if (const auto launch = several(environment, variable)) return launch;
  }
  // Of a step of Slurm; those of its job would say nothing of this process.
  const auto launch = several(environment, "SLURM_STEP_NUM_TASKS");
  if (!launch || environment("PMIX_RANK") != nullptr) return launch;
  throw InputError(
      fmt::format("{}: srun has started {} processes that cannot find each other, allowed: "
                  "srun --mpi=pmix, srun --mpi=pmi2, mpirun",
                  launch->launcher, launch->processes));
}

}  // namespace pencilbox
