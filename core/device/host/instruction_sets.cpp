#include "core/device/host/instruction_sets.hpp"

#include <cstdlib>
#include <mutex>

#include <hwy/highway.h>

#include "core/error.hpp"

namespace pencilbox::host {

namespace {

std::int64_t target_of(const std::string& name) {
  std::string known;
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    if (name == hwy::TargetName(target)) return target;
    known += (known.empty() ? "" : ", ") + std::string(hwy::TargetName(target));
  }
  throw InputError("PENCILBOX_ISA: unknown instruction set, got '" + name +
                   "', this machine can: " + known);
}

void choose_by_environment() {
  static std::once_flag once;
  std::call_once(once, [] {
    if (const char* name = std::getenv("PENCILBOX_ISA")) choose_instruction_set(name);
  });
}

}  // namespace

std::vector<std::string> instruction_sets() {
  std::vector<std::string> names;
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    names.emplace_back(hwy::TargetName(target));
  }
  return names;
}

std::string instruction_set() {
  choose_by_environment();
  return instruction_sets().front();
}

void choose_instruction_set(const std::string& name) {
  hwy::SetSupportedTargetsForTest(0);  // all
  if (!name.empty()) hwy::SetSupportedTargetsForTest(target_of(name));
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

}  // namespace pencilbox::host
