import { createPrivateKey, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AuditRetentionScheduler } from '../src/audit/sealing/audit-retention-scheduler.service.js';
import { AuditSigningKeyService } from '../src/audit/sealing/audit-signing-key.service.js';
import { type AuditTombstone, tombstoneText } from '../src/audit/sealing/audit-head.js';
import { MerkleTree } from '../src/audit/sealing/merkle-tree.js';
import { AuditLogKit, daysAgo, runDaysAgo } from './kit/audit-log.js';
import { anOrganization, type Organization } from './kit/organization.js';
import { type TestServer, testServer } from './kit/server.js';

const dayMs = 86_400_000;

let server: TestServer;
let kit: AuditLogKit;

beforeAll(async () => {
  server = await testServer({ ROLE: 'web' }); // seals only when a test seals
  kit = await AuditLogKit.start(server);
});
afterAll(async () => {
  await kit.close();
  await server.close();
});

/** Adds events under a head that was signed some days ago. */
async function addOld(of: Organization, count: number, days = 40): Promise<void> {
  await kit.record(of, count);
  await kit.sealOld(of, days);
}

/** An organization whose older events retention has removed, and with newer ones. */
async function anOrganizationWithTombstone(): Promise<Organization> {
  const lark = await anOrganization(server);
  await addOld(lark, 5);
  await addOld(lark, 8);
  await kit.record(lark, 6);
  await kit.sealEverything(lark);
  await kit.removeBefore(lark, daysAgo(30));
  await kit.record(lark, 6);
  await kit.sealEverything(lark);
  return lark;
}

async function tombstonesOf(of: Organization): Promise<AuditTombstone[]> {
  const lines = readFileSync(await kit.download(of, 'audit.jsonl'), 'utf8').split('\n');
  return lines
    .filter((line) => line.startsWith('{"tombstone"'))
    .map((line) => (JSON.parse(line) as { tombstone: AuditTombstone }).tombstone);
}

