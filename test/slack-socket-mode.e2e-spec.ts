import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Member } from '../src/access/member.entity.js';
import { Approval } from '../src/approvals/approval.entity.js';
import { ApprovalStepChangesService } from '../src/approvals/approval-step-changes.service.js';
import { ApprovalsService } from '../src/approvals/approvals.service.js';
import { AuditLogService } from '../src/audit/audit-log.service.js';
import { DatabaseService } from '../src/platform/database/database.service.js';
import { type RunningServer, startServer } from '../src/server.js';
import { GateFixture } from './kit/gate-fixture.js';
import { runSql } from './kit/run-sql.js';
import { testConfig, type TestServer, testServer } from './kit/server.js';
import { clickOn, reportedBlocks, type SlackMessage, slackSigningSecret, submissionOf } from './kit/slack-server.js';
import { TestSlackServer } from './kit/slack-server.js';
import { slackAppToken, TestSlackSockets } from './kit/slack-sockets.js';
import { Workplace } from './kit/workplace.js';

/* Decisions in Slack without requests from Slack: the server holds a connection, and every other rule stays. */

let server: TestServer;
let workplace: Workplace;
let slack: TestSlackServer;
let sockets: TestSlackSockets;
let fixture: GateFixture;

const patient = { timeout: 120_000, interval: 100 };
const rita = 'URITA';

const settings = () => ({
  SLACK_API_URL: slack.url,
  NOTIFICATION_DIGEST_SECONDS: '0',
  NOTIFICATION_RETRY_SECONDS: '1',
});
beforeAll(async () => {
  [workplace, slack, sockets] = await Promise.all([
    Workplace.start(),
    TestSlackServer.start(),
    TestSlackSockets.start(),
  ]);
  slack.sockets = sockets;
  server = await testServer(settings());
});
afterAll(async () => {
  await server.close();
  await Promise.all([workplace.stop(), slack.close(), sockets.close()]);
});
beforeEach(async () => {
  fixture = await organizationWithSlack();
  await setToken();
  await expectConnected();
});
afterEach(async () => {
  await sql('delete from slack_sockets where tenant_id = $1', [fixture.organization.tenant.id]);
  await expect.poll(() => sockets.openOf(), patient).toEqual([]);
  slack.ephemeral.length = 0;
  slack.views.length = 0;
  slack.app = 'A1';
  sockets.nextAnswers.length = 0;
});

/** The reviewer adds the app and links their account: the other administrator makes the calls. */
async function organizationWithSlack(at = server): Promise<GateFixture> {
  const created = await GateFixture.create(at, workplace);
  const { reviewer, organization } = created;
  const admin = await organization.as(reviewer);
  const app = { name: 'Slack', kind: 'slack', token: 'xoxb-test', slackChannel: 'C1', sendsDirectMessages: true };
  const input = { ...app, kinds: ['approval_requested'], slackSigningSecret };
  const added = await admin(
    'mutation ($input: CreateNotificationChannelInput!) { createNotificationChannel(input: $input) { channel { id } } }',
    { input },
  );
  expect(added.errors).toBeUndefined();
  await created.get(ApprovalStepChangesService).save(await created.principalOf(reviewer), {
    name: 'review',
    tier: 'review',
    quorum: 1,
    position: 1,
    expiresAfterSeconds: 3600,
    decidableInSlack: true,
  });
  await created.get(DatabaseService).tenant(organization.system, (tx) =>
    runSql(
      tx,
      `insert into slack_identities (tenant_id, member_id, slack_team_id, slack_user_id, linked_at)
       values ($1, $2, 'T1', $3, now())`,
      [organization.tenant.id, reviewer.id, rita],
    ),
  );
  return created;
}

