// BullMQ under measurement. Usage: RUNS STEPS SOCKET (prints steps a second)
import { Queue, Worker } from "bullmq";

const [runs, steps, path] = [Number(process.argv[2]), Number(process.argv[3]), process.argv[4]];
const connection = { path, maxRetriesPerRequest: null };
const name = `bench-${process.pid}`;
const queue = new Queue(name, { connection });
let left = runs;
let done;
const all = new Promise((resolve) => { done = resolve; });
const worker = new Worker(name, async (job) => {
  if (job.data.n < steps) await queue.add("step", { n: job.data.n + 1 });
  else if (--left === 0) done();
}, { connection, concurrency: runs });
await worker.waitUntilReady();
const start = process.hrtime.bigint();
await Promise.all(Array.from({ length: runs }, () => queue.add("step", { n: 1 })));
await all;
console.log((runs * steps / (Number(process.hrtime.bigint() - start) / 1e9)).toFixed(1));
process.exit(0);
