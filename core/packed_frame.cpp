#include "core/packed_frame.hpp"

#include <cmath>
#include <utility>

namespace pencilbox {
namespace {

/// The frame and what is computed from it.
struct HostRows {
  Frame frame;
  std::vector<double> speed;
};

template <class Row>
const void* rows_or_null(const std::vector<Row>& rows) {
  return rows.empty() ? nullptr : rows.data();
}

/// What was not asked for stays empty.
template <class Row>
void copy_rows(const PackedFrame& packed, Field field, std::vector<Row>& rows) {
  const auto* from = static_cast<const Row*>(packed.rows_of(field));
  if (from != nullptr) rows.assign(from, from + packed.particles);
}

}  // namespace

PackedFrame pack(Frame frame) {
  const auto host = std::make_shared<HostRows>(HostRows{std::move(frame), {}});
  const Frame& f = host->frame;
  for (const Double3& v : f.velocity) host->speed.push_back(std::hypot(v[0], v[1], v[2]));

  PackedFrame packed;
  packed.step = f.step;
  packed.time = f.time;
  packed.box = f.box;
  packed.particles = static_cast<std::int64_t>(f.position.size());
  const auto set = [&packed](Field field, const void* rows) {
    packed.rows[static_cast<std::size_t>(field)] = rows;
  };
  set(Field::position, rows_or_null(f.position));
  set(Field::velocity, rows_or_null(f.velocity));
  set(Field::force, rows_or_null(f.force));
  set(Field::image, rows_or_null(f.image));
  set(Field::species, rows_or_null(f.species));
  set(Field::id, rows_or_null(f.id));
  set(Field::potential_energy, rows_or_null(f.potential_energy));
  set(Field::speed, rows_or_null(host->speed));
  packed.memory = host;
  return packed;
}

Frame unpack(const PackedFrame& packed) {
  packed.arrive();
  Frame frame;
  frame.step = packed.step;
  frame.time = packed.time;
  frame.box = packed.box;
  copy_rows(packed, Field::position, frame.position);
  copy_rows(packed, Field::velocity, frame.velocity);
  copy_rows(packed, Field::force, frame.force);
  copy_rows(packed, Field::image, frame.image);
  copy_rows(packed, Field::species, frame.species);
  copy_rows(packed, Field::id, frame.id);
  copy_rows(packed, Field::potential_energy, frame.potential_energy);
  return frame;
}

}  // namespace pencilbox
