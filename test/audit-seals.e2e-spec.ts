import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { cpSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client } from 'pg';
import { AuditService } from '../src/audit/audit.service.js';
import { AuditSealerService } from '../src/audit/sealing/audit-sealer.service.js';
import { AuditSigningKeyService } from '../src/audit/sealing/audit-signing-key.service.js';
import { type AuditHead, headHash } from '../src/audit/sealing/audit-head.js';
import { leafHash, MerkleTree } from '../src/audit/sealing/merkle-tree.js';
import { Config } from '../src/platform/config/config.js';
import { newId } from '../src/platform/crypto/ids.js';
import { SealService } from '../src/platform/crypto/seal.service.js';
import { DatabaseService } from '../src/platform/database/database.service.js';
import { SealerDatabaseService } from '../src/platform/database/sealer-database.service.js';
import { canonicalJson } from '../src/platform/json/strict-json.js';
import { LogService } from '../src/platform/telemetry/log.service.js';
import { testMasterKey } from './kit/database.js';
import { anOrganization, type Organization } from './kit/organization.js';
import { type TestServer, testServer } from './kit/server.js';

let server: TestServer;
let owner: Client;
const sealedTables = ['audit_events', 'audit_seals', 'audit_nodes', 'audit_heads'];
/** The verifier alone, as an auditor installs it. */
let verifier: string;

beforeAll(async () => {
  server = await testServer();
  owner = new Client(server.databaseUrl);
  await owner.connect();
  verifier = mkdtempSync(path.join(server.folder, 'verifier-'));
  cpSync('verify', verifier, { recursive: true });
});
afterAll(async () => {
  await owner.end();
  await server.close();
});

const record = (of: Organization, count = 1) =>
  server.app.get(DatabaseService).tenant(of.system, (tx) =>
    server.app.get(AuditService).recordAll(
      tx,
      Array.from({ length: count }, (_, n) => ({
        principal: of.system,
        record: {
          kind: 'test.recorded',
          subject: { type: 'test', id: newId(), name: `ä\u2028${n}` },
          detail: { amount: n / 3 },
        },
      })),
    ),
  );
const seal = (of: Organization) => server.app.get(AuditSealerService).sealNow(of.tenant.id);

/** Transactions of other tests may still be running. */
const sealEverything = (of: Organization, sealer = server.app.get(AuditSealerService)) =>
  expect
    .poll(async () => {
      await sealer.sealNow(of.tenant.id);
      const { rows } = await owner.query<{ missing: number }>(
        `select (select count(*) from audit_events where tenant_id = $1)::int - coalesce(max(size), 0)::int as missing
         from audit_heads where tenant_id = $1`,
        [of.tenant.id],
      );
      return rows[0].missing;
    })
    .toBe(0);

/** An organization with 12 sealed events and more, under several heads. */
async function aSealedOrganization(): Promise<Organization> {
  const organization = await anOrganization(server);
  for (let head = 0; head < 4; head++) {
    await record(organization, 3);
    await sealEverything(organization);
  }
  return organization;
}

async function download(of: Organization, file: string): Promise<string> {
  const response = await (await of.browser()).fetch(`/console/exports/${file}`);
  expect(response.status).toBe(200);
  return store(await response.text());
}

function store(text: string): string {
  const file = path.join(server.folder, `${randomBytes(8).toString('hex')}.jsonl`);
  writeFileSync(file, text);
  return file;
}

interface Verification {
  exitCode: number;
  ok: boolean;
  complete?: boolean;
  events?: number;
  unsealed?: number;
  warnings?: string[];
  head?: { size: number; epoch: number };
  problem?: string;
  message?: string;
  id?: string;
  position?: number;
  to?: number;
}

const run = (...given: string[]) =>
  new Promise<{ exitCode: number; stdout: string; stderr: string }>((resolve) => {
    execFile(process.execPath, [path.join(verifier, 'countersign-verify.js'), ...given], (error, stdout, stderr) =>
      resolve({ exitCode: (error?.code as number | undefined) ?? 0, stdout, stderr }),
    );
  });
async function verify(file: string, ...given: string[]): Promise<Verification> {
  const { exitCode, stdout, stderr } = await run(file, '--json', ...given);
  expect(stderr).toBe('');
  return { exitCode, ...(JSON.parse(stdout) as Omit<Verification, 'exitCode'>) };
}
const verifyExportOf = async (of: Organization, ...given: string[]) =>
  verify(await download(of, 'audit.jsonl'), ...given);

