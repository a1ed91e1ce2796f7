#include "neighbor/problem.hpp"

#include <sstream>

namespace pencilbox {

std::string side_below_cutoff(const Problem& problem) {
  constexpr const char* directions = "xyz";
  for (std::size_t d = 0; d < 3; ++d) {
    if (problem.box.periodic[d] && problem.box.edges[d] < problem.potential.cutoff) {
      std::ostringstream text;
      text.precision(12);
      text << "the box side along " << directions[d] << " is " << problem.box.edges[d]
           << ", below the cutoff " << problem.potential.cutoff
           << ": more than the 27 neighbour cells would interact (back end 'reference' can)";
      return text.str();
    }
  }
  return {};
}

}  // namespace pencilbox
