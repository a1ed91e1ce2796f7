// Particles as rows: what travels from a rank to another, with nothing lost.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "core/grid_view.hpp"
#include "core/in_pieces.hpp"
#include "core/pages.hpp"
#include "core/particles.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

template <class Precision>
struct ParticleRow {
  using State = typename Precision::State;
  using Accumulator = typename Precision::Accumulator;

  Vec3<State> position;  ///< relative to the centre of `cell` [sigma]
  /// Where it was when its list was made, relative to the same; where none is kept, its position.
  Vec3<State> reference;
  Vec3<State> velocity;
  Vec3<std::int32_t> image;
  Index cell;  ///< in the global grid
  ParticleId id;
  std::int32_t type;
  Vec3<Accumulator> force;
  Accumulator energy, virial;

  bool operator<(const ParticleRow& other) const {
    return cell != other.cell ? cell < other.cell : id < other.id;
  }
};

/// In the order of the particles on their device.
template <class Precision>
LargeVector<ParticleRow<Precision>> download_rows(const Particles<Precision>& particles,
                                                  Stream& stream);

template <class T>
LargeVector<T> download_large(const Buffer<T>& from, Stream& stream) {
  auto values = large_vector<T>(static_cast<std::size_t>(from.size()));
  memory::copy(values.data(), from.data(), values.size() * sizeof(T), stream);
  stream.synchronize();
  return values;
}

template <class T>
LargeVector<Vec3<T>> download_vectors(const Vec3Buffer<T>& from, Stream& stream) {
  const LargeVector<T> x = download_large(from.x, stream), y = download_large(from.y, stream),
                       z = download_large(from.z, stream);
  auto vectors = large_vector<Vec3<T>>(x.size());
  for_each_in_pieces(static_cast<std::int64_t>(x.size()), [&](std::size_t i) {
    vectors[i] = {x[i], y[i], z[i]};
  });
  return vectors;
}

/// What `part` says of each, as an array of its own; by all cores, since these may be many
/// millions.
template <class Whole, class Part, class T>
void upload_each(const LargeVector<Whole>& wholes, const Part& part, Buffer<T>& to,
                 Stream& stream) {
  const auto parts = std::make_unique_for_overwrite<T[]>(wholes.size());
  for_each_in_pieces(static_cast<std::int64_t>(wholes.size()),
                     [&](std::size_t i) { parts[i] = part(wholes[i]); });
  to.upload({parts.get(), wholes.size()}, stream);
}

/// What each row has there.
template <class Row, class T>
void upload_member(const LargeVector<Row>& rows, Vec3<T> Row::*member, Vec3Buffer<T>& to,
                   Stream& stream) {
  const auto upload = [&](Buffer<T>& one, T Vec3<T>::*component) {
    upload_each(
        rows, [&](const Row& row) { return row.*member.*component; }, one, stream);
  };
  upload(to.x, &Vec3<T>::x);
  upload(to.y, &Vec3<T>::y);
  upload(to.z, &Vec3<T>::z);
}

/// Types are not touched.
template <class Precision>
void upload_rows(const LargeVector<ParticleRow<Precision>>& rows, Particles<Precision>& particles,
                 Stream& stream);

}  // namespace pencilbox::PENCILBOX_DEVICE