/** Runs statements as the owner of the tables, with the triggers disabled, in one transaction between two batches. */
async function tamper(tenantId: string, ...statements: [text: string, ...params: unknown[]][]): Promise<void> {
  await owner.query('begin');
  await owner.query(`select pg_advisory_xact_lock(hashtext('countersign audit sealer'))`);
  for (const table of sealedTables) await owner.query(`alter table ${table} disable trigger user`);
  for (const [text, ...params] of statements) await owner.query(text, [tenantId, ...params]);
  for (const table of sealedTables) await owner.query(`alter table ${table} enable trigger user`);
  await owner.query('commit');
}
const idAt = async (of: Organization, position: number): Promise<string> => {
  const { rows } = await owner.query<{ id: string }>(
    'select event_id as id from audit_seals where tenant_id = $1 and position = $2',
    [of.tenant.id, position],
  );
  return rows[0].id;
};
const sealedCount = async (of: Organization): Promise<number> => {
  const { rows } = await owner.query<{ count: number }>(
    'select count(*)::int as count from audit_seals where tenant_id = $1',
    [of.tenant.id],
  );
  return rows[0].count;
};

describe('the sealed audit log', () => {
  it('is complete and unchanged in an export', async () => {
    const lark = await aSealedOrganization();
    const result = await verifyExportOf(lark);
    expect(result).toMatchObject({ exitCode: 0, ok: true, complete: true, warnings: [] });
    expect(result.events).toBe(result.head!.size);
    expect(result.events! + result.unsealed!).toBeGreaterThan(12);
  });

  it('seals periodically, without an export', async () => {
    const lark = await anOrganization(server);
    await record(lark, 5);
    const ask = await lark.as();
    await expect
      .poll(async () => (await ask('{ auditSeal { size at root } }')).data.auditSeal)
      .toMatchObject({ root: expect.stringMatching(/^[0-9a-f]{64}$/) as string });
    const member = await lark.as(await lark.member());
    expect((await member('{ auditSeal { size } }')).code).toBe('forbidden');
  });

  it('gives no role of the application the right to change it', async () => {
    const { rows } = await owner.query<{ grantee: string }>(`
      select grantee, table_name, privilege_type from information_schema.role_table_grants
      where grantee like 'cs\\_%' and privilege_type in ('UPDATE', 'DELETE', 'TRUNCATE')
        and table_name in ('audit_events', 'audit_seals', 'audit_nodes', 'audit_heads', 'audit_keys')`);
    expect(rows).toEqual([]);
    await expect(owner.query(`delete from audit_heads`)).rejects.toThrow('never changed or removed');
  });

  it('proves the events of a filtered export, and claims no completeness', async () => {
    const lark = await anOrganization(server);
    for (const count of [300, 1, 230, 70]) await record(lark, count);
    const file = await download(lark, 'audit.jsonl?kind=test.recorded');
    expect(await verify(file)).toMatchObject({ exitCode: 0, complete: false, events: 601, unsealed: 0 });
    const text = readFileSync(file, 'utf8');
    expect(await verify(store(text.replace('"name":"ä\u2028250"', '"name":"other"')))).toMatchObject({
      exitCode: 1,
      problem: 'altered',
    });
    expect(await verify(store(text.replace(/,"proof":\[[^\]]*\]/, '')))).toMatchObject({ exitCode: 1 });
  });

  it('waits for the oldest running writer, and loses none of its events', async () => {
    const lark = await aSealedOrganization();
    const writer = new Client(server.databaseUrl);
    await writer.connect();
    await writer.query('begin');
    const late = newId();
    await writer.query(
      `insert into audit_events (tenant_id, id, at, kind, actor, detail) values ($1, $2, now(), 'test.late', '{}', '{}')`,
      [lark.tenant.id, late],
    );
    await record(lark, 7);
    const before = await sealedCount(lark);
    const early = await verifyExportOf(lark);
    expect(early).toMatchObject({ ok: true, events: before });
    expect(early.unsealed).toBeGreaterThanOrEqual(7);
    await writer.query('commit');
    await writer.end();
    await expect.poll(() => verifyExportOf(lark)).toMatchObject({ ok: true, unsealed: 0 });
    expect(await idAt(lark, before)).toBe(late);
  });

  it('has one order when two processes seal at the same time', async () => {
    const lark = await anOrganization(server);
    const { app } = server;
    const other = new AuditSealerService(
      app.get(SealerDatabaseService),
      app.get(Config),
      app.get(AuditSigningKeyService),
      app.get(LogService),
    );
    for (let round = 0; round < 10; round++) {
      await Promise.all([
        record(lark, 40),
        record(lark, 1),
        seal(lark),
        other.sealNow(lark.tenant.id),
        record(lark, 3),
      ]);
    }
    await expect.poll(() => verifyExportOf(lark)).toMatchObject({ ok: true, complete: true, unsealed: 0 });
  });

  it('starts an epoch with another master key, endorsed by the former one', async () => {
    const lark = await aSealedOrganization();
    const trusted = await download(lark, 'audit-head.json');
    const { app } = server;
    const sealWith = async (...masterKeys: Buffer[]) => {
      const key = new AuditSigningKeyService(new SealService(masterKeys));
      const sealer = new AuditSealerService(app.get(SealerDatabaseService), app.get(Config), key, app.get(LogService));
      await record(lark);
      await sealEverything(lark, sealer);
    };
    await sealWith(Buffer.alloc(32, 8), testMasterKey);
    expect(await verifyExportOf(lark, '--since', trusted)).toMatchObject({ ok: true, warnings: [] });
    await sealWith(Buffer.alloc(32, 9));
    expect((await verifyExportOf(lark)).warnings).toEqual([expect.stringContaining('not endorsed')]);
  });
});

