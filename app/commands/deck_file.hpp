// The resolved deck of a run, as a file beside its outputs that runs again.
#pragma once

#include <filesystem>
#include <string>

namespace pencilbox {

/// What the file holds: the hash that results carry, then the deck.
std::string deck_file_text(const std::string& resolved_deck);

/// Puts it into a run's folder as `deck.yaml`. One that is there is replaced only if a run has
/// written it and nobody has changed it since. False: another one is there and stays. Throws
/// SystemError.
bool write_deck_file(const std::filesystem::path& directory, const std::string& resolved_deck);

}  // namespace pencilbox