const set = `mutation ($input: SetSlackAppTokenInput!) { setSlackAppToken(input: $input) { hasApp } }`;
async function setToken(by = fixture.reviewer, at = fixture, token = slackAppToken): Promise<void> {
  const admin = await at.organization.as(by);
  expect((await admin(set, { input: { token } })).errors).toBeUndefined();
}
async function stateOf(at = fixture): Promise<{ isConnected: boolean; since: string; lastError: string | null }> {
  const admin = await at.organization.as(at.reviewer);
  return (await admin('{ slackSettings { socket { isConnected since lastError } } }')).data.slackSettings.socket;
}
const expectConnected = (at = fixture) =>
  expect.poll(() => stateOf(at), patient).toMatchObject({ isConnected: true, lastError: null });

interface AskedCall {
  id: string;
  callId: string;
  message: SlackMessage;
}
let count = 0;
async function request(at = fixture) {
  const title = `Gripper ${++count} lets go.`;
  const outcome = await at.call('create_ticket', { title });
  if (outcome.state !== 'awaiting_approval') throw new Error(`is ${JSON.stringify(outcome)}`);
  return { id: outcome.approvalId, callId: outcome.callId, title };
}
/** A call that waits for approval, and its message with buttons in the channel. */
async function ask(at = fixture): Promise<AskedCall> {
  const { title, ...requested } = await request(at);
  const find = () => slack.messages.find((message) => slack.textOf(message).includes(title));
  await expect.poll(find, patient).toBeDefined();
  return { ...requested, message: find()! };
}
const inTenant = <T>(work: Parameters<DatabaseService['tenant']>[1], at = fixture) =>
  at.get(DatabaseService).tenant(at.organization.system, work) as Promise<T>;
const sql = (text: string, values: unknown[], at = fixture) => inTenant<object[]>((tx) => runSql(tx, text, values), at);
const approvalOf = (id: string, at = fixture) =>
  inTenant<Approval>((tx) => tx.findOneByOrFail(Approval, { tenantId: at.organization.tenant.id, id }), at);
const expectState = (id: string, state: string, at = fixture) =>
  expect.poll(async () => (await approvalOf(id, at)).state, patient).toBe(state);
const expectPending = async ({ id }: { id: string }) =>
  expect(await approvalOf(id)).toMatchObject({ state: 'pending', approvedBy: [] });
const expectAcknowledged = (envelopeId: string, times = 1) =>
  expect.poll(() => sockets.acknowledgementsOf(envelopeId), patient).toHaveLength(times);
/** The person who clicked gets a short answer that only they see. */
const expectAnswer = (words: string) =>
  expect.poll(() => slack.ephemeral.map(({ text }) => text).join('\n'), patient).toContain(words);
const auditEvents = async () =>
  (await fixture.get(AuditLogService).list(fixture.organization.system, { first: 200 })).nodes;

/** Runs `work` while decisions on the call wait. */
async function whileLocked(callId: string, work: (isWaiting: () => Promise<boolean>) => Promise<void>): Promise<void> {
  await inTenant(async (tx) => {
    await fixture.get(ApprovalsService).lockCalls(tx, [callId]);
    await work(async () => {
      const waiting = await runSql(
        tx,
        `select from pg_locks where locktype = 'advisory' and not granted and database = (select oid from pg_database where datname = current_database())`,
      );
      return waiting.length === 1;
    });
  });
}

describe('a linked member', () => {
  it('approves with a button, over the connection', async () => {
    const { id, message } = await ask();
    const envelope = sockets.deliver(clickOn(message, { user: rita }));
    await expectState(id, 'approved');
    expect(await approvalOf(id)).toMatchObject({ decidedBy: fixture.reviewer.id, decidedInSlack: true });
    await expectAcknowledged(envelope);
    expect(sockets.acknowledgementsOf(envelope)[0]).toEqual({ envelope_id: envelope });
    const approved = (await auditEvents()).find(({ kind }) => kind === 'approval.approved');
    expect(approved).toMatchObject({ subject: { id }, detail: { decidedIn: 'slack' } });
  });

  it('denies with a reason, which the dialog requires', async () => {
    const asked = await ask();
    await expectAcknowledged(sockets.deliver(clickOn(asked.message, { user: rita, action: 'deny' })));
    await expect.poll(() => slack.views, patient).toHaveLength(1);
    const empty = sockets.deliver(submissionOf(slack.views[0], rita, ' '));
    await expectAcknowledged(empty);
    expect(sockets.acknowledgementsOf(empty)[0].payload).toMatchObject({ response_action: 'errors' });
    await expectPending(asked);
    await expectAcknowledged(sockets.deliver(submissionOf(slack.views[0], rita, 'Not on Mondays.')));
    await expectState(asked.id, 'denied');
  });
});

