// COUNT posts to URL, AT_ONCE of them in flight, with undici where it is installed, else with Node's fetch (undici inside).
const [url, count, atOnce] = [process.argv[2], Number(process.argv[3]), Number(process.argv[4])];
const body = JSON.stringify({model: "m", max_tokens: 10, messages: [{role: "user", content: "hi"}]});
let post = async () => (await (await fetch(url, {method: "POST", body})).text()).length;
let name = "fetch";
try {
  const undici = require("undici");
  const dispatcher = new undici.Agent({connections: atOnce});
  post = async () => (await (await undici.request(url, {method: "POST", body, dispatcher})).body.text()).length;
  name = "undici";
} catch {}
let next = 0, good = 0;
const worker = async () => { while (next++ < count) { const size = await post(); good += size > 0; } };
Promise.all(Array.from({length: atOnce}, worker)).then(() => { console.log(name, good); process.exit(good === count ? 0 : 1); });
