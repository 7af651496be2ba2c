// Restate under measurement. Usage: serve PORT | call RUNS STEPS INGRESS-PORT (prints steps a second)
const [how, ...words] = process.argv.slice(2);
// Its SDK wants a newer Node than Debian's users have; this is all that it misses.
Promise.withResolvers ??= function () {
  let resolve, reject;
  const promise = new Promise((yes, no) => { resolve = yes; reject = no; });
  return { promise, resolve, reject };
};
if (how === "serve") {
  const restate = await import("@restatedev/restate-sdk");
  const bench = restate.service({
    name: "bench",
    handlers: {
      run: async (ctx, steps) => { for (let i = 0; i < steps; i++) await ctx.run("step", async () => i); return steps; },
    },
  });
  await restate.serve({ services: [bench], port: Number(words[0]) });
} else {
  const [runs, steps, port] = words.map(Number);
  const one = async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/bench/run`,
      { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(steps), signal: AbortSignal.timeout(120_000) });
    if (!answer.ok) throw new Error(await answer.text());
    await answer.text();
  };
  const start = process.hrtime.bigint();
  await Promise.all(Array.from({ length: runs }, one));
  console.log((runs * steps / (Number(process.hrtime.bigint() - start) / 1e9)).toFixed(1));
}