describe('an envelope', () => {
  it('is acknowledged in time although the decision takes longer, and decides once if it is delivered again', async () => {
    const { id, callId, message } = await ask();
    const click = clickOn(message, { user: rita });
    let envelope = '';
    await whileLocked(callId, async (isWaiting) => {
      envelope = sockets.deliver(click);
      await expect.poll(isWaiting, patient).toBe(true);
      await expectAcknowledged(envelope);
      // as if Slack had missed the acknowledgement
      sockets.deliver(click, { envelopeId: envelope });
      await expectAcknowledged(envelope, 2);
    });
    await expectState(id, 'approved');
    sockets.deliver(click, { envelopeId: envelope });
    await expectAcknowledged(envelope, 3);
    expect((await auditEvents()).filter(({ kind }) => kind === 'approval.approved')).toHaveLength(1);
    expect(slack.ephemeral).toEqual([]);
  });

  it('leaves a dialog open if the decision takes longer', async () => {
    const { id, callId, message } = await ask();
    sockets.deliver(clickOn(message, { user: rita, action: 'deny' }));
    await expect.poll(() => slack.views, patient).toHaveLength(1);
    await whileLocked(callId, async () => {
      const envelope = sockets.deliver(submissionOf(slack.views[0], rita, 'Not on Mondays.'));
      await expectAcknowledged(envelope);
      expect(sockets.acknowledgementsOf(envelope)[0].payload?.errors?.reason).toContain('takes longer than usual');
    });
    await expectState(id, 'denied');
  });

  it('leaves a dialog open if it was received before, because only the page shows whether it decided', async () => {
    const { id, message } = await ask();
    sockets.deliver(clickOn(message, { user: rita, action: 'deny' }));
    await expect.poll(() => slack.views, patient).toHaveLength(1);
    const submission = submissionOf(slack.views[0], rita, 'Not on Mondays.');
    const envelope = sockets.deliver(submission);
    await expectState(id, 'denied');
    await expectAcknowledged(envelope);
    sockets.deliver(submission, { envelopeId: envelope });
    await expectAcknowledged(envelope, 2);
    expect(sockets.acknowledgementsOf(envelope)[1].payload?.errors?.reason).toContain('received before');
  });

  it('with the same click decides nothing any more', async () => {
    const { id, message } = await ask();
    const click = clickOn(message, { user: rita });
    sockets.deliver(click);
    await expectState(id, 'approved');
    await expectAcknowledged(sockets.deliver(click));
    await expectAnswer('Nothing was decided here.');
    expect((await auditEvents()).filter(({ kind }) => kind === 'approval.approved')).toHaveLength(1);
  });

  it('of another type or form is acknowledged and ignored', async () => {
    const socket = sockets.openOf()[0];
    for (const text of ['no JSON', '[]', '{"type":"interactive"}', '{"envelope_id":""}']) socket.send(text);
    const asked = await ask();
    const event = sockets.deliver(clickOn(asked.message, { user: rita }), { type: 'events_api' });
    const shortcut = sockets.deliver({ type: 'shortcut' });
    await expectAcknowledged(event);
    await expectAcknowledged(shortcut);
    await expectPending(asked);
    expect(sockets.openOf()).toEqual([socket]);
  });
});

