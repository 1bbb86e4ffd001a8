import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client } from 'pg';
import { AuditSealerService } from '../src/audit/sealing/audit-sealer.service.js';
import { AuditSigningKeyService } from '../src/audit/sealing/audit-signing-key.service.js';
import { type AuditHead, headHash } from '../src/audit/sealing/audit-head.js';
import { leafHash, MerkleTree } from '../src/audit/sealing/merkle-tree.js';
import { Config } from '../src/platform/config/config.js';
import { newId } from '../src/platform/crypto/ids.js';
import { SealService } from '../src/platform/crypto/seal.service.js';
import { SealerDatabaseService } from '../src/platform/database/sealer-database.service.js';
import { canonicalJson } from '../src/platform/json/strict-json.js';
import { LogService } from '../src/platform/telemetry/log.service.js';
import { AuditLogKit } from './kit/audit-log.js';
import { testMasterKey } from './kit/database.js';
import { anOrganization } from './kit/organization.js';
import { type TestServer, testServer } from './kit/server.js';

let server: TestServer;
let kit: AuditLogKit;

beforeAll(async () => {
  server = await testServer();
  kit = await AuditLogKit.start(server);
});
afterAll(async () => {
  await kit.close();
  await server.close();
});

const aSealedOrganization = async () => kit.addSealed(await anOrganization(server));

describe('the sealed audit log', () => {
  it('is complete and unchanged in an export', async () => {
    const lark = await aSealedOrganization();
    const result = await kit.verifyExportOf(lark);
    expect(result).toMatchObject({ exitCode: 0, ok: true, complete: true, warnings: [] });
    expect(result.events).toBe(result.head!.size);
    expect(result.events! + result.unsealed!).toBeGreaterThan(12);
  });

  it('seals periodically, without an export', async () => {
    const lark = await anOrganization(server);
    await kit.record(lark, 5);
    const ask = await lark.as();
    await expect
      .poll(async () => (await ask('{ auditSeal { size at root } }')).data.auditSeal)
      .toMatchObject({ root: expect.stringMatching(/^[0-9a-f]{64}$/) as string });
    const member = await lark.as(await lark.member());
    expect((await member('{ auditSeal { size } }')).code).toBe('forbidden');
  });

  it('gives no role of the application the right to change it', async () => {
    const { rows } = await kit.owner.query<{ grantee: string }>(`
      select grantee, table_name, privilege_type from information_schema.role_table_grants
      where grantee like 'cs\\_%' and privilege_type in ('UPDATE', 'DELETE', 'TRUNCATE')
        and table_name in ('audit_events', 'audit_seals', 'audit_nodes', 'audit_heads', 'audit_keys')`);
    expect(rows).toEqual([]);
    await expect(kit.owner.query(`delete from audit_heads`)).rejects.toThrow('never changed or removed');
  });

  it('proves the events of a filtered export, and claims no completeness', async () => {
    const lark = await anOrganization(server);
    for (const count of [300, 1, 230, 70]) await kit.record(lark, count);
    await kit.sealEverything(lark);
    const file = await kit.download(lark, 'audit.jsonl?kind=test.recorded');
    expect(await kit.verify(file)).toMatchObject({ exitCode: 0, complete: false, events: 601, unsealed: 0 });
    const text = readFileSync(file, 'utf8');
    expect(await kit.verify(kit.store(text.replace('"name":"ä\u2028250"', '"name":"other"')))).toMatchObject({
      exitCode: 1,
      problem: 'altered',
    });
    expect(await kit.verify(kit.store(text.replace(/,"proof":\[[^\]]*\]/, '')))).toMatchObject({ exitCode: 1 });
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
    await kit.record(lark, 7);
    const before = await kit.sealedCount(lark);
    const early = await kit.verifyExportOf(lark);
    expect(early).toMatchObject({ ok: true, events: before });
    expect(early.unsealed).toBeGreaterThanOrEqual(7);
    await writer.query('commit');
    await writer.end();
    await expect.poll(() => kit.verifyExportOf(lark)).toMatchObject({ ok: true, unsealed: 0 });
    expect(await kit.idAt(lark, before)).toBe(late);
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
        kit.record(lark, 40),
        kit.record(lark, 1),
        kit.seal(lark),
        other.sealNow(lark.tenant.id),
        kit.record(lark, 3),
      ]);
    }
    await expect.poll(() => kit.verifyExportOf(lark)).toMatchObject({ ok: true, complete: true, unsealed: 0 });
  });

  it('seals many events of several organizations, also those with the same id', async () => {
    const organizations = await Promise.all([1, 2, 3].map(() => anOrganization(server)));
    // more than one transaction of the sealer seals, and the pages it reads end between events with the same id
    await kit.owner.query(
      `insert into audit_events (tenant_id, id, at, kind, actor, detail)
       select tenant_id, id, clock_timestamp(), 'test.recorded', '{"name": "Test"}', jsonb_build_object('id', id)
       from (select gen_random_uuid() as id from generate_series(1, 4000)) event, unnest($1::uuid[]) tenant_id`,
      [organizations.map(({ tenant }) => tenant.id)],
    );
    for (const lark of organizations) {
      await kit.sealEverything(lark);
      const result = await kit.verifyExportOf(lark);
      expect(result).toMatchObject({ ok: true, complete: true });
      expect(result.events).toBeGreaterThan(4000);
    }
  });

  it('starts an epoch with another master key, endorsed by the former one', async () => {
    const lark = await aSealedOrganization();
    const trusted = await kit.download(lark, 'audit-head.json');
    const { app } = server;
    const sealWith = async (...masterKeys: Buffer[]) => {
      const key = new AuditSigningKeyService(new SealService(masterKeys));
      const sealer = new AuditSealerService(app.get(SealerDatabaseService), app.get(Config), key, app.get(LogService));
      await kit.record(lark);
      await kit.sealEverything(lark, sealer);
    };
    await sealWith(Buffer.alloc(32, 8), testMasterKey);
    expect(await kit.verifyExportOf(lark, '--since', trusted)).toMatchObject({ ok: true, warnings: [] });
    await sealWith(Buffer.alloc(32, 9));
    expect((await kit.verifyExportOf(lark)).warnings).toEqual([expect.stringContaining('not endorsed')]);
  });
});