describe('retention', () => {
  it('leaves signed tombstones, and what remains verifies', async () => {
    const lark = await anOrganization(server);
    await addOld(lark, 300);
    const trusted = await kit.download(lark, 'audit-head.json');
    await kit.record(lark, 400);
    await kit.sealEverything(lark);
    await kit.removeBefore(lark, daysAgo(30));

    const [first, ...none] = await tombstonesOf(lark);
    expect(none).toEqual([]);
    expect(first).toMatchObject({ tenantId: lark.tenant.id, from: 0, count: first.to, epoch: 1 });
    expect(first.to).toBeGreaterThanOrEqual(300);
    const kept = await kit.verifyExportOf(lark, '--since', trusted);
    expect(kept).toMatchObject({ exitCode: 0, ok: true, complete: true, removed: first.to, warnings: [] });
    expect(await kit.sealedCount(lark)).toBe(kept.head!.size - first.to);

    await kit.removeBefore(lark, daysAgo(30));
    expect(await tombstonesOf(lark)).toEqual([first]);
  });

  it('leaves a tombstone each time, and can remove the events of earlier ones', async () => {
    const lark = await anOrganization(server);
    await addOld(lark, 9, 60);
    const trusted = await kit.download(lark, 'audit-head.json');
    await runDaysAgo(50, () => kit.removeBefore(lark, daysAgo(5)));
    await addOld(lark, 7, 40);
    await kit.removeBefore(lark, daysAgo(30));
    await kit.record(lark, 3);
    await kit.sealEverything(lark);
    const [first, second, ...none] = await tombstonesOf(lark);
    expect(none).toEqual([]);
    expect(second).toMatchObject({ from: first.to, count: second.to - first.to });
    expect(await kit.verifyExportOf(lark, '--since', trusted)).toMatchObject({ ok: true, removed: second.to });
  });

  it('records each removal as an event', async () => {
    const lark = await anOrganizationWithTombstone();
    const [tombstone] = await tombstonesOf(lark);
    const ask = await lark.as();
    const { data } = await ask('{ auditEvents(first: 5, kind: "audit.events_removed") { nodes { actor detail } } }');
    expect(data.auditEvents).toEqual({
      nodes: [
        {
          actor: expect.objectContaining({ kind: 'system', name: 'retention' }) as object,
          detail: expect.objectContaining({ from: 0, to: tombstone.to, count: tombstone.to }) as object,
        },
      ],
    });
    expect((await kit.runVerifier(await kit.download(lark, 'audit.jsonl'))).stdout).toContain(
      `Retention removed the first ${tombstone.to} of them`,
    );
  });

  it('still proves the events of a filtered export', async () => {
    const lark = await anOrganization(server);
    await addOld(lark, 290);
    for (const count of [40, 300]) {
      await kit.record(lark, count);
      await kit.sealEverything(lark);
    }
    await kit.removeBefore(lark, daysAgo(30));
    await kit.sealEverything(lark);
    const file = await kit.download(lark, 'audit.jsonl?kind=test.recorded');
    expect(await kit.verify(file)).toMatchObject({ ok: true, complete: false, events: 340, unsealed: 0 });
  });

  it('is the only way to delete, and refuses events of the last day', async () => {
    const lark = await anOrganization(server);
    await addOld(lark, 3, 2);
    await expect(kit.owner.query('delete from audit_tombstones')).rejects.toThrow('never changed or removed');
    const size = await kit.sealedCount(lark);
    const remove = (end: number, cutoff: Date, start = 0) =>
      kit.owner.query(
        `select cs_remove_audit_events($1, $4, $2, '', $3, now(), 1, '', gen_random_uuid(), '{}', '{}')`,
        [lark.tenant.id, end, cutoff, start],
      );
    await expect(remove(size, daysAgo(0.9))).rejects.toThrow('events of the last day');
    await expect(remove(size - 1, daysAgo(1.1))).rejects.toThrow('no signed head');
    await expect(remove(size, daysAgo(3))).rejects.toThrow('no signed head');
    await expect(remove(size, daysAgo(1.1), 1)).rejects.toThrow('the newest tombstone ends elsewhere');
    const pretend = `begin; set local countersign.audit_retention = 'on'; delete from audit_events`;
    await expect(kit.owner.query(pretend)).rejects.toThrow('never changed or removed');
    await kit.owner.query('rollback');
    const { rows } = await kit.owner.query<{ role: string }>(
      `select rolname as role from pg_roles
       where rolname like 'cs\\_%' and has_function_privilege(rolname, 'cs_remove_audit_events'::regproc, 'execute')`,
    );
    expect(rows).toEqual([{ role: 'cs_sealer' }]);
  });
});

describe('the schedule', () => {
  const runsOf = async (of: Organization) => {
    const { rows } = await kit.owner.query<{ count: number }>(
      `select count(*)::int as count from graphile_worker.jobs where task_identifier = 'audit.retention' and key = $1`,
      [`audit.retention:${of.tenant.id}`],
    );
    return rows[0].count;
  };

  it('enqueues one job for each organization with old events, and removes nothing itself', async () => {
    const lark = await anOrganization(server);
    await addOld(lark, 5);
    const wren = await anOrganization(server); // later: an old head would include its events
    await kit.record(wren, 5);
    await kit.sealEverything(wren);
    const before = await kit.sealedCount(lark);
    for (let run = 0; run < 2; run++) await server.app.get(AuditRetentionScheduler).enqueueAll(daysAgo(30));
    expect([await runsOf(lark), await runsOf(wren)]).toEqual([1, 0]);
    expect(await kit.sealedCount(lark)).toBe(before);
  });

  it('leaves a removal to the process that has begun it, and stops at a shutdown', async () => {
    const lark = await anOrganization(server);
    await addOld(lark, 5);
    const retention = server.app.get(AuditRetentionScheduler);
    await kit.owner.query('begin');
    await kit.owner.query(`select pg_advisory_xact_lock(hashtext('audit retention'), hashtext($1))`, [lark.tenant.id]);
    expect(await retention.removeSome(lark.tenant.id, daysAgo(30))).toBe(false);
    await kit.owner.query('commit');
    await expect(retention.removeSome(lark.tenant.id, daysAgo(30), AbortSignal.abort())).rejects.toThrow('aborted');
    expect(await retention.removeSome(lark.tenant.id, daysAgo(30))).toBe(true);
  });
});

