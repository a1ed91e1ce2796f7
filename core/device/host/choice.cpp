#include "core/device/choice.hpp"

namespace pencilbox::host {

std::optional<int> device_count() { return {}; }

void choose_device(int) {}

}  // namespace pencilbox::host
