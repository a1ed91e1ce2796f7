#include "app/ranks/rank_device.hpp"

namespace pencilbox {

void follow_the_first(Post& post) {
  while (true) {
    post.meet();  // the first rank may have long to do alone
    const Letter letter = post.from_the_first({});
    if (letter.empty()) return;
    CommissionForDevice order = commission_in(letter);
    rank_device_of(order.device).follow(std::move(order.commission), post);
  }
}

}  // namespace pencilbox
