// LangGraph under measurement. Usage: hello | spawn COUNT chain|independent | steps RUNS STEPS FOLDER (prints steps a second)
import { spawn } from "node:child_process";
import { Annotation, END, Send, START, StateGraph } from "@langchain/langgraph";

const [how, ...words] = process.argv.slice(2);
const State = Annotation.Root({ n: Annotation({ reducer: (a, b) => Math.max(a, b), default: () => 0 }) });
const runTrue = () => new Promise((resolve, reject) =>
  spawn("/bin/true", { stdio: "ignore" }).on("exit", resolve).on("error", reject));

// One node that is taken again until the count is reached: kinder to it than a graph of that many nodes.
function loop(count, work) {
  return new StateGraph(State)
    .addNode("step", async (state) => { await work(); return { n: state.n + 1 }; })
    .addEdge(START, "step")
    .addConditionalEdges("step", (state) => (state.n < count ? "step" : END), ["step", END]);
}

function fan(count, work) {
  return new StateGraph(State)
    .addNode("step", async () => { await work(); return { n: 1 }; })
    .addConditionalEdges(START, () => Array.from({ length: count }, (_, i) => new Send("step", { n: i })), ["step"])
    .addEdge("step", END);
}

if (how === "hello") {
  await loop(1, async () => {}).compile().invoke({ n: 0 });
} else if (how === "spawn") {
  const count = Number(words[0]);
  const graph = words[1] === "chain" ? loop(count, runTrue) : fan(count, runTrue);
  await graph.compile().invoke({ n: 0 }, { recursionLimit: count + 10, maxConcurrency: 2 });
} else {
  const { SqliteSaver } = await import("@langchain/langgraph-checkpoint-sqlite");
  const [runs, steps, folder] = [Number(words[0]), Number(words[1]), words[2]];
  const saver = SqliteSaver.fromConnString(`${folder}/langgraph-${process.pid}.db`);
  saver.setup?.();
  saver.db.pragma("journal_mode = WAL");
  saver.db.pragma("synchronous = FULL");
  const graph = loop(steps, async () => {}).compile({ checkpointer: saver });
  const start = process.hrtime.bigint();
  await Promise.all(Array.from({ length: runs }, (_, i) => graph.invoke({ n: 0 },
    { recursionLimit: steps + 10, durability: "sync", configurable: { thread_id: `run-${i}` } })));
  console.log((runs * steps / (Number(process.hrtime.bigint() - start) / 1e9)).toFixed(1));
}