describe('the verifier names', () => {
  it('an altered event', async () => {
    const lark = await aSealedOrganization();
    const id = await kit.idAt(lark, 5);
    await kit.tamper(lark.tenant.id, [
      `update audit_events set actor = '{"name": "Nobody"}' where tenant_id = $1 and id = $2`,
      id,
    ]);
    expect(await kit.verifyExportOf(lark)).toMatchObject({ exitCode: 1, problem: 'altered', position: 5, id });
  });

  it('the interval between two heads if an event is altered together with its stored hash', async () => {
    const lark = await aSealedOrganization();
    const id = await kit.idAt(lark, 8);
    await kit.tamper(lark.tenant.id, [
      `update audit_events set kind = 'test.invented' where tenant_id = $1 and id = $2`,
      id,
    ]);
    const exported = readFileSync(await kit.download(lark, 'audit.jsonl'), 'utf8').split('\n');
    const { position: _, leaf: __, ...event } = JSON.parse(exported[8]) as Record<string, unknown>;
    await kit.tamper(lark.tenant.id, [
      'update audit_seals set leaf = $2 where tenant_id = $1 and position = 8',
      leafHash(canonicalJson(event)),
    ]);
    const result = await kit.verifyExportOf(lark);
    expect(result).toMatchObject({ exitCode: 1, problem: 'altered', id: await kit.idAt(lark, result.position!) });
    expect(result.position).toBeLessThanOrEqual(8);
    expect(result.to).toBeGreaterThanOrEqual(8);
  });

  it('a removed event', async () => {
    const lark = await aSealedOrganization();
    const id = await kit.idAt(lark, 4);
    await kit.tamper(lark.tenant.id, ['delete from audit_events where tenant_id = $1 and id = $2', id]);
    expect(await kit.verifyExportOf(lark)).toMatchObject({ exitCode: 1, problem: 'removed', position: 4, id });
    await kit.tamper(lark.tenant.id, ['delete from audit_seals where tenant_id = $1 and position = 4']);
    expect(await kit.verifyExportOf(lark)).toMatchObject({ exitCode: 1, problem: 'removed', position: 4 });
  });

  it('an inserted event', async () => {
    const lark = await aSealedOrganization();
    const id = newId();
    await kit.tamper(lark.tenant.id, [
      `insert into audit_events (tenant_id, id, at, kind, actor, detail, transaction_id)
       values ($1, $2, now() - interval '1 day', 'test.invented', '{}', '{}', '3')`,
      id,
    ]);
    const file = await kit.download(lark, 'audit.jsonl');
    expect(await kit.verify(file)).toMatchObject({ exitCode: 1, problem: 'inserted', id });
    const lines = readFileSync(file, 'utf8').split('\n');
    const twice = [...lines.slice(0, 3), lines[2], ...lines.slice(3)].join('\n');
    expect(await kit.verify(kit.store(twice))).toMatchObject({ exitCode: 1, problem: 'inserted', position: 2 });
    const proven = JSON.stringify({ ...(JSON.parse(lines[2]) as object), kind: 'test.invented', proof: [] });
    const withProof = [...lines.slice(0, 3), proven, ...lines.slice(3)].join('\n');
    expect(await kit.verify(kit.store(withProof))).toMatchObject({ exitCode: 1, problem: 'inserted', position: 2 });
  });

  it('an event that was moved', async () => {
    const lark = await aSealedOrganization();
    const [first, second] = [await kit.idAt(lark, 3), await kit.idAt(lark, 6)];
    const move = 'update audit_seals set event_id = $2 where tenant_id = $1 and position = $3';
    await kit.tamper(lark.tenant.id, [move, newId(), 3], [move, first, 6], [move, second, 3]);
    expect(await kit.verifyExportOf(lark)).toMatchObject({
      exitCode: 1,
      problem: 'reordered',
      position: 3,
      id: second,
    });
  });

  it('the first event that was cut off', async () => {
    const lark = await aSealedOrganization();
    const trusted = await kit.download(lark, 'audit-head.json');
    const text = readFileSync(await kit.download(lark, 'audit.jsonl'), 'utf8');
    expect(await kit.verify(kit.store(text.slice(0, -20)))).toMatchObject({ exitCode: 1, problem: 'cut-off' });
    const lines = text.split('\n');
    const withoutEnd = lines.filter((line) => !/"position":(9|\d\d)\b/.test(line)).join('\n');
    expect(await kit.verify(kit.store(withoutEnd))).toMatchObject({ exitCode: 1, problem: 'cut-off', position: 9 });

    // a consistent older state of all tables
    const heads = lines.filter((line) => line.startsWith('{"head"'));
    const { signature: _, ...head } = (JSON.parse(heads[0]) as { head: AuditHead }).head;
    const { size, tenantId } = head;
    const tree = new MerkleTree();
    for (const line of lines.slice(0, size))
      tree.append(Buffer.from((JSON.parse(line) as { leaf: string }).leaf, 'hex'));
    expect(tree.root().toString('hex')).toBe(head.root);
    await kit.tamper(
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
    const file = await kit.download(lark, 'audit.jsonl');
    const shorter = await kit.verify(file);
    expect(shorter).toMatchObject({ exitCode: 0, ok: true, complete: true });
    expect(await kit.verify(file, '--since', trusted)).toMatchObject({
      exitCode: 1,
      problem: 'cut-off',
      position: shorter.head!.size,
    });
  });

  it('a log that was signed anew with the stolen key, if an older head is trusted', async () => {
    const lark = await aSealedOrganization();
    const trusted = await kit.download(lark, 'audit-head.json');
    expect(await kit.verifyExportOf(lark, '--since', trusted)).toMatchObject({ exitCode: 0, ok: true });
    const of = (table: string) => `delete from ${table} where tenant_id = $1`;
    await kit.tamper(
      lark.tenant.id,
      [`update audit_events set detail = '{}' where tenant_id = $1 and id = $2`, await kit.idAt(lark, 2)],
      ...['audit_seals', 'audit_nodes', 'audit_heads', 'audit_trees'].map((table): [string] => [of(table)]),
      ['delete from audit_sealing where $1::uuid is not null'],
    );
    await kit.sealEverything(lark); // signs all heads with the real key
    const file = await kit.download(lark, 'audit.jsonl');
    expect(await kit.verify(file)).toMatchObject({ exitCode: 0, ok: true, complete: true });
    expect(await kit.verify(file, '--since', trusted)).toMatchObject({ exitCode: 2, problem: 'forked' });
  });
});

describe('the command of the verifier', () => {
  it('explains itself, and reports wrong use', async () => {
    expect((await kit.runVerifier('--help')).stdout).toContain('Exit codes');
    for (const given of [
      [],
      ['a', 'b'],
      ['--unknown'],
      [path.join(server.folder, 'missing')],
      [kit.store('no export')],
    ])
      expect(await kit.runVerifier(...given)).toMatchObject({ exitCode: 64, stdout: '' });
    const lark = await aSealedOrganization();
    const file = await kit.download(lark, 'audit.jsonl');
    expect((await kit.runVerifier(file)).stdout).toContain('Verified: complete to event');
    expect(await kit.runVerifier(file, '--since', kit.store('{}'))).toMatchObject({ exitCode: 64 });
    const other = await kit.download(await aSealedOrganization(), 'audit-head.json');
    expect(await kit.runVerifier(file, '--since', other)).toMatchObject({ exitCode: 64 });
  });
});