describe('the connection', () => {
  it.each(['refresh_requested', 'warning'])('is replaced without a gap on "%s"', async (reason) => {
    const [first, asked, later] = [sockets.openOf()[0], await ask(), await ask()];
    sockets.disconnect(reason, first);
    sockets.deliver(clickOn(asked.message, { user: rita }), { on: first });
    await expectState(asked.id, 'approved');
    await expect.poll(() => first.isOpen, patient).toBe(false);
    expect(sockets.openOf()).toHaveLength(1);
    sockets.deliver(clickOn(later.message, { user: rita }));
    await expectState(later.id, 'approved');
    await expectConnected();
  });

  it('is opened again after it was cut in the middle, and what is delivered again decides once', async () => {
    const { id, message } = await ask();
    const [first] = sockets.openOf();
    const click = clickOn(message, { user: rita });
    const envelopeId = sockets.deliver(click);
    first.cut();
    await expect.poll(() => sockets.openOf().length, patient).toBe(1);
    sockets.deliver(click, { envelopeId });
    await expectState(id, 'approved');
    await expectConnected();
    expect((await auditEvents()).filter(({ kind }) => kind === 'approval.approved')).toHaveLength(1);
  });

  it('ends at a message that is too large, and is opened again', async () => {
    const [first] = sockets.openOf();
    first.send(`{"type":"hello","x":"${'x'.repeat(1024 * 1024)}"}`);
    await expect.poll(() => first.isOpen, patient).toBe(false);
    await expect.poll(() => sockets.openOf().length, patient).toBe(1);
    const { id, message } = await ask();
    sockets.deliver(clickOn(message, { user: rita }));
    await expectState(id, 'approved');
  });

  it('is opened again after Slack limited the rate or answered with an error', async () => {
    slack.faults.push(
      { method: 'apps.connections.open', fault: 'rate-limit' },
      { method: 'apps.connections.open', fault: 'refuse' },
    );
    sockets.openOf()[0].cut();
    await expect.poll(() => slack.faults, patient).toEqual([]);
    await expectConnected();
  });

  it('waits after Slack turned socket mode off or refused the token, until a member enters a token', async () => {
    const before = await stateOf();
    sockets.disconnect('link_disabled');
    await expect
      .poll(() => stateOf(), patient)
      .toMatchObject({
        isConnected: false,
        lastError: 'Socket mode is turned off in the settings of the Slack app.',
      });
    expect(Date.parse((await stateOf()).since)).toBeGreaterThan(Date.parse(before.since));
    await setToken();
    await expectConnected();
    sockets.nextAnswers.push({ ok: false, error: 'token_revoked' });
    sockets.openOf()[0].cut();
    await expect
      .poll(() => stateOf(), patient)
      .toMatchObject({
        isConnected: false,
        lastError: 'Slack refused apps.connections.open: token_revoked.',
      });
    const rows = await sql(
      `select next_attempt_at > now() + interval '2 minutes' as "isLate" from slack_sockets where tenant_id = $1`,
      [fixture.organization.tenant.id],
    );
    expect(rows).toEqual([{ isLate: true }]);
    await setToken();
    await expectConnected();
  });

  it.each([
    ['wss://169.254.169.254/link', 'always blocked'],
    ['wss://10.1.2.3/link', 'private range'],
    ['https://wss-primary.slack.com/link', 'wss://'],
  ])('is not opened to %s', async (url, words) => {
    sockets.nextAnswers.push({ ok: true, url });
    sockets.openOf()[0].cut();
    // the attempt after that succeeds
    const lastErrors: (string | null)[] = [];
    await expect
      .poll(async () => {
        lastErrors.push((await stateOf()).lastError);
        return lastErrors.join('\n');
      }, patient)
      .toContain(words);
    await expectConnected();
  });

  it('is given up by a process that lost its lease', async () => {
    const [first] = sockets.openOf();
    await sql(
      `update slack_sockets set lease_token = gen_random_uuid(), lease_until = now() + interval '1 hour' where tenant_id = $1`,
      [fixture.organization.tenant.id],
    );
    await expect.poll(() => first.isOpen, patient).toBe(false);
    expect(sockets.openOf()).toEqual([]);
    await sql(`update slack_sockets set lease_until = now() - interval '1 minute' where tenant_id = $1`, [
      fixture.organization.tenant.id,
    ]);
    await expect.poll(() => sockets.openOf().length, patient).toBe(1);
    await expectConnected();
  });

  it('ends when the token is removed or replaced', async () => {
    const other = 'xapp-1-A1-2-abcdef';
    sockets.apps.set(other, 'A1');
    await setToken(fixture.reviewer, fixture, other);
    await expect.poll(() => sockets.openOf().length, patient).toBe(0);
    await expect.poll(() => sockets.openOf(other).length, patient).toBe(1);
    const admin = await fixture.organization.as(fixture.reviewer);
    const { data } = await admin('mutation { removeSlackAppToken { socket { since } } }');
    expect(data.removeSlackAppToken.socket).toBeNull();
    await expect.poll(() => sockets.openOf(other).length, patient).toBe(0);
    expect((await auditEvents()).map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(['tenant.slack_socket_set', 'tenant.slack_socket_removed']),
    );
  });
});

