import { Client } from 'pg';
import { MemberStatusService } from '../../src/access/member-status.service.js';
import type { Member } from '../../src/access/member.entity.js';
import { Approval } from '../../src/approvals/approval.entity.js';
import { ApprovalEscalationScheduler } from '../../src/approvals/approval-escalation-scheduler.service.js';
import { ApprovalExpiryScheduler } from '../../src/approvals/approval-expiry-scheduler.service.js';
import { ApprovalsService } from '../../src/approvals/approvals.service.js';
import { AuditLogService } from '../../src/audit/audit-log.service.js';
import { NotificationSourceRegistry } from '../../src/notifications/notification-source-registry.service.js';
import { DatabaseService } from '../../src/platform/database/database.service.js';
import type { Tx } from '../../src/platform/database/tx.js';
import type { Principal } from '../../src/principal/principal.js';
import { GateFixture } from './gate-fixture.js';
import { runSql } from './run-sql.js';
import { type TestServer, testServer } from './server.js';
import { Workplace } from './workplace.js';

/** An organization whose writes need approval steps. */
export class ApprovalsFixture {
  private count = 0;

  private constructor(
    readonly server: TestServer,
    readonly workplace: Workplace,
    readonly fixture: GateFixture,
  ) {}

  static async start(
    create: (server: TestServer, workplace: Workplace) => Promise<GateFixture> = (server, workplace) =>
      GateFixture.create(server, workplace),
    environment: Record<string, string> = {},
  ): Promise<ApprovalsFixture> {
    const [server, workplace] = await Promise.all([testServer(environment), Workplace.start()]);
    return new ApprovalsFixture(server, workplace, await create(server, workplace));
  }

  /** By an administrator who is no requester: a reactivated member depends on who reactivates them. */
  async suspend(member: Member): Promise<void> {
    const { fixture } = this;
    await fixture.get(MemberStatusService).suspend(await fixture.principalOf(fixture.reviewer), member.id);
  }

  async reactivate(member: Member): Promise<void> {
    const { fixture } = this;
    await fixture.get(MemberStatusService).reactivate(await fixture.principalOf(fixture.reviewer), member.id);
  }

  async close(): Promise<void> {
    await this.server.close();
    await this.workplace.stop();
  }

  async saveStep(input: object) {
    const ask = await this.fixture.organization.as();
    const mutation = 'mutation ($input: SaveApprovalStepInput!) { saveApprovalStep(input: $input) { name } }';
    return ask(mutation, { input: { tier: 'review', expiresAfterSeconds: 3600, ...input } });
  }

  /** Every write needs all of these steps. */
  publish(...steps: string[]): Promise<void> {
    const policies = steps.map(
      (name) => `@approval("${name}") permit (principal, action in Action::"write", resource);`,
    );
    return this.fixture.publish(['permit (principal, action in Action::"read", resource);', ...policies].join('\n'));
  }

  async request(options?: { as: Principal }): Promise<{ id: string; callId: string; title: string }> {
    const title = `Conveyor ${++this.count} runs backwards`;
    const outcome = await this.fixture.call('create_ticket', { title }, options);
    if (outcome.state !== 'awaiting_approval') throw new Error(JSON.stringify(outcome));
    return { id: outcome.approvalId, callId: outcome.callId, title };
  }

  async decide(id: string, by: Member, decision: 'approve' | 'deny' = 'approve'): Promise<Approval> {
    return this.fixture.get(ApprovalsService).decide(await this.fixture.principalOf(by), id, decision, 'Not now.');
  }

  stepsOf(callId: string): Promise<Approval[]> {
    return this.inTenant((tx) => this.fixture.get(ApprovalsService).listOfCall(tx, this.tenantId, callId));
  }

  load(id: string): Promise<Approval> {
    return this.inTenant((tx) => tx.findOneByOrFail(Approval, { id, tenantId: this.tenantId }));
  }

  /** Oldest first, with the details of each event. */
  async eventsOf(id: string): Promise<Record<string, unknown>[]> {
    const log = await this.fixture.get(AuditLogService).list(this.fixture.organization.system, { first: 200 });
    return log.nodes
      .filter(({ subject }) => (subject as { id?: string } | null)?.id === id)
      .map(({ kind, detail }) => ({ kind, ...(detail as object) }))
      .reverse();
  }

  async decidableBy(member: Member): Promise<string[]> {
    const { data } = await (await this.fixture.organization.as(member))('{ approvalsToDecide { nodes { id } } }');
    return (data.approvalsToDecide.nodes as { id: string }[]).map(({ id }) => id);
  }

  async ticketCount(title: string): Promise<number> {
    const arrivals = await this.workplace.arrivals();
    return arrivals.filter((arrival) => (arrival.arguments as { title?: string }).title === title).length;
  }

  /** Lets the time until the escalation pass, and waits for the scheduler. */
  async letEscalate(id: string): Promise<void> {
    await this.setPast('escalates_at', id);
    await this.escalateDue();
  }

  async letExpire(id: string): Promise<void> {
    await this.setPast('expires_at', id);
  }

  /** Like `letExpire`, and waits for the scheduler. */
  async letExpireNow(id: string): Promise<void> {
    await this.letExpire(id);
    await this.fixture.getInternal(ApprovalExpiryScheduler).sweep();
  }

  escalateDue(): Promise<void> {
    return this.fixture.getInternal(ApprovalEscalationScheduler).sweep();
  }

  private async setPast(column: 'escalates_at' | 'expires_at', id: string): Promise<void> {
    const text = `update approvals set ${column} = now() - interval '1 second' where id = $1`;
    await this.inTenant((tx) => runSql(tx, text, [id]));
  }

  /** How often an event about the approval was published to the outbox. */
  async publishedCount(kind: string, approvalId: string): Promise<number> {
    const text = `select id from outbox where kind = $1 and payload ->> 'approvalId' = $2`;
    return (await this.inTenant((tx) => runSql(tx, text, [kind, approvalId]))).length;
  }

  /** The members whom a notification of this event reaches now. */
  async recipientsOf(kind: string, approvalId: string, more: Record<string, string> = {}): Promise<string[]> {
    const sources = this.fixture.getInternal(NotificationSourceRegistry);
    const content = await this.inTenant((tx) => sources.describe(tx, this.tenantId, kind, { approvalId, ...more }));
    return content?.recipients ?? [];
  }

  /** For changes that the application itself cannot make, and for what it cannot read. */
  async asOwner(text: string, params: unknown[]): Promise<Record<string, unknown>[]> {
    const owner = new Client(this.server.databaseUrl);
    await owner.connect();
    const { rows } = await owner.query<Record<string, unknown>>(text, params);
    await owner.end();
    return rows;
  }

  inTenant<T>(run: (tx: Tx) => Promise<T>): Promise<T> {
    return this.fixture.get(DatabaseService).tenant(this.fixture.organization.system, run);
  }

  private get tenantId(): string {
    return this.fixture.organization.tenant.id;
  }
}
