// COUNT posts to URL, AT_ONCE of them in flight. Usage: undici|fetch URL COUNT AT_ONCE (prints how many went well)
const [how, url, count, atOnce] = [process.argv[2], process.argv[3], Number(process.argv[4]), Number(process.argv[5])];
const body = JSON.stringify({ model: "m", max_tokens: 10, messages: [{ role: "user", content: "hi" }] });
let post = async () => (await (await fetch(url, { method: "POST", body })).text()).length;
if (how === "undici") {
  const undici = await import("undici");
  const dispatcher = new undici.Agent({ connections: atOnce });
  post = async () => (await (await undici.request(url, { method: "POST", body, dispatcher })).body.text()).length;
}
let next = 0;
let good = 0;
const worker = async () => { while (next++ < count) { const size = await post(); good += size > 0; } };
await Promise.all(Array.from({ length: atOnce }, worker));
console.log(good);
process.exit(good === count ? 0 : 1);
