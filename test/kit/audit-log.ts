import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { cpSync, mkdtempSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, vi } from 'vitest';
import { Client } from 'pg';
import { AuditService } from '../../src/audit/audit.service.js';
import { AuditRetentionScheduler } from '../../src/audit/sealing/audit-retention-scheduler.service.js';
import { AuditSealerService } from '../../src/audit/sealing/audit-sealer.service.js';
import { newId } from '../../src/platform/crypto/ids.js';
import { DatabaseService } from '../../src/platform/database/database.service.js';
import type { Organization } from './organization.js';
import type { TestServer } from './server.js';

const sealedTables = ['audit_events', 'audit_seals', 'audit_nodes', 'audit_heads', 'audit_tombstones'];

const dayMs = 86_400_000;
export const daysAgo = (days: number) => new Date(Date.now() - days * dayMs);

/** Only the clock of JavaScript goes back, not that of the database. */
export async function runDaysAgo(days: number, run: () => Promise<void>): Promise<void> {
  vi.useFakeTimers({ toFake: ['Date'], now: daysAgo(days) });
  try {
    await run();
  } finally {
    vi.useRealTimers();
  }
}

export interface Verification {
  exitCode: number;
  ok: boolean;
  complete?: boolean;
  events?: number;
  removed?: number;
  unsealed?: number;
  warnings?: string[];
  head?: { size: number; epoch: number };
  problem?: string;
  message?: string;
  id?: string;
  position?: number;
  to?: number;
}

/** Records, seals, exports, verifies and changes audit events of a test server. */
export class AuditLogKit {
  private constructor(
    private readonly server: TestServer,
    /** Connected as the owner of the tables. */
    readonly owner: Client,
    /** The verifier alone, as an auditor installs it. */
    private readonly verifier: string,
  ) {}

  static async start(server: TestServer): Promise<AuditLogKit> {
    const owner = new Client(server.databaseUrl);
    await owner.connect();
    const verifier = mkdtempSync(path.join(server.folder, 'verifier-'));
    cpSync('verify', verifier, { recursive: true });
    return new AuditLogKit(server, owner, verifier);
  }

  close(): Promise<void> {
    return this.owner.end();
  }

  record(of: Organization, count = 1): Promise<void> {
    const { app } = this.server;
    const recordOf = (n: number) => ({
      kind: 'test.recorded',
      subject: { type: 'test', id: newId(), name: `ä\u2028${n}` },
      detail: { amount: n / 3 },
    });
    const entries = Array.from({ length: count }, (_, n) => ({ principal: of.system, record: recordOf(n) }));
    return app.get(DatabaseService).tenant(of.system, (tx) => app.get(AuditService).recordAll(tx, entries));
  }

  seal(of: Organization): Promise<void> {
    return this.server.app.get(AuditSealerService).sealNow(of.tenant.id);
  }

  /** Transactions of other tests may still be running. */
  async sealEverything(of: Organization, sealer = this.server.app.get(AuditSealerService)): Promise<void> {
    await expect
      .poll(async () => {
        await sealer.sealNow(of.tenant.id);
        const { rows } = await this.owner.query<{ missing: number }>(
          `select (select count(*) from audit_events where tenant_id = $1 and not exists (
             select from audit_seals s where s.tenant_id = $1 and s.event_id = id))::int as missing`,
          [of.tenant.id],
        );
        return rows[0].missing;
      })
      .toBe(0);
  }

  /** An organization with 12 sealed events and more, under several heads. */
  async addSealed(organization: Organization): Promise<Organization> {
    for (let head = 0; head < 4; head++) {
      await this.record(organization, 3);
      await this.sealEverything(organization);
    }
    return organization;
  }

  async download(of: Organization, file: string): Promise<string> {
    const response = await (await of.browser()).fetch(`/console/exports/${file}`);
    expect(response.status).toBe(200);
    return this.store(await response.text());
  }

  store(text: string): string {
    const file = path.join(this.server.folder, `${randomBytes(8).toString('hex')}.jsonl`);
    writeFileSync(file, text);
    return file;
  }

  runVerifier(...given: string[]): Promise<{ exitCode: number; stdout: string; stderr: string }> {
    return new Promise((resolve) => {
      execFile(
        process.execPath,
        [path.join(this.verifier, 'countersign-verify.js'), ...given],
        (error, stdout, stderr) => resolve({ exitCode: (error?.code as number | undefined) ?? 0, stdout, stderr }),
      );
    });
  }

  async verify(file: string, ...given: string[]): Promise<Verification> {
    const { exitCode, stdout, stderr } = await this.runVerifier(file, '--json', ...given);
    expect(stderr).toBe('');
    return { exitCode, ...(JSON.parse(stdout) as Omit<Verification, 'exitCode'>) };
  }

  async verifyExportOf(of: Organization, ...given: string[]): Promise<Verification> {
    return this.verify(await this.download(of, 'audit.jsonl'), ...given);
  }

  /** Runs statements as the owner of the tables, with the triggers disabled, in one transaction between two batches. */
  async tamper(tenantId: string, ...statements: [text: string, ...params: unknown[]][]): Promise<void> {
    const { owner } = this;
    await owner.query('begin');
    await owner.query(`select pg_advisory_xact_lock(hashtext('countersign audit sealer'))`);
    for (const table of sealedTables) await owner.query(`alter table ${table} disable trigger user`);
    for (const [text, ...params] of statements) await owner.query(text, [tenantId, ...params]);
    for (const table of sealedTables) await owner.query(`alter table ${table} enable trigger user`);
    await owner.query('commit');
  }

  async idAt(of: Organization, position: number): Promise<string> {
    const { rows } = await this.owner.query<{ id: string }>(
      'select event_id as id from audit_seals where tenant_id = $1 and position = $2',
      [of.tenant.id, position],
    );
    return rows[0].id;
  }

  /** Removes the events of an organization up to the newest head before the cutoff. */
  async removeBefore(of: Organization, cutoff: Date): Promise<void> {
    const retention = this.server.app.get(AuditRetentionScheduler);
    while (await retention.removeSome(of.tenant.id, cutoff));
  }

  /** Removes all events up to the newest head, as if it were two days old. Returns their number. */
  async removeAll(of: Organization): Promise<number> {
    await this.sealOld(of, 2);
    await this.removeBefore(of, daysAgo(1.5));
    const { rows } = await this.owner.query<{ count: number }>(
      'select max(end_position)::int as count from audit_tombstones where tenant_id = $1',
      [of.tenant.id],
    );
    return rows[0].count;
  }

  /** Seals under a head that was signed some days ago. */
  async sealOld(of: Organization, days: number): Promise<void> {
    await runDaysAgo(days, async () => {
      await this.record(of);
      await this.sealEverything(of);
    });
  }

  async sealedCount(of: Organization): Promise<number> {
    const { rows } = await this.owner.query<{ count: number }>(
      'select count(*)::int as count from audit_seals where tenant_id = $1',
      [of.tenant.id],
    );
    return rows[0].count;
  }
}
