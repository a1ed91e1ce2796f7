#include "io/output/trajectory_info.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/observation.hpp"
#include "io/output/trajectory_file.hpp"
#include "io/output/trajectory_files.hpp"

namespace pencilbox {
namespace fs = std::filesystem;
namespace {

std::int64_t frames_of(const hdf5::Group& particles) {
  const hdf5::Shape steps = hdf5::Dataset::open(particles.id(), "position/step").shape();
  return static_cast<std::int64_t>(steps.at(0));
}

std::vector<std::string> arrays_of(const hdf5::Group& particles) {
  std::vector<std::string> arrays;
  for (const std::string_view name : field_names) {
    const bool is_position = name == name_of(Field::position);
    if (!is_position && hdf5::has(particles.id(), std::string(name))) arrays.emplace_back(name);
  }
  if (hdf5::has(particles.id(), "mass")) arrays.emplace_back("mass");
  return arrays;
}

}  // namespace

std::vector<fs::path> trajectory_data_files(const fs::path& path) {
  std::vector<fs::path> files = trajectory_outputs(path);
  std::erase_if(files, [&](const fs::path& file) { return file.extension() != path.extension(); });
  return files;
}

TrajectoryInfo inspect_trajectory(const fs::path& path) {
  const std::vector<fs::path> files = trajectory_data_files(path);
  if (files.empty()) throw InputError(fmt::format("{}: no such file", path.string()));
  const hdf5::Lock lock;
  TrajectoryInfo info;
  for (const fs::path& name : files) {
    try {
      const hdf5::File file = hdf5::File::open_to_read(name);
      const hdf5::Group particles = hdf5::Group::open(file.id(), "particles/all");
      const std::int64_t frames = frames_of(particles);
      if (info.frames == 0 && frames > 0) {
        info.box = box_of_frame(particles, 0);
        info.arrays = arrays_of(particles);
        info.types = hdf5::read_texts(hdf5::Dataset::open(particles.id(), "species").id(), "names");
      }
      info.frames += frames;
    } catch (const std::exception& error) {
      throw InputError(fmt::format("{}: no trajectory: {}", name.string(), error.what()));
    }
  }
  return info;
}

Box box_in_trajectory(const fs::path& path, std::int64_t frame) {
  const hdf5::Lock lock;
  for (const fs::path& name : trajectory_data_files(path)) {
    const hdf5::File file = hdf5::File::open_to_read(name);
    const hdf5::Group particles = hdf5::Group::open(file.id(), "particles/all");
    const std::int64_t frames = frames_of(particles);
    if (frame < frames) return box_of_frame(particles, static_cast<hsize_t>(frame));
    frame -= frames;
  }
  throw InputError(fmt::format("{}: no such frame", path.string()));
}

}  // namespace pencilbox
