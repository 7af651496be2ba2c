#include "text/yaml_json.h"

#include "base/text.h"
#include "text/decimal.h"

namespace baton {
std::string plain_as_json(std::string_view text) {
  if (is_null_word(text)) return "null";
  if (text == "true" || text == "True" || text == "TRUE") return "true";
  if (text == "false" || text == "False" || text == "FALSE") return "false";
  return is_json_number(text) ? std::string{text} : "";
}

namespace {

std::string plain_json(const YamlNode& node) { return node.is_quoted() ? "" : plain_as_json(node.text()); }

std::string scalar_json(const YamlNode& node) {
  std::string plain = plain_json(node);
  return plain.empty() ? json_quote(node.text()) : plain;
}

// The depth of a tree is limited when it is read (base/limits.h), so this may call itself.
void append_json(const YamlNode& node, std::size_t level, std::string& out) {
  if (node.is_scalar()) {
    out += scalar_json(node);
    return;
  }
  const bool is_list = node.is_sequence();
  out += is_list ? '[' : '{';
  for (std::size_t i = 0; i < node.size(); ++i) {
    out += i == 0 ? "\n" : ",\n";
    out.append(2 * (level + 1), ' ');
    if (!is_list) out += json_quote(node.key(i).text()) + ": ";
    append_json(is_list ? node.item(i) : node.value(i), level + 1, out);
  }
  if (node.size() > 0) out.append("\n").append(2 * level, ' ');
  out += is_list ? ']' : '}';
}

}  // namespace

std::string yaml_as_json(const YamlNode& node) {
  std::string out;
  append_json(node, 0, out);
  return out + "\n";
}

std::string yaml_as_json_line(const YamlNode& node, const std::function<std::string(const YamlNode&)>& put) {
  if (node.is_scalar()) {
    std::string plain = plain_json(node);
    return plain.empty() ? json_quote(put(node)) : plain;
  }
  const bool is_list = node.is_sequence();
  std::string out{is_list ? '[' : '{'};
  for (std::size_t i = 0; i < node.size(); ++i) {
    if (i > 0) out += ',';
    if (!is_list) out += json_quote(node.key(i).text()) + ':';
    out += yaml_as_json_line(is_list ? node.item(i) : node.value(i), put);
  }
  return out + (is_list ? ']' : '}');
}

}  // namespace baton
