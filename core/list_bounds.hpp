// How long a list of pairs holds.
#pragma once

namespace pencilbox {

/// How far particles may be from the places that a list was made of, and how near to each other
/// these are where a pair is listed for certain [sigma].
struct ListBounds {
  double most_displacement = 0.0;  ///< of everybody: then no pair is missed
  double farthest = 0.0;           ///< of a few, as long as no pair of theirs is missed; 0: nobody
  double cutoff = 0.0;             ///< who is nearer is a pair
  double listed = 0.0;             ///< places that are no farther apart are in the list

  bool allow_strays() const { return farthest > most_displacement; }
};

}  // namespace pencilbox
