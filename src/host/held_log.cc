#include "host/held_log.h"

#include <fcntl.h>
#include <unistd.h>

#include "io/descriptor.h"

namespace baton {

std::optional<ExitRecord> parse_exit(const std::string& run, const Message& fields, std::size_t first) {
  MessageReader reader{fields, first};
  ExitRecord record;
  record.key = {.run = run, .step = reader.text(), .attempt = reader.number<int>()};
  record.pid = reader.number<int>();
  record.exit = reader.maybe_number<int>();
  record.signal = reader.maybe_number<int>();
  record.deadline = reader.flag();
  record.stopped = reader.flag();
  record.started = time_from_ms(reader.number<std::int64_t>());
  record.finished = time_from_ms(reader.number<std::int64_t>());
  record.spawn_error = reader.text();
  if (!reader.done()) return std::nullopt;
  return record;
}

Message exit_fields(const ExitRecord& record) {
  const auto or_none = [](const std::optional<int>& number) { return number ? std::to_string(*number) : "-"; };
  return {record.key.step,
          std::to_string(record.key.attempt),
          std::to_string(record.pid),
          or_none(record.exit),
          or_none(record.signal),
          record.deadline ? "1" : "0",
          record.stopped ? "1" : "0",
          std::to_string(to_ms(record.started)),
          std::to_string(to_ms(record.finished)),
          record.spawn_error};
}

void HeldLog::refresh() {
  const Descriptor file = open_file(path_, O_RDONLY | O_NOFOLLOW);
  char chunk[65536];
  for (ssize_t size = 0; file && (size = ::pread(file.get(), chunk, sizeof chunk, offset_)) > 0;) {
    offset_ += size;
    take({chunk, static_cast<std::size_t>(size)});
  }
}

void HeldLog::take(std::string_view bytes) {
  rest_ += bytes;
  std::size_t begin = 0;
  for (std::size_t end = 0; (end = rest_.find('\n', begin)) != std::string::npos; begin = end + 1) {
    take_line(std::string_view{rest_}.substr(begin, end - begin));
  }
  rest_.erase(0, begin);
}

void HeldLog::take_line(std::string_view line) {
  const auto fields = open_line(line);
  if (!fields) return;
  if (fields->front() == "start") {
    MessageReader reader{*fields, 1};
    Key key{reader.text(), reader.number<int>()};
    if (!reader.bad()) started_.insert(std::move(key));
  } else if (fields->front() == "exit") {
    if (auto record = parse_exit(run_, *fields, 1)) {
      const Key key{record->key.step, record->key.attempt};
      started_.insert(key);
      exits_.insert_or_assign(key, std::move(*record));
    }
  }
}

const ExitRecord* HeldLog::exit(const Key& key) const {
  const auto place = exits_.find(key);
  return place == exits_.end() ? nullptr : &place->second;
}

}  // namespace baton
