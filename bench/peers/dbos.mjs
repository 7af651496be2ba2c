// DBOS under measurement. Usage: hello|steps RUNS STEPS DATABASE-URL (prints steps a second)
import { DBOS } from "@dbos-inc/dbos-sdk";

const [runs, steps, url] = [Number(process.argv[3]), Number(process.argv[4]), process.argv[5]];
DBOS.setConfig({ name: "bench", systemDatabaseUrl: url, systemDatabasePoolSize: 20, logLevel: "error", runAdminServer: false });
const workflow = DBOS.registerWorkflow(async (count) => {
  for (let i = 0; i < count; i++) await DBOS.runStep(async () => i, { name: "step" });
}, { name: "bench" });
await DBOS.launch();
const start = process.hrtime.bigint();
const handles = await Promise.all(Array.from({ length: runs }, () => DBOS.startWorkflow(workflow)(steps)));
await Promise.all(handles.map((handle) => handle.getResult()));
const seconds = Number(process.hrtime.bigint() - start) / 1e9;
await DBOS.shutdown();
console.log((runs * steps / seconds).toFixed(1));
process.exit(0);
