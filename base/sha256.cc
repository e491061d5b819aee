#include "base/sha256.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>
#include <new>

namespace pacbench {

void Sha256::Free::operator()(evp_md_ctx_st* context) const { ::EVP_MD_CTX_free(context); }

Sha256::Sha256() : context_{::EVP_MD_CTX_new()} {
  if (!context_ || ::EVP_DigestInit_ex(context_.get(), ::EVP_sha256(), nullptr) != 1) {
    throw std::bad_alloc{};
  }
}

void Sha256::add(std::string_view bytes) {
  ::EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size());
}

std::string Sha256::digits() {
  std::array<unsigned char, 32> digest{};
  ::EVP_DigestFinal_ex(context_.get(), digest.data(), nullptr);
  std::string text;
  for (const auto byte : digest) text += fmt::format("{:02x}", byte);
  return text;
}

std::string sha256(std::string_view bytes) {
  Sha256 sum;
  sum.add(bytes);
  return sum.digits();
}

}  // namespace pacbench
