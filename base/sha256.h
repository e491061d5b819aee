#pragma once

#include <memory>
#include <string>
#include <string_view>

struct evp_md_ctx_st;  // OpenSSL's

namespace pacbench {

/// SHA-256 (FIPS 180-4) of bytes that come in parts.
class Sha256 {
 public:
  Sha256();
  void add(std::string_view bytes);
  /// Returns 64 lower-case hexadecimal digits. After this call, nothing can be added.
  std::string digits();

 private:
  struct Free {
    void operator()(evp_md_ctx_st* context) const;
  };
  std::unique_ptr<evp_md_ctx_st, Free> context_;
};

/// SHA-256 (FIPS 180-4) of `bytes` as 64 lower-case hexadecimal digits.
std::string sha256(std::string_view bytes);

}  // namespace pacbench