describe('Rule 11: over the connection, nothing is decided by', () => {
  async function expectRefused(asked: AskedCall, words: string, options: Partial<Parameters<typeof clickOn>[1]>) {
    slack.ephemeral.length = 0;
    await expectAcknowledged(sockets.deliver(clickOn(asked.message, { user: rita, ...options })));
    await expectAnswer(words);
    await expectPending(asked);
  }

  it('a person of another workspace, another account or a requester', async () => {
    const asked = await ask();
    await expectRefused(asked, 'workspace', { team: 'T2' });
    await expectRefused(asked, 'workspace', { userTeam: 'T2' });
    await expectRefused(asked, 'Link your Slack account', { user: 'USTRANGER' });
    await sql('update slack_identities set member_id = $1 where tenant_id = $2', [
      fixture.organization.admin.id,
      fixture.organization.tenant.id,
    ]);
    await expectRefused(asked, 'You requested this call', {});
  });

  it('a click on another message, other arguments, or a message that was changed', async () => {
    const asked = await ask();
    await expectRefused(asked, 'does not request a decision', { ts: '1600000000.000001' });
    await expectRefused(asked, 'not the ones', { value: '0'.repeat(64) });
    const [facts, ...others] = reportedBlocks(asked.message.blocks);
    const shown = { blocks: [{ ...facts, text: { text: 'A harmless call' } }, ...others] };
    await expectRefused(asked, 'was changed', { shown });
  });

  it('a click that is older than five minutes, from the future, or without a time', async () => {
    const asked = await ask();
    await expectRefused(asked, 'older than five minutes', { ageSeconds: 310 });
    await expectRefused(asked, 'older than five minutes', { ageSeconds: -310 });
    slack.ephemeral.length = 0;
    const click = clickOn(asked.message, { user: rita }) as { actions: { action_ts?: string }[] };
    delete click.actions[0].action_ts;
    sockets.deliver(click);
    await expectAnswer('older than five minutes');
    await expectPending(asked);
  });

  it('another app, or for a message of another or an unknown app', async () => {
    const asked = await ask();
    await expectRefused(asked, 'reported by another Slack app', { app: 'A2' });
    slack.app = 'A2';
    await expectRefused(await ask(), 'Another Slack app than the connected one', { app: 'A2' });
    slack.app = null;
    await expectRefused(await ask(), 'Another Slack app than the connected one', {});
  });

  it('a click that waits while the token is replaced or removed', async () => {
    const asked = await ask();
    await whileLocked(asked.callId, async (isWaiting) => {
      sockets.deliver(clickOn(asked.message, { user: rita }));
      await expect.poll(isWaiting, patient).toBe(true);
      await sql('update slack_sockets set revision = gen_random_uuid() where tenant_id = $1', [
        fixture.organization.tenant.id,
      ]);
    });
    await expectAnswer('The app-level token was replaced or removed');
    await expectPending(asked);
  });
});

