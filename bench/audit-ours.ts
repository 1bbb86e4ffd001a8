import { createWriteStream } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { TenantsService as Tenants } from '../src/access/tenants.service.ts';
import type { AuditExportService as AuditExport } from '../src/audit/audit-export.service.ts';
import type { AuditService as Audit } from '../src/audit/audit.service.ts';
import type { AuditSealerService as AuditSealer } from '../src/audit/sealing/audit-sealer.service.ts';
import type { DatabaseService as DatabaseOf } from '../src/platform/database/database.service.ts';
import type { systemPrincipal as SystemPrincipal } from '../src/principal/principal.ts';
import { built } from './built.ts';

/*
 * The built server, and events of one organization: EVENTS at once, or EVENTS_PER_SECOND for SECONDS. A child process
 * of the benchmark. Its first line contains the measurements.
 */

export interface AuditSpeed {
  sealedPerSecond: number;
  verifiedPerSecond: number;
}
export interface AuditLag {
  p50: number;
  p99: number;
  mostMs: number;
}

const { Config } = await built<typeof import('../src/platform/config/config.ts')>('platform/config/config');
const { statement } =
  await built<typeof import('../src/platform/database/statement.ts')>('platform/database/statement');
const { startServer } = await built<typeof import('../src/server.ts')>('server');
const { DatabaseService } = await built<{ DatabaseService: typeof DatabaseOf }>('platform/database/database.service');
const { TenantsService } = await built<{ TenantsService: typeof Tenants }>('access/tenants.service');
const { AuditService } = await built<{ AuditService: typeof Audit }>('audit/audit.service');
const { AuditExportService } = await built<{ AuditExportService: typeof AuditExport }>('audit/audit-export.service');
const { AuditSealerService } = await built<{ AuditSealerService: typeof AuditSealer }>(
  'audit/sealing/audit-sealer.service',
);
const { systemPrincipal } = await built<{ systemPrincipal: typeof SystemPrincipal }>('principal/principal');

const batchSize = 1000;
const eventsAtOnce = 20;

const server = await startServer(Config.from({ PORT: '0', INTERNAL_PORT: '0', ...process.env }));
const database = server.app.get(DatabaseService);
const admin = { email: 'bench@example.org', name: 'Bench' };
const { tenant } = await server.app
  .get(TenantsService)
  .create({ name: 'bench' }, { name: 'Bench', slug: 'bench-audit', admin });
const system = systemPrincipal(tenant.id, 'bench');

const output = process.env.EVENTS
  ? await measureSpeed(Number(process.env.EVENTS))
  : await measureLag(Number(process.env.SECONDS), Number(process.env.EVENTS_PER_SECOND));
process.stdout.write(`${JSON.stringify(output)}\n`);
process.stdin.resume().once('end', () => void server.close().then(() => process.exit(0)));

function record(count: number): Promise<void> {
  const entry = {
    principal: system,
    record: {
      kind: 'call.executed',
      subject: { type: 'call', id: tenant.id, name: 'tickets__create' },
      detail: { ms: 12.5, arguments: { title: '[text, 36]', priority: 3 }, policies: ['allow-tickets'] },
    },
  };
  return database.tenant(system, (tx) =>
    server.app.get(AuditService).recordAll(
      tx,
      Array.from({ length: count }, () => entry),
    ),
  );
}

async function measureSpeed(events: number): Promise<AuditSpeed> {
  for (let done = 0; done < events; done += batchSize) await record(batchSize);
  const sealSeconds = await timed(() => server.app.get(AuditSealerService).sealNow(tenant.id));
  const file = path.join(process.env.DATA_DIR!, 'audit.jsonl');
  await pipeline(Readable.from(server.app.get(AuditExportService).export(system, {})), createWriteStream(file));
  const { verifyExport } = (await import(new URL('../verify/verify.js', import.meta.url).href)) as {
    verifyExport(file: string): Promise<{ ok: boolean; events: number }>;
  };
  let verified = 0;
  const verifySeconds = await timed(async () => {
    const result = await verifyExport(file);
    if (!result.ok) throw new Error(`the export is not verified: ${JSON.stringify(result)}`);
    verified = result.events;
  });
  return { sealedPerSecond: events / sealSeconds, verifiedPerSecond: verified / verifySeconds };
}

async function measureLag(seconds: number, eventsPerSecond: number): Promise<AuditLag> {
  const oldestUnsealed = statement<[tenantId: string], { ms: number }>(
    `select (extract(epoch from clock_timestamp() - coalesce(min(e.at), clock_timestamp())) * 1000)::float8 as ms
     from audit_events e
     where e.tenant_id = $1 and e.at > now() - interval '1 minute'
       and not exists (select from audit_seals s where s.tenant_id = e.tenant_id and s.event_id = e.id)`,
  );
  const samples: number[] = [];
  const began = performance.now();
  let isRunning = true;
  const sampling = (async () => {
    while (isRunning) {
      const [{ ms }] = await database.tenant(system, (tx) => tx.run(oldestUnsealed, [tenant.id]));
      samples.push(ms);
      await sleep(100);
    }
  })();
  for (let done = 0; done < seconds * eventsPerSecond; done += eventsAtOnce) {
    await sleep(Math.max(0, began + (done / eventsPerSecond) * 1000 - performance.now()));
    await record(eventsAtOnce);
  }
  isRunning = false;
  await sampling;
  samples.sort((a, b) => a - b);
  const at = (share: number) => samples[Math.min(samples.length - 1, Math.floor(samples.length * share))];
  return { p50: at(0.5), p99: at(0.99), mostMs: samples.at(-1)! };
}

async function timed(run: () => Promise<unknown>): Promise<number> {
  const before = performance.now();
  await run();
  return (performance.now() - before) / 1000;
}
