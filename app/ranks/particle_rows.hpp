// Particles as rows: what travels from a rank to another, with nothing lost.
#pragma once

#include <array>
#include <vector>

#include "core/grid_view.hpp"
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
std::vector<ParticleRow<Precision>> download_rows(const Particles<Precision>& particles,
                                                  Stream& stream);

template <class T>
std::vector<Vec3<T>> download_vectors(const Vec3Buffer<T>& from, Stream& stream) {
  const std::vector<T> x = from.x.download(stream), y = from.y.download(stream),
                       z = from.z.download(stream);
  std::vector<Vec3<T>> vectors(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) vectors[i] = {x[i], y[i], z[i]};
  return vectors;
}

/// Of a buffer that may have more room.
template <class T>
void upload_vectors(const std::vector<Vec3<T>>& vectors, Vec3Buffer<T>& to, Stream& stream) {
  const auto upload = [&](Buffer<T>& one, T Vec3<T>::*member) {
    std::vector<T> values;
    values.reserve(vectors.size());
    for (const Vec3<T>& vector : vectors) values.push_back(vector.*member);
    one.upload(values, stream);
  };
  upload(to.x, &Vec3<T>::x);
  upload(to.y, &Vec3<T>::y);
  upload(to.z, &Vec3<T>::z);
}

/// What each row has there.
template <class Row, class T>
void upload_member(const std::vector<Row>& rows, Vec3<T> Row::*member, Vec3Buffer<T>& to,
                   Stream& stream) {
  std::vector<Vec3<T>> vectors;
  vectors.reserve(rows.size());
  for (const Row& row : rows) vectors.push_back(row.*member);
  upload_vectors(vectors, to, stream);
}

/// Types are not touched.
template <class Precision>
void upload_rows(const std::vector<ParticleRow<Precision>>& rows, Particles<Precision>& particles,
                 Stream& stream);

}  // namespace pencilbox::PENCILBOX_DEVICE
