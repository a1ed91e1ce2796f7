#include "io/output/provenance.hpp"

#include <array>
#include <chrono>
#include <ctime>

#include <boost/uuid/random_generator.hpp>
#include <boost/uuid/uuid_io.hpp>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <openssl/evp.h>

#include "core/error.hpp"

namespace pencilbox {

NamedTexts entries_of(const Provenance& provenance) {
  return {{"device", provenance.device},
          {"device_identifier", provenance.device_identifier},
          {"driver", provenance.driver},
          {"compiler", provenance.compiler},
          {"version", provenance.version},
          {"commit", provenance.commit},
          {"deck_hash", provenance.deck_hash},
          {"run_identifier", provenance.run_identifier},
          {"date", provenance.date}};
}

std::string hash_of(const std::string& text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int length = 0;
  if (EVP_Digest(text.data(), text.size(), digest.data(), &length, EVP_sha256(), nullptr) != 1) {
    throw SystemError("OpenSSL cannot make a SHA-256");
  }
  std::string hash = "sha256:";
  for (unsigned int k = 0; k < length; ++k) hash += fmt::format("{:02x}", digest[k]);
  return hash;
}

std::string new_run_identifier() {
  return boost::uuids::to_string(boost::uuids::random_generator()());
}

std::string date_now() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now));
}

}  // namespace pencilbox