describe('the verifier names', () => {
  it('an altered event', async () => {
    const lark = await aSealedOrganization();
    const id = await idAt(lark, 5);
    await tamper(lark.tenant.id, [
      `update audit_events set actor = '{"name": "Nobody"}' where tenant_id = $1 and id = $2`,
      id,
    ]);
    expect(await verifyExportOf(lark)).toMatchObject({ exitCode: 1, problem: 'altered', position: 5, id });
  });

  it('the interval between two heads if an event is altered together with its stored hash', async () => {
    const lark = await aSealedOrganization();
    const id = await idAt(lark, 8);
    await tamper(lark.tenant.id, [
      `update audit_events set kind = 'test.invented' where tenant_id = $1 and id = $2`,
      id,
    ]);
    const exported = readFileSync(await download(lark, 'audit.jsonl'), 'utf8').split('\n');
    const { position: _, leaf: __, ...event } = JSON.parse(exported[8]) as Record<string, unknown>;
    await tamper(lark.tenant.id, [
      'update audit_seals set leaf = $2 where tenant_id = $1 and position = 8',
      leafHash(canonicalJson(event)),
    ]);
    const result = await verifyExportOf(lark);
    expect(result).toMatchObject({ exitCode: 1, problem: 'altered', id: await idAt(lark, result.position!) });
    expect(result.position).toBeLessThanOrEqual(8);
    expect(result.to).toBeGreaterThanOrEqual(8);
  });

  it('a removed event', async () => {
    const lark = await aSealedOrganization();
    const id = await idAt(lark, 4);
    await tamper(lark.tenant.id, ['delete from audit_events where tenant_id = $1 and id = $2', id]);
    expect(await verifyExportOf(lark)).toMatchObject({ exitCode: 1, problem: 'removed', position: 4, id });
    await tamper(lark.tenant.id, ['delete from audit_seals where tenant_id = $1 and position = 4']);
    expect(await verifyExportOf(lark)).toMatchObject({ exitCode: 1, problem: 'removed', position: 4 });
  });

  it('an inserted event', async () => {
    const lark = await aSealedOrganization();
    const id = newId();
    await tamper(lark.tenant.id, [
      `insert into audit_events (tenant_id, id, at, kind, actor, detail, transaction_id)
       values ($1, $2, now() - interval '1 day', 'test.invented', '{}', '{}', '3')`,
      id,
    ]);
    const file = await download(lark, 'audit.jsonl');
    expect(await verify(file)).toMatchObject({ exitCode: 1, problem: 'inserted', id });
    const lines = readFileSync(file, 'utf8').split('\n');
    const twice = [...lines.slice(0, 3), lines[2], ...lines.slice(3)].join('\n');
    expect(await verify(store(twice))).toMatchObject({ exitCode: 1, problem: 'inserted', position: 2 });
    const proven = JSON.stringify({ ...(JSON.parse(lines[2]) as object), kind: 'test.invented', proof: [] });
    const withProof = [...lines.slice(0, 3), proven, ...lines.slice(3)].join('\n');
    expect(await verify(store(withProof))).toMatchObject({ exitCode: 1, problem: 'inserted', position: 2 });
  });

  it('an event that was moved', async () => {
    const lark = await aSealedOrganization();
    const [first, second] = [await idAt(lark, 3), await idAt(lark, 6)];
    const move = 'update audit_seals set event_id = $2 where tenant_id = $1 and position = $3';
    await tamper(lark.tenant.id, [move, newId(), 3], [move, first, 6], [move, second, 3]);
    expect(await verifyExportOf(lark)).toMatchObject({ exitCode: 1, problem: 'reordered', position: 3, id: second });
  });

  it('the first event that was cut off', async () => {
    const lark = await aSealedOrganization();
    const trusted = await download(lark, 'audit-head.json');
    const text = readFileSync(await download(lark, 'audit.jsonl'), 'utf8');
    expect(await verify(store(text.slice(0, -20)))).toMatchObject({ exitCode: 1, problem: 'cut-off' });
    const lines = text.split('\n');
    const withoutEnd = lines.filter((line) => !/"position":(9|\d\d)\b/.test(line)).join('\n');
    expect(await verify(store(withoutEnd))).toMatchObject({ exitCode: 1, problem: 'cut-off', position: 9 });

    // a consistent older state of all tables
    const heads = lines.filter((line) => line.startsWith('{"head"'));
    const { signature: _, ...head } = (JSON.parse(heads[0]) as { head: AuditHead }).head;
    const { size, tenantId } = head;
    const tree = new MerkleTree();
    for (const line of lines.slice(0, size))
      tree.append(Buffer.from((JSON.parse(line) as { leaf: string }).leaf, 'hex'));
    expect(tree.root().toString('hex')).toBe(head.root);
    await tamper(
      tenantId,
      [
        `delete from audit_events where tenant_id = $1 and id not in (
           select event_id from audit_seals where tenant_id = $1 and position < $2)`,
        size,
      ],
      ['delete from audit_seals where tenant_id = $1 and position >= $2', size],
      ['delete from audit_heads where tenant_id = $1 and size > $2', size],
      [
        `update audit_trees set size = $2::bigint, frontier = $3, head_size = $2::bigint, head_hash = $4
         where tenant_id = $1`,
        size,
        tree.packFrontier(),
        headHash(head),
      ],
    );
    const file = await download(lark, 'audit.jsonl');
    const shorter = await verify(file);
    expect(shorter).toMatchObject({ exitCode: 0, ok: true, complete: true });
    expect(await verify(file, '--since', trusted)).toMatchObject({
      exitCode: 1,
      problem: 'cut-off',
      position: shorter.head!.size,
    });
  });

  it('a log that was signed anew with the stolen key, if an older head is trusted', async () => {
    const lark = await aSealedOrganization();
    const trusted = await download(lark, 'audit-head.json');
    expect(await verifyExportOf(lark, '--since', trusted)).toMatchObject({ exitCode: 0, ok: true });
    const of = (table: string) => `delete from ${table} where tenant_id = $1`;
    await tamper(
      lark.tenant.id,
      [`update audit_events set detail = '{}' where tenant_id = $1 and id = $2`, await idAt(lark, 2)],
      ...['audit_seals', 'audit_nodes', 'audit_heads', 'audit_trees'].map((table): [string] => [of(table)]),
      ['delete from audit_sealing where $1::uuid is not null'],
    );
    await sealEverything(lark); // signs all heads with the real key
    const file = await download(lark, 'audit.jsonl');
    expect(await verify(file)).toMatchObject({ exitCode: 0, ok: true, complete: true });
    expect(await verify(file, '--since', trusted)).toMatchObject({ exitCode: 2, problem: 'forked' });
  });
});

describe('the command of the verifier', () => {
  it('explains itself, and reports wrong use', async () => {
    expect((await run('--help')).stdout).toContain('Exit codes');
    for (const given of [[], ['a', 'b'], ['--unknown'], [path.join(server.folder, 'missing')], [store('no export')]])
      expect(await run(...given)).toMatchObject({ exitCode: 64, stdout: '' });
    const lark = await aSealedOrganization();
    const file = await download(lark, 'audit.jsonl');
    expect((await run(file)).stdout).toContain('Verified: complete to event');
    expect(await run(file, '--since', store('{}'))).toMatchObject({ exitCode: 64 });
    const other = await download(await aSealedOrganization(), 'audit-head.json');
    expect(await run(file, '--since', other)).toMatchObject({ exitCode: 64 });
  });
});
