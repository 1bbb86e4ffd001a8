import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { cpSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client } from 'pg';
import { AuditService } from '../src/audit/audit.service.js';
import { AuditSealerService } from '../src/audit/sealing/audit-sealer.service.js';
import { AuditSigningKeyService } from '../src/audit/sealing/audit-signing-key.service.js';
import { MerkleTree } from '../src/audit/sealing/merkle-tree.js';
import { Config } from '../src/platform/config/config.js';
import { newId } from '../src/platform/crypto/ids.js';
import { SealService } from '../src/platform/crypto/seal.service.js';
import { DatabaseService } from '../src/platform/database/database.service.js';
import { DATABASE_ADDRESSES } from '../src/platform/database/tokens.js';
import { LogService } from '../src/platform/telemetry/log.service.js';
import { testMasterKey } from './kit/database.js';
import { anOrganization, type Organization } from './kit/organization.js';
import { type TestServer, testServer } from './kit/server.js';

let server: TestServer;
let owner: Client;
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
const seal = (of: Organization) => server.app.get(AuditSealerService).sealNow(of.tenantId);

/** An organization with 12 sealed events and more, under several heads. */
async function aSealedOrganization(): Promise<Organization> {
  const organization = await anOrganization(server);
  for (let head = 0; head < 4; head++) {
    await record(organization, 3);
    await seal(organization);
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

/** Runs SQL as the owner of the tables, with the triggers disabled. */
async function tamper(text: string, params: unknown[] = []): Promise<void> {
  for (const table of ['audit_events', 'audit_seals', 'audit_nodes', 'audit_heads'])
    await owner.query(`alter table ${table} disable trigger user`);
  await owner.query(text, params);
  for (const table of ['audit_events', 'audit_seals', 'audit_nodes', 'audit_heads'])
    await owner.query(`alter table ${table} enable trigger user`);
}
const idAt = async (of: Organization, position: number): Promise<string> => {
  const { rows } = await owner.query<{ id: string }>(
    'select event_id as id from audit_seals where tenant_id = $1 and position = $2',
    [of.tenantId, position],
  );
  return rows[0].id;
};
const sealedCount = async (of: Organization): Promise<number> => {
  const { rows } = await owner.query<{ count: number }>(
    'select count(*)::int as count from audit_seals where tenant_id = $1',
    [of.tenantId],
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

  it('seals by itself, without an export', async () => {
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
      [lark.tenantId, late],
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
      app.get(DATABASE_ADDRESSES),
      app.get(Config),
      app.get(AuditSigningKeyService),
      app.get(LogService),
    );
    for (let round = 0; round < 10; round++) {
      await Promise.all([record(lark, 40), record(lark, 1), seal(lark), other.sealNow(lark.tenantId), record(lark, 3)]);
    }
    await other.onApplicationShutdown();
    await expect.poll(() => verifyExportOf(lark)).toMatchObject({ ok: true, complete: true, unsealed: 0 });
  });

  it('starts an epoch with another master key, endorsed by the former one', async () => {
    const lark = await aSealedOrganization();
    const trusted = await download(lark, 'audit-head.json');
    const { app } = server;
    const sealWith = async (...masterKeys: Buffer[]) => {
      const key = new AuditSigningKeyService(new SealService(masterKeys));
      const sealer = new AuditSealerService(app.get(DATABASE_ADDRESSES), app.get(Config), key, app.get(LogService));
      await record(lark);
      await expect
        .poll(async () => {
          await sealer.sealNow(lark.tenantId);
          const { rows } = await owner.query(
            'select from audit_heads h join audit_trees t using (tenant_id) where tenant_id = $1 and h.size = t.size',
            [lark.tenantId],
          );
          return rows.length;
        })
        .toBe(1);
      await sealer.onApplicationShutdown();
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
    await tamper(`update audit_events set actor = '{"name": "Nobody"}' where tenant_id = $1 and id = $2`, [
      lark.tenantId,
      id,
    ]);
    expect(await verifyExportOf(lark)).toMatchObject({ exitCode: 1, problem: 'altered', position: 5, id });
  });

  it('the interval between two heads when an event is altered together with its stored hash', async () => {
    const lark = await aSealedOrganization();
    await tamper(`update audit_seals set leaf = $2, event_id = $3 where tenant_id = $1 and position = 8`, [
      lark.tenantId,
      Buffer.alloc(32, 1),
      newId(),
    ]);
    await tamper(
      `insert into audit_events (tenant_id, id, at, kind, actor, detail)
       select tenant_id, event_id, now(), 'test.invented', '{}', '{}' from audit_seals where tenant_id = $1 and position = 8`,
      [lark.tenantId],
    );
    const file = await download(lark, 'audit.jsonl');
    // as if the stored hash were right
    const lines = readFileSync(file, 'utf8').split('\n');
    const { leafHash } = await import('../src/audit/sealing/merkle-tree.js');
    const { canonicalJson } = await import('../src/platform/json/strict-json.js');
    const forged = lines.map((line) => {
      if (!line.includes('test.invented')) return line;
      const { position, leaf: _, ...event } = JSON.parse(line) as Record<string, unknown>;
      return JSON.stringify({ ...event, position, leaf: leafHash(canonicalJson(event)).toString('hex') });
    });
    const result = await verify(store(forged.join('\n')));
    expect(result).toMatchObject({ exitCode: 1, problem: 'altered', id: expect.any(String) as string });
    expect(result.position).toBeLessThanOrEqual(8);
    expect(result.to).toBeGreaterThanOrEqual(8);
  });

  it('a removed event', async () => {
    const lark = await aSealedOrganization();
    const id = await idAt(lark, 4);
    await tamper('delete from audit_events where tenant_id = $1 and id = $2', [lark.tenantId, id]);
    expect(await verifyExportOf(lark)).toMatchObject({ exitCode: 1, problem: 'removed', position: 4, id });
    await tamper('delete from audit_seals where tenant_id = $1 and position = 4', [lark.tenantId]);
    expect(await verifyExportOf(lark)).toMatchObject({ exitCode: 1, problem: 'removed', position: 4 });
  });

  it('an inserted event', async () => {
    const lark = await aSealedOrganization();
    const id = newId();
    await tamper(
      `insert into audit_events (tenant_id, id, at, kind, actor, detail, transaction_id)
       values ($1, $2, now() - interval '1 day', 'test.invented', '{}', '{}', '3')`,
      [lark.tenantId, id],
    );
    expect(await verifyExportOf(lark)).toMatchObject({ exitCode: 1, problem: 'inserted', id });
    const text = readFileSync(await download(lark, 'audit.jsonl'), 'utf8').split('\n');
    const twice = [...text.slice(0, 3), text[2], ...text.slice(3)].join('\n');
    expect(await verify(store(twice))).toMatchObject({ exitCode: 1, problem: 'inserted', position: 2 });
  });

  it('an event that was moved', async () => {
    const lark = await aSealedOrganization();
    const [first, second] = [await idAt(lark, 3), await idAt(lark, 6)];
    await tamper(
      `update audit_seals set event_id = case when position = 3 then $2::uuid else $3::uuid end
       where tenant_id = $1 and position in (3, 6)`,
      [lark.tenantId, newId(), newId()],
    );
    await tamper('update audit_seals set event_id = $2 where tenant_id = $1 and position = 3', [lark.tenantId, second]);
    await tamper('update audit_seals set event_id = $2 where tenant_id = $1 and position = 6', [lark.tenantId, first]);
    expect(await verifyExportOf(lark)).toMatchObject({ exitCode: 1, problem: 'reordered', position: 3, id: second });
  });

  it('the first event that was cut off', async () => {
    const lark = await aSealedOrganization();
    const trusted = await download(lark, 'audit-head.json');
    const file = await download(lark, 'audit.jsonl');
    const text = readFileSync(file, 'utf8');
    expect(await verify(store(text.slice(0, -20)))).toMatchObject({ exitCode: 1, problem: 'cut-off' });
    const withoutLast = text.split('\n').filter((line) => !/"position":(9|\d\d)\b/.test(line));
    expect(await verify(store(withoutLast.join('\n')))).toMatchObject({
      exitCode: 1,
      problem: 'cut-off',
      position: 9,
    });

    // the owner of the tables goes back to an earlier head
    const { rows } = await owner.query<{ event_id: string; leaf: Buffer }>(
      'select event_id, leaf from audit_seals where tenant_id = $1 order by position',
      [lark.tenantId],
    );
    const { rows: heads } = await owner.query<{ size: string }>(
      'select size from audit_heads where tenant_id = $1 order by audit_heads.size',
      [lark.tenantId],
    );
    const size = Number(heads[0].size);
    const tree = new MerkleTree();
    for (const { leaf } of rows.slice(0, size)) tree.append(leaf);
    const { headHash, signedText: _ } = await import('../src/audit/sealing/audit-head.js');
    const head = text
      .split('\n')
      .filter((line) => line.startsWith('{"head"'))
      .map((line) => (JSON.parse(line) as { head: Parameters<typeof headHash>[0] & { signature?: string } }).head)
      .find((one) => one.size === size)!;
    const { signature: __, ...unsigned } = head;
    await tamper(`delete from audit_events where tenant_id = $1 and not id = any ($2::uuid[])`, [
      lark.tenantId,
      rows.slice(0, size).map((row) => row.event_id),
    ]);
    await tamper('delete from audit_seals where tenant_id = $1 and position >= $2', [lark.tenantId, size]);
    await tamper('delete from audit_heads where tenant_id = $1 and size > $2', [lark.tenantId, size]);
    await tamper(
      `update audit_trees set size = $2::bigint, frontier = $3, head_size = $2::bigint, head_hash = $4, head_at = now()
       where tenant_id = $1`,
      [lark.tenantId, size, tree.packFrontier(), headHash(unsigned)],
    );
    expect(await verifyExportOf(lark)).toMatchObject({ ok: true });
    expect((await verifyExportOf(lark, '--since', trusted)).ok).toBe(false);
  });

  it('a log that was signed anew with the stolen key, if an older head is trusted', async () => {
    const lark = await aSealedOrganization();
    const trusted = await download(lark, 'audit-head.json');
    expect(await verifyExportOf(lark, '--since', trusted)).toMatchObject({ exitCode: 0, ok: true });
    await tamper(`update audit_events set detail = '{}' where tenant_id = $1 and id = $2`, [
      lark.tenantId,
      await idAt(lark, 2),
    ]);
    for (const table of ['audit_seals', 'audit_nodes', 'audit_heads', 'audit_trees'])
      await tamper(`delete from ${table} where tenant_id = $1`, [lark.tenantId]);
    await tamper('delete from audit_sealing');
    await expect.poll(() => verifyExportOf(lark)).toMatchObject({ exitCode: 0, ok: true, unsealed: 0 });
    expect(await verifyExportOf(lark, '--since', trusted)).toMatchObject({ exitCode: 2, problem: 'forked' });
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
