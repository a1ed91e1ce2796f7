// Where a rank's own particles are, and the forces on them, while their rows show the places that a
// list was made of: by these rows, until the list is there once more and they return.
#pragma once

#include <algorithm>
#include <vector>

#include "app/ranks/particle_copy.hpp"
#include "app/ranks/particle_rows.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

template <class Precision>
class PresentRows {
 public:
  using Row = ParticleRow<Precision>;

  void upload(const LargeVector<Row>& rows, Stream& stream) {
    upload_member(rows, &Row::position, position_, stream);
    upload_member(rows, &Row::force, force_, stream);
    count_ = static_cast<Index>(rows.size());
  }

  void take(const Particles<Precision>& particles, Index rows, Stream& stream) {
    position_.resize(rows);
    force_.resize(rows);
    copy_rows(position_, particles.state.position, rows, stream);
    copy_rows(force_, particles.sums.force, rows, stream);
    count_ = rows;
  }

  /// Of rows that show what a list was made of.
  void put_into(LargeVector<Row>& rows, Stream& stream) const {
    const auto positions = download_vectors(position_, stream);
    const auto forces = download_vectors(force_, stream);
    const std::size_t count = std::min(rows.size(), positions.size());
    for (std::size_t i = 0; i < count; ++i) {
      rows[i].reference = rows[i].position;
      rows[i].position = positions[i];
      rows[i].force = forces[i];
    }
  }

  Index count() const { return count_; }
  auto position() const { return position_.view(); }
  auto force() const { return force_.view(); }

 private:
  Index count_ = 0;
  Vec3Buffer<typename Precision::State> position_;
  Vec3Buffer<typename Precision::Accumulator> force_;
};

}  // namespace pencilbox::PENCILBOX_DEVICE
