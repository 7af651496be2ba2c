#include "courier/ending.h"

#include <curl/curl.h>
#include <fmt/core.h>

#include "base/text.h"

namespace baton::courier {

std::string_view word_of(Ending ending) {
  switch (ending) {
    case Ending::complete:
      return "complete";
    case Ending::timeout_idle:
      return "timeout-idle";
    case Ending::timeout_deadline:
      return "timeout-deadline";
    case Ending::timeout_connect:
      return "timeout-connect";
    case Ending::dns:
      return "dns";
    case Ending::refused:
      return "refused";
    case Ending::tls:
      return "tls";
    case Ending::reset:
      return "reset";
    case Ending::partial:
      return "partial";
    case Ending::cancelled:
      return "cancelled";
    case Ending::other:
      break;
  }
  return "other";
}

Ending ending_of(int curl_code) {
  switch (curl_code) {
    case CURLE_OK:
      return Ending::complete;
    case CURLE_OPERATION_TIMEDOUT:  // libcurl is told of no other time than the one to connect in
      return Ending::timeout_connect;
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
      return Ending::dns;
    case CURLE_COULDNT_CONNECT:
      return Ending::refused;
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_CRL_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_INVALIDCERTSTATUS:
    case CURLE_SSL_PINNEDPUBKEYNOTMATCH:
      return Ending::tls;
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_GOT_NOTHING:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
    case CURLE_SEND_FAIL_REWIND:  // the connection broke, and the request is not sent a second time
      return Ending::reset;
    case CURLE_PARTIAL_FILE:
      return Ending::partial;
    default:
      return Ending::other;
  }
}

std::string ending_line(Ending ending, std::string_view message, std::int64_t bytes) {
  constexpr std::size_t message_bytes_max = 200;  // whoever shows the line cuts it, and it should stay JSON
  return fmt::format("{{\"transfer\":\"{}\",\"message\":{},\"bytes\":{}}}\n", word_of(ending),
                     json_quote(shorten(message, message_bytes_max)), bytes);
}

}  // namespace baton::courier