describe('the verifier names', () => {
  it('an altered event after a tombstone', async () => {
    const lark = await anOrganizationWithTombstone();
    const [{ to }] = await tombstonesOf(lark);
    const id = await kit.idAt(lark, to + 2);
    await kit.tamper(lark.tenant.id, [
      `update audit_events set kind = 'test.invented' where tenant_id = $1 and id = $2`,
      id,
    ]);
    expect(await kit.verifyExportOf(lark)).toMatchObject({ exitCode: 1, problem: 'altered', position: to + 2, id });
  });

  it('a missing event after a tombstone', async () => {
    const lark = await anOrganizationWithTombstone();
    const [{ to }] = await tombstonesOf(lark);
    await kit.tamper(
      lark.tenant.id,
      ['delete from audit_events where tenant_id = $1 and id = $2', await kit.idAt(lark, to)],
      ['delete from audit_seals where tenant_id = $1 and position = $2', to],
    );
    expect(await kit.verifyExportOf(lark)).toMatchObject({ exitCode: 1, problem: 'removed', position: to });
  });

  it('removed events without a tombstone', async () => {
    const lark = await anOrganizationWithTombstone();
    await kit.tamper(lark.tenant.id, ['delete from audit_tombstones where tenant_id = $1']);
    expect(await kit.verifyExportOf(lark)).toMatchObject({ exitCode: 1, problem: 'removed', position: 0 });
    // the events before the first tombstone that is left
    await addOld(lark, 3, 20);
    const trees = 'select frontier from audit_trees where tenant_id = $1';
    const { rows } = await kit.owner.query<{ frontier: Buffer }>(trees, [lark.tenant.id]);
    const size = await newestSize(lark);
    await kit.tamper(lark.tenant.id, [
      `insert into audit_tombstones values ($1, 4, $2, $3, now() - interval '10 days', now(), 1, decode(repeat('00', 64), 'hex'))`,
      size,
      rows[0].frontier,
    ]);
    expect(await kit.verifyExportOf(lark)).toMatchObject({ exitCode: 1, problem: 'removed', position: 0 });
  });

  it('an event at a position that a tombstone covers', async () => {
    const lark = await anOrganizationWithTombstone();
    const text = readFileSync(await kit.download(lark, 'audit.jsonl'), 'utf8');
    const [{ to }] = await tombstonesOf(lark);
    const moved = text.replace(`"position":${to},`, `"position":${to - 1},`);
    expect(await kit.verify(kit.store(moved))).toMatchObject({ exitCode: 1, problem: 'inserted', position: to - 1 });
    const [tombstone, event, ...rest] = text.split('\n');
    const late = kit.store([event, tombstone, ...rest].join('\n'));
    expect(await kit.verify(late)).toMatchObject({ exitCode: 1, problem: 'tombstone', position: 0 });
  });

  it('a tombstone that was altered', async () => {
    for (const change of [
      'end_position = end_position + 1',
      `cutoff = cutoff + interval '1 day'`,
      `at = at + interval '1 day'`,
      'epoch = epoch + 1',
      `signature = decode(repeat('00', 64), 'hex')`,
      `frontier = overlay(frontier placing decode('00', 'hex') from 1)`,
    ]) {
      const lark = await anOrganizationWithTombstone();
      await kit.tamper(lark.tenant.id, [`update audit_tombstones set ${change} where tenant_id = $1`]);
      expect(await kit.verifyExportOf(lark)).toMatchObject({ exitCode: 1, problem: 'tombstone', position: 0 });
    }
  });

  it('a tombstone that an attacker signs with a key of their own', async () => {
    const lark = await anOrganizationWithTombstone();
    const [{ signature: _, ...tombstone }] = await tombstonesOf(lark);
    const secret = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), Buffer.alloc(32, 1)]);
    const key = createPrivateKey({ key: secret, format: 'der', type: 'pkcs8' });
    const forged = { ...tombstone, epoch: 9 };
    const signature = sign(null, Buffer.from(tombstoneText(forged)), key);
    const text = readFileSync(await kit.download(lark, 'audit.jsonl'), 'utf8');
    const publicKey = '8a88e3dd7409f195fd52db2d3cba5d72ca6709bf1d94121bf3748801b40f6f5c';
    const lines = text.split('\n').slice(1);
    const end = lines.findIndex((line) => line.startsWith('{"end"'));
    lines.splice(end, 0, JSON.stringify({ key: { epoch: 9, publicKey, endorsement: null } }));
    const signed = JSON.stringify({ tombstone: { ...forged, signature: signature.toString('hex') } });
    expect(await kit.verify(kit.store([signed, ...lines].join('\n')))).toMatchObject({
      exitCode: 1,
      problem: 'tombstone',
      message: expect.stringContaining('signs no head') as string,
    });
  });

  it('a tombstone that was signed again with the stolen key, for more events', async () => {
    const lark = await anOrganizationWithTombstone();
    const size = await newestSize(lark);
    const [{ tenantId, epoch, to }] = await tombstonesOf(lark);
    const events = readFileSync(await kit.download(lark, 'audit.jsonl'), 'utf8').split('\n');
    const { rows } = await kit.owner.query<{ frontier: Buffer }>(
      'select frontier from audit_tombstones where tenant_id = $1',
      [tenantId],
    );
    const tree = new MerkleTree(to, rows[0].frontier);
    for (const line of events.slice(1, size - to + 1))
      tree.append(Buffer.from((JSON.parse(line) as { leaf: string }).leaf, 'hex'));
    const [cutoff, at] = [new Date(Date.now() + dayMs), new Date(Date.now() + 2 * dayMs + 1000)];
    const statement = {
      tenantId,
      from: 0,
      to: size,
      count: size,
      subtrees: tree.subtrees().map(({ hash }) => hash.toString('hex')),
      cutoff: cutoff.toISOString(),
      at: at.toISOString(),
      epoch,
    };
    const signature = server.app.get(AuditSigningKeyService).sign(tombstoneText(statement));
    await kit.tamper(
      tenantId,
      [
        `delete from audit_events e using audit_seals s
         where s.tenant_id = $1 and s.position < $2 and e.tenant_id = $1 and e.id = s.event_id`,
        size,
      ],
      ['delete from audit_seals where tenant_id = $1 and position < $2', size],
      ['delete from audit_tombstones where tenant_id = $1'],
      [
        'insert into audit_tombstones values ($1, 0, $2, $3, $4, $5, $6, $7)',
        size,
        tree.packFrontier(),
        cutoff,
        at,
        epoch,
        signature,
      ],
    );
    expect(await kit.verifyExportOf(lark)).toMatchObject({
      exitCode: 1,
      problem: 'tombstone',
      message: expect.stringContaining('not recorded') as string,
    });
  });
});

describe('retention of a changed log', () => {
  it('leaves events that were changed, because they are evidence', async () => {
    const lark = await anOrganization(server);
    await addOld(lark, 12);
    await kit.tamper(lark.tenant.id, [
      `update audit_events set detail = '{}' where tenant_id = $1 and id = $2`,
      await kit.idAt(lark, 3),
    ]);
    const before = await kit.sealedCount(lark);
    await expect(kit.removeBefore(lark, daysAgo(30))).rejects.toThrow('were changed');
    expect(await kit.sealedCount(lark)).toBe(before);
    expect(await kit.verifyExportOf(lark)).toMatchObject({ problem: 'altered', position: 3 });
  });
});

async function newestSize(of: Organization): Promise<number> {
  const { rows } = await kit.owner.query<{ size: number }>(
    'select max(size)::int as size from audit_heads where tenant_id = $1',
    [of.tenant.id],
  );
  return rows[0].size;
}
