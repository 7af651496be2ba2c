// JSON.parse of each line of a file. Usage: node parse_lines.js FILE. Prints: events seen, megabytes a second.
const fs = require("fs");
const start = process.hrtime.bigint();
const bytes = fs.readFileSync(process.argv[2]);
let events = 0;
for (let at = 0; at < bytes.length; ) {
  let end = bytes.indexOf(10, at);
  if (end < 0) end = bytes.length;
  if (JSON.parse(bytes.toString("utf8", at, end)).type) events++;
  at = end + 1;
}
const seconds = Number(process.hrtime.bigint() - start) / 1e9;
console.log(events, (bytes.length / 1e6 / seconds).toFixed(1));
