#pragma once

#include <boost/json/fwd.hpp>

#include <string_view>

#include "runtime/api/answer.h"

namespace baton::api {

/// What the body of a response that is no answer says. Servers have many forms for it: Anthropic's, OpenAI's, Ollama's
/// `{"error":"…"}`, FastAPI's `detail`, pages of proxies, plain words, nothing.
ServerError error_body(int status, std::string_view body);

/// The same of an object that was read already. Nothing is known of it but that it is no answer.
ServerError error_in(const boost::json::object& object);

/// The object has an `error` that is one: not null, not empty.
bool tells_error(const boost::json::object& object);

}  // namespace baton::api
