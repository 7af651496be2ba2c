#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace baton::courier {

/// Covers a secret wherever it stands in a stream of bytes, with as many asterisks: as it is, and as others write it
/// (secret_forms). A server may send back what it was sent; what it sends is written down.
class Veil {
 public:
  static constexpr std::size_t secret_bytes_min = 8;  ///< less is no secret, and would spoil innocent text

  Veil() = default;
  explicit Veil(std::string_view secret) { add(secret); }
  ~Veil();
  Veil(const Veil&) = delete;
  Veil& operator=(const Veil&) = delete;
  Veil(Veil&&) = default;
  Veil& operator=(Veil&&) = default;

  /// One more to cover from now on.
  void add(std::string_view secret);
  /// More of the stream, covered. An end that might be the beginning of the secret is kept back until more comes.
  /// The answer lives until the next call.
  std::string_view cover(std::string_view bytes);
  /// What was kept back: the stream has ended.
  std::string_view rest();

 private:
  std::vector<std::string> forms_;
  std::string kept_;
  std::string shown_;
};

/// A whole text, covered.
std::string veiled(std::string_view text, std::string_view secret);

/// Leaves nothing of it in memory.
void wipe(std::string& secret);

}  // namespace baton::courier
