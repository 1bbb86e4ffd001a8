import type { GateService as Gate } from '../src/gate/gate.service.ts';
import type { DatabaseService as DatabaseOf } from '../src/platform/database/database.service.ts';
import type { DecisionsService as Decisions } from '../src/policies/decisions.service.ts';
import type { PoliciesService as Policies } from '../src/policies/policies.service.ts';
import { createAgent, noOpTool, offerTools } from './agent.ts';
import { built } from './built.ts';
import { createOrganization } from './organization.ts';

/*
 * The built server with an agent, TOOLS tools that do nothing, and RULES rules. CALLERS callers use the gate in this
 * process for SECONDS, while the audit log is sealed. A child process of the benchmark. Its first line contains the
 * measurements.
 */

interface Times {
  p50: number;
  p99: number;
}
export interface GateSpeed {
  perSecond: number;
  calls: Times;
  /** The first decision on each tool after a publication. */
  firstDecisions: Times;
  decisions: Times;
  coldListMs: number;
  cachedLists: Times;
}

const { Config } = await built<typeof import('../src/platform/config/config.ts')>('platform/config/config');
const { startServer } = await built<typeof import('../src/server.ts')>('server');
const { DatabaseService } = await built<{ DatabaseService: typeof DatabaseOf }>('platform/database/database.service');
const { GateService } = await built<{ GateService: typeof Gate }>('gate/gate.service');
const { DecisionsService } = await built<{ DecisionsService: typeof Decisions }>('policies/decisions.service');
const { PoliciesService } = await built<{ PoliciesService: typeof Policies }>('policies/policies.service');

const [tools, rules, callers, seconds] = ['TOOLS', 'RULES', 'CALLERS', 'SECONDS'].map((name) =>
  Number(process.env[name]),
);
const listings = 1000;
const decisions = 10_000;
const coldListings = 5;

const server = await startServer(Config.from({ PORT: '0', INTERNAL_PORT: '0', ...process.env }));
const get = <T>(service: abstract new (...args: never[]) => T): T =>
  server.app.get<T>(service as never, { strict: false });
const offered = Array.from({ length: tools }, (_, nth) => noOpTool(`bench__tool_${nth}`, 'read'));
await offerTools(server.app, offered);
const { person } = await createOrganization(server.app);
const { agent, configurationId } = await createAgent(server.app, person);
await publish(0);
const lists = await measureLists();
const decided = await measureDecisions();
await measureCalls(0.5); // compiles the code
const output: GateSpeed = { ...lists, ...decided, ...(await measureCalls(seconds)) };
process.stdout.write(`${JSON.stringify(output)}\n`);
process.stdin.resume().once('end', () => void server.close().then(() => process.exit(0)));

/** One rule allows everything. The others are evaluated for every call and do not apply. */
async function publish(version: number): Promise<void> {
  const others = Array.from(
    { length: rules - 1 },
    (_, nth) =>
      `@id("rule-${version}-${nth}")\nforbid (principal, action, resource) when { context.tainted && context.surface == "mcp" };`,
  );
  const text = ['@id("all")\npermit (principal, action, resource);', ...others].join('\n');
  await get(PoliciesService).publish(person, configurationId, text);
}

/** Cold: after a publication, when nothing of the policies is compiled. */
async function measureLists(): Promise<Pick<GateSpeed, 'coldListMs' | 'cachedLists'>> {
  const list = async () => {
    const listed = await get(GateService).list(agent, configurationId);
    if (listed.length < tools) throw new Error(`only ${listed.length} tools are listed`);
  };
  const cold: number[] = [];
  for (let version = 1; version <= coldListings; version++) {
    await publish(version);
    cold.push(await timed(list));
  }
  const cached: number[] = [];
  for (let nth = 0; nth < listings; nth++) cached.push(await timed(list));
  return { coldListMs: timesOf(cold).p50, cachedLists: timesOf(cached) };
}

async function measureDecisions(): Promise<Pick<GateSpeed, 'firstDecisions' | 'decisions'>> {
  const service = get(DecisionsService);
  const policies = await get(DatabaseService).tenant(agent, (tx) =>
    service.loadPublished(tx, agent.tenantId, configurationId),
  );
  const times: number[] = [];
  for (let nth = 0; nth < tools + decisions; nth++) {
    const args = { title: `Conveyor ${nth} stands still`, priority: nth };
    const before = performance.now();
    const { verdict } = service.decide({
      policies,
      principal: agent,
      groups: [],
      tool: offered[nth % tools],
      args,
      tainted: false,
    });
    times.push(performance.now() - before);
    if (verdict !== 'allow') throw new Error(`the verdict is ${verdict}`);
  }
  return { firstDecisions: timesOf(times.slice(0, tools)), decisions: timesOf(times.slice(tools)) };
}

async function measureCalls(duration: number): Promise<{ perSecond: number; calls: Times }> {
  const times: number[] = [];
  const began = performance.now();
  const until = began + duration * 1000;
  const call = async (nth: number) => {
    const text = JSON.stringify({ title: `Conveyor ${nth} stands still`, priority: nth });
    const request = { configurationId, tool: offered[nth % tools].name, arguments: text };
    const { state } = await get(GateService).call(agent, request);
    if (state !== 'succeeded') throw new Error(`a call is ${state}`);
  };
  await Promise.all(
    Array.from({ length: callers }, async () => {
      while (performance.now() < until) times.push(await timed(() => call(times.length)));
    }),
  );
  return { perSecond: (times.length * 1000) / (performance.now() - began), calls: timesOf(times) };
}

async function timed(run: () => Promise<unknown>): Promise<number> {
  const before = performance.now();
  await run();
  return performance.now() - before;
}

function timesOf(times: number[]): Times {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
  return { p50: at(0.5), p99: at(0.99) };
}
