#include "core/memory_limit.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <limits>
#include <optional>
#include <sstream>
#include <string_view>

#include "core/start_state.hpp"

namespace pencilbox {
namespace {

namespace fs = std::filesystem;

/// The number of a file that holds one; nothing for "max", or where there is no such file.
std::optional<std::int64_t> number_in(const fs::path& path) {
  std::ifstream file(path);
  std::int64_t number = 0;
  if (!(file >> number)) return std::nullopt;
  return number;
}

/// The number behind a word, as in "MemAvailable:  123 kB" and "inactive_file 4096".
std::int64_t number_behind(std::string_view name, const fs::path& path) {
  std::ifstream file(path);
  std::string word;
  std::int64_t number = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.rfind(name, 0) != 0) continue;
    const std::size_t digits = line.find_first_of("0123456789", name.size());
    if (digits != std::string::npos) number = std::stoll(line.substr(digits));
    break;
  }
  return number;
}

/// What the two versions call the same things.
struct Names {
  const char* controller;  ///< second field of a line of /proc/self/cgroup
  const char* mounted;
  const char *limit, *usage, *cached;
};

constexpr Names versions[] = {
    {"", "sys/fs/cgroup", "memory.max", "memory.current", "inactive_file "},
    {"memory", "sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes",
     "total_inactive_file "}};

void take_less(MemoryLeft& left, std::int64_t bytes, const std::string& where) {
  if (bytes < left.bytes) left = {std::max<std::int64_t>(bytes, 0), where};
}

/// A group and those above it, as far as they can be seen from here: a limit holds for all below.
void ask_groups(MemoryLeft& left, const fs::path& root, const Names& names, fs::path group) {
  while (true) {
    const fs::path folder = root / names.mounted / group.relative_path();
    if (const auto limit = number_in(folder / names.limit)) {
      const std::int64_t usage = std::min(number_in(folder / names.usage).value_or(0), *limit);
      // Pages of files that nobody has used lately are given back when memory is wanted.
      const std::int64_t cached =
          std::min(number_behind(names.cached, folder / "memory.stat"), usage);
      take_less(left, *limit - usage + cached, "the control group " + group.string());
    }
    if (!group.has_relative_path()) return;
    group = group.parent_path();
  }
}

/// Version 1 lists controllers, "cpu,memory"; version 2 has an empty list.
bool has(const std::string& controllers, const std::string& one) {
  if (one.empty() || controllers.empty()) return one == controllers;
  return ("," + controllers + ",").find("," + one + ",") != std::string::npos;
}

void ask_control_groups(MemoryLeft& left, const fs::path& root) {
  std::ifstream file(root / "proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {  // "4:memory:/batch", "0::/batch"
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    for (const Names& names : versions) {
      if (has(controllers, names.controller)) {
        ask_groups(left, root, names, fs::path(line.substr(second + 1)));
      }
    }
  }
}

std::string gigabytes(std::int64_t bytes) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(2) << static_cast<double>(bytes) / 1e9 << " GB";
  return text.str();
}

}  // namespace

MemoryLeft memory_left(const std::string& root) {
  MemoryLeft left{std::numeric_limits<std::int64_t>::max(), "this machine"};
  const fs::path machine = fs::path(root) / "proc/meminfo";
  constexpr std::int64_t kibibyte = 1024;
  if (const std::int64_t available = number_behind("MemAvailable:", machine); available > 0) {
    left.bytes = kibibyte * (available + number_behind("SwapFree:", machine));
  }
  ask_control_groups(left, root);
  return left;
}

void require_memory(std::int64_t bytes, const MemoryLeft& left) {
  if (bytes <= left.bytes) return;
  throw NotEnoughMemory("not enough memory: about " + gigabytes(bytes) + " more are needed, " +
                        left.where + " has " + gigabytes(left.bytes) + " left");
}

void require_memory(std::int64_t bytes) {
  constexpr std::int64_t worth_asking = 1 << 20;
  if (bytes >= worth_asking) require_memory(bytes, memory_left());
}

std::int64_t bytes_of_start(std::int64_t particles) {
  constexpr std::int64_t bytes = sizeof(ParticleId) + sizeof(std::int32_t) + 2 * sizeof(Double3) +
                                 sizeof(std::array<std::int32_t, 3>);
  return bytes * particles;
}

}  // namespace pencilbox
