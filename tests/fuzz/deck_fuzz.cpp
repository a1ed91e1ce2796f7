// The deck reader. What it takes must come back the same from its own resolved text.
#include "io/input/deck.hpp"
#include "tests/fuzz/target.hpp"
#include "tests/io/input_support.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pencilbox;
  static const Catalogue catalogue = testing::test_catalogue();
  fuzz::expect_taken_or_refused([&] {
    const Deck deck = parse_deck(fuzz::text_of(data, size), "deck.yaml", {}, catalogue);
    const std::string resolved = resolved_yaml(deck);
    std::string again;
    try {
      again = resolved_yaml(parse_deck(resolved, "deck.yaml", {}, catalogue));
    } catch (const InputError& error) {
      fuzz::report("refuses its own resolved deck", error.what() + ("\n" + resolved));
    }
    if (again != resolved) fuzz::report("a resolved deck does not stay the same", resolved);
  });
  return 0;
}
