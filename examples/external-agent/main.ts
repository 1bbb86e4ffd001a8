import { parseArgs } from 'node:util';
import { RemoteAgent, Refused, type Part, type Task } from './client.ts';
import { linesOf, OfficialAgent, reasonOf, stateOf } from './sdk.ts';

const usage = `Submits a task to a Countersign agent and prints its updates.

  npx node run.js examples/external-agent/main.ts --url http://127.0.0.1:8080/agents/<configuration> --key cs_a2a_… "How do I …?"

  --id <id>       the task's id; random by default. With the id of a task that waits for input: your reply
  --data <json>   an additional data part, such as '{"tool": "…", "arguments": {…}}'
  --poll          send and poll, instead of streaming
  --cancel        cancel the task --id
  --sdk           use the official SDK and the A2A protocol, in which the server assigns task ids
  --binding <b>   with --sdk: JSONRPC, HTTP+JSON or GRPC; default: the first one in the card
  --key, --url    can also be set as A2A_KEY and A2A_URL
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    url: { type: 'string', default: process.env.A2A_URL },
    key: { type: 'string', default: process.env.A2A_KEY },
    id: { type: 'string' },
    data: { type: 'string' },
    poll: { type: 'boolean', default: false },
    cancel: { type: 'boolean', default: false },
    sdk: { type: 'boolean', default: false },
    binding: { type: 'string' },
  },
});

const say = (line: string) => process.stdout.write(`${line}\n`);

function describe({ status, artifacts }: Task): string {
  const lines = [`${status.timestamp}  ${status.state}`];
  for (const { text } of status.message?.parts ?? []) lines.push(text);
  if (status.error) lines.push(`${status.error.code}: ${status.error.detail}`);
  for (const artifact of artifacts ?? []) {
    lines.push(`— ${artifact.name}`);
    for (const part of artifact.parts) lines.push('text' in part ? part.text : JSON.stringify(part, null, 2));
  }
  return lines.join('\n    ');
}

async function run(): Promise<number> {
  const parts: Part[] = positionals.map((text) => ({ text }));
  if (values.data) parts.push({ data: JSON.parse(values.data) as unknown });
  if (!values.url || !values.key || (!parts.length && !values.cancel)) {
    process.stderr.write(usage);
    return 64;
  }
  return values.sdk ? official(values.url, values.key, parts) : plain(values.url, values.key, parts);
}

/** Plain HTTP requests: client.ts. */
async function plain(url: string, key: string, parts: Part[]): Promise<number> {
  const agent = new RemoteAgent(url, key);
  const card = await agent.card();
  say(`${card.name}: ${card.description}`);
  for (const skill of card.skills) say(`  · ${skill.name}`);

  const id = values.id ?? crypto.randomUUID();
  if (values.cancel) {
    say(describe(await agent.cancel(id)));
    return 0;
  }
  say(`task ${id}`);
  const last = values.poll ? await polled(agent, id, parts) : await streamed(agent, id, parts);
  if (last.status.metadata?.reason === 'information') say(`reply with: --id ${id} "…"`);
  return last.status.state === 'completed' ? 0 : last.status.state === 'input-required' ? 2 : 1;
}

/** The A2A protocol: sdk.ts. */
async function official(url: string, key: string, parts: Part[]): Promise<number> {
  const agent = await OfficialAgent.at({ url, key, binding: values.binding });
  const { name, description, skills } = await agent.card();
  say(`${name}: ${description}`);
  for (const skill of skills) say(`  · ${skill.name}`);
  if (values.cancel && values.id) {
    say(stateOf(await agent.cancel(values.id)));
    return 0;
  }
  const task = await agent.talk(parts, values.id, (event) => {
    if (event.payload?.$case === 'task') say(`task ${event.payload.value.id}`);
    say(linesOf(event).join('\n    '));
  });
  if (reasonOf(task)) say(`reply with: --sdk --id ${task.id} "…"`);
  return stateOf(task) === 'COMPLETED' ? 0 : reasonOf(task) ? 2 : 1;
}

async function polled(agent: RemoteAgent, id: string, parts: Part[]): Promise<Task> {
  say(describe(await agent.send(id, parts)));
  const task = await agent.poll(id, { untilInput: true });
  say(describe(task));
  return task;
}

/** A stream stays open while a person decides; the client only leaves it when the agent asks a question. */
async function streamed(agent: RemoteAgent, id: string, parts: Part[]): Promise<Task> {
  let last: Task | undefined;
  for await (const update of agent.sendSubscribe(id, parts)) {
    last = update;
    say(describe(update));
    if (update.status.metadata?.reason === 'information') break;
  }
  return last!;
}

try {
  process.exitCode = await run();
} catch (error) {
  process.stderr.write(`${error instanceof Refused ? error.message : String(error)}\n`);
  for (const fault of error instanceof Refused ? (error.problem.errors ?? []) : [])
    process.stderr.write(`  ${fault.pointer}: ${fault.detail}\n`);
  process.exitCode = 1;
}