describe('who knows the app-level token', () => {
  /** Messages with a link instead of buttons show no arguments. */
  async function expectLinkOnly(): Promise<void> {
    const { id } = await request();
    const find = () => slack.messages.find(({ blocks }) => JSON.stringify(blocks).includes(`/approvals/${id}`));
    await expect.poll(find, patient).toBeDefined();
    const sending = () => sql(`select id from notification_deliveries where state = 'sending'`, []);
    await expect.poll(sending, patient).toEqual([]);
    expect(find()!.blocks.some(({ type }) => type === 'actions')).toBe(false);
  }
  const click = async ({ message }: AskedCall, words: string) => {
    sockets.deliver(clickOn(message, { user: rita }));
    await expectAnswer(words);
  };

  it('is no requester of the call', async () => {
    const asked = await ask();
    await setToken(fixture.organization.admin);
    await expectConnected();
    await expectLinkOnly();
    await click(asked, 'A member who knows the secrets of the Slack app is a requester');
    await expectPending(asked);
    // who entered it once still knows it
    await setToken();
    await expectLinkOnly();
  });

  it('is an active member', async () => {
    const former: Member = await fixture.organization.member({ name: 'Fay Former', roles: ['admin'] });
    await setToken(former);
    await setToken();
    await expectConnected();
    const asked = await ask();
    await fixture.suspend(former);
    await click(asked, 'A former member knows the secrets of the Slack app');
    await expectPending(asked);
    await expectLinkOnly();
  });
});

describe('the token', () => {
  it('is accepted from an administrator only, if Slack accepts it', async () => {
    const admin = await fixture.organization.as(fixture.reviewer);
    const member = await fixture.organization.as(await fixture.organization.member({ name: 'Paul Plain' }));
    expect((await member(set, { input: { token: slackAppToken } })).code).toBe('forbidden');
    for (const token of ['xoxb-test', 'xapp-1-A1-9-wrong']) {
      const { errors } = await admin(set, { input: { token } });
      expect(JSON.stringify(errors)).toMatch(/starts with xapp-|invalid_auth/);
    }
    slack.sockets = null;
    expect(JSON.stringify((await admin(set, { input: { token: slackAppToken } })).errors)).toContain('not_allowed');
    slack.sockets = sockets;
  });

  it('is stored sealed, and shown nowhere', async () => {
    const rows = await sql('select slack_sockets::text as text from slack_sockets', []);
    const holders = await sql('select slack_secret_holders::text as text from slack_secret_holders', []);
    expect(JSON.stringify([rows, holders, await auditEvents()])).not.toContain(slackAppToken);
  });
});

describe('in a cluster', () => {
  let web: TestServer;
  const workers: RunningServer[] = [];
  const newWorker = async () => {
    const config = testConfig(web.databaseUrl, web.folder, { ...settings(), ROLE: 'worker' });
    workers.push(await startServer(config));
  };
  afterAll(async () => {
    for (const worker of workers) await worker.close();
    await web?.close();
  });

  it('one process holds the connection, and another one takes over', async () => {
    web = await testServer({ ...settings(), ROLE: 'web' });
    const at = await organizationWithSlack(web);
    const token = 'xapp-1-A1-3-abcdef';
    sockets.apps.set(token, 'A1');
    await setToken(at.reviewer, at, token);
    await newWorker();
    await expectConnected(at);
    const [first] = sockets.openOf(token);
    await newWorker();
    const asked = await ask(at);
    sockets.deliver(clickOn(asked.message, { user: rita }), { token });
    await expectState(asked.id, 'approved', at);
    expect(sockets.openOf(token)).toEqual([first]);
    await workers.shift()!.close();
    expect(first.isOpen).toBe(false);
    await expect.poll(() => sockets.openOf(token).length, patient).toBe(1);
    await expectConnected(at);
    const later = await ask(at);
    sockets.deliver(clickOn(later.message, { user: rita }), { token });
    await expectState(later.id, 'approved', at);
  });
});
