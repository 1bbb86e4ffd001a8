import '../../src/node-version.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { start } from '../../bench/child.ts';
import { type DatabaseEnvironment, onDatabase } from '../../bench/database.ts';
import { type Era, everything } from '../everything/server.ts';
import { isGood, type Outcome } from './outcome.ts';
import { print } from './print.ts';
import { Proxy } from './proxy.ts';
import { run } from './run.ts';
import { type Suite, suites } from './suites.ts';

/*
 * `npm run conformance`: the public suites of the Model Context Protocol. As a server: suite → proxy that
 * adds the token → this server as it ships → our everything-server, which speaks the newer generation of the protocol and then
 * the older. As a client: our upstream client against the suites' servers. `--direct` tests the everything-server alone,
 * `--only <text>` the suites with that text in their names, `--keep <folder>` leaves what they wrote there.
 */

const { values } = parseArgs({
  options: {
    direct: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    keep: { type: 'string' },
  },
});
const folder = values.keep ?? mkdtempSync(path.join(os.tmpdir(), 'countersign-conformance-'));
const chosen = suites.filter(({ name }) => name.includes(values.only));
const driver = path.join(import.meta.dirname, 'client-driver.ts');
const outcomes: Outcome[] = [];

const servers = chosen.filter(({ leg }) => leg === 'server');
if (values.direct) await directly(servers);
else {
  await onDatabase((environment) => throughProxy(environment, 'modern', servers));
  // a client of 2026 loses the names of its questions before a server of 2025, which asks them one by one and without names
  await onDatabase((environment) =>
    throughProxy(
      environment,
      'legacy',
      servers.filter(({ era }) => era === 'legacy'),
    ),
  );
}
if (!values.direct)
  for (const suite of chosen.filter(({ leg }) => leg === 'client'))
    await tell('upstream client', suite, `${process.execPath} --disable-warning=ExperimentalWarning ${driver}`);
if (!values.keep) rmSync(folder, { recursive: true, force: true });
process.exitCode = outcomes.length && outcomes.every(isGood) ? 0 : 1;

async function tell(what: string, suite: Suite, target: string): Promise<void> {
  const outcome = await run(suite, target, path.join(folder, what.replaceAll(' ', '-')));
  outcomes.push(outcome);
  process.stdout.write(print(what, outcome));
}

async function directly(chosen: Suite[]): Promise<void> {
  const server = await everything();
  for (const suite of chosen) await tell('everything-server', suite, server.url.replace('127.0.0.1', 'localhost'));
  await server.close();
}

async function throughProxy(environment: DatabaseEnvironment, era: Era, chosen: Suite[]): Promise<void> {
  if (!chosen.length) return;
  const [upstream, proxy] = await Promise.all([everything({ era }), Proxy.start()]);
  const ours = await start<{ url: string; token: string }>(path.resolve('bench/mcp-ours.ts'), [], {
    ...environment,
    UPSTREAM: upstream.url,
    ALLOW_PRIVATE_NETWORKS: '127.0.0.0/8',
    MCP_ALLOWED_ORIGINS: `http://localhost:${proxy.port}`,
  });
  try {
    proxy.lead(ours.output.url, ours.output.token);
    for (const suite of chosen) await tell(`before a ${era} upstream`, suite, proxy.url);
  } finally {
    await ours.stop();
    await Promise.all([proxy.stop(), upstream.close()]);
  }
}
