#include "core/device/choice.hpp"

#include "core/device/gpu/runtime.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

std::optional<int> device_count() {
  int count = 0;
  check(vendor::device_count(&count), "looking for a device");
  if (count == 0) throw SystemError(std::string(vendor::kind) + ": no device found");
  return count;
}

void choose_device(int number) { check(vendor::choose(number), "choosing a device"); }

}  // namespace pencilbox::PENCILBOX_DEVICE
