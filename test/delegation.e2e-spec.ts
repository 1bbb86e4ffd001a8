import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TaskContentService } from '../src/tasks/task-content.service.js';
import { DatabaseService } from '../src/platform/database/database.service.js';
import { defaultPolicy } from '../src/policies/default-policy.js';
import { PoliciesService } from '../src/policies/policies.service.js';
import { ReadableTasksService } from '../src/tasks/readable-tasks.service.js';
import type { Browser } from './kit/browser.js';
import { GateFixture } from './kit/gate-fixture.js';
import { type TestServer, testServer } from './kit/server.js';
import { delegationCall, DelegationFixture } from './kit/delegation-fixture.js';
import { decideApproval, newTaskId, type Wire, wireOf } from './kit/wire.js';
import { Workplace } from './kit/workplace.js';
import { runSql } from './kit/run-sql.js';

const channels = { tool: 'workplace__list_channels', arguments: {} };
const tickets = { tool: 'workplace__list_tickets', arguments: {} };
const ticket = (title: string) => ({ tool: 'workplace__create_ticket', arguments: { title } });
let server: TestServer;
let workplace: Workplace;
let fixture: GateFixture;
let wire: Wire;
let reviewer: Browser;
let billing: string;
let delegationFixture: DelegationFixture;

beforeAll(async () => {
  server = await testServer();
  workplace = await Workplace.start();
  fixture = await GateFixture.create(server, workplace);
  wire = wireOf(fixture, server.url);
  reviewer = await fixture.organization.browser(fixture.reviewer);
  delegationFixture = await DelegationFixture.create(fixture);
  billing = await delegationFixture.addConfiguration('Billing');
  await delegationFixture.addConfiguration('Research');
});
afterAll(async () => {
  await workplace.stop();
  await server.close();
});

const publish = async (configurationId: string, text: string) =>
  fixture.get(PoliciesService).publish(await fixture.principalOf(), configurationId, text);
const query = <T>(text: string, values: unknown[] = []): Promise<T[]> =>
  fixture.get(DatabaseService).tenant(fixture.agent, (tx) => runSql(tx, text, values));
const arrived = async (title: string) =>
  (await workplace.arrivals()).filter(({ arguments: args }) => (args as { title?: string }).title === title);
const textOf = (task: { artifacts?: { parts: object[] }[] }) => JSON.stringify(task.artifacts);

describe('a delegated task', () => {
  it('runs in the specialist as the same agent, and returns its result', async () => {
    const id = newTaskId();
    await wire.send(id, delegationCall('billing', channels));
    const done = await wire.until(id, 'completed', 'failed', 'input-required');
    expect(done.status).toMatchObject({ state: 'completed' });
    expect(textOf(done)).toContain('#incident');
    const rows = await query<{ configuration_id: string; caller: { agentId: string; chain: object[] }; state: string }>(
      `select configuration_id, caller, state from tool_calls order by requested_at desc limit 2`,
    );
    expect(rows).toEqual([
      {
        configuration_id: billing,
        state: 'succeeded',
        caller: expect.objectContaining({
          agentId: fixture.agentId,
          chain: [{ kind: 'configuration', id: fixture.configurationId, name: 'Desk' }],
        }),
      },
      {
        configuration_id: fixture.configurationId,
        state: 'succeeded',
        caller: expect.objectContaining({ agentId: fixture.agentId, chain: [] }),
      },
    ]);
  });

  it('is not listed among the tasks of the caller', async () => {
    const { body } = await wire.call('GET', '/tasks?limit=100');
    expect(body.tasks.map(({ id }: { id: string }) => id)).toEqual([expect.stringMatching(/^task-/)]);
  });

  it('shows which agent waits for what, and continues after the decision', async () => {
    const id = newTaskId();
    const stream = await wire.subscribe(id, delegationCall('billing', ticket('By a specialist')));
    const { data } = await stream.until('input-required');
    expect(data.status).toMatchObject({
      message: {
        parts: [
          {
            text: expect.stringMatching(
              /^"Billing" works on a part of the task and is waiting\. "workplace__create_ticket"/,
            ),
          },
        ],
      },
      metadata: {
        reason: 'approval',
        approvalId: expect.any(String),
        tool: 'workplace__create_ticket',
        agent: 'Billing',
      },
    });
    const ask = await fixture.organization.as();
    const counted = await ask('query ($id: ID!) { approval(id: $id) { blockedTaskCount } }', {
      id: data.status.metadata!.approvalId!,
    });
    expect(counted.data.approval).toEqual({ blockedTaskCount: 2 });
    await decideApproval(reviewer, data.status.metadata!.approvalId!, 'approve');
    await stream.end();
    expect(stream.states).toEqual(['submitted', 'working', 'input-required', 'working', 'completed']);
    await expect(arrived('By a specialist')).resolves.toHaveLength(1);
  });

  it('asks the caller through the parent task, and receives the reply', async () => {
    const id = newTaskId();
    const stream = await wire.subscribe(
      id,
      delegationCall('billing', { tool: 'workplace__create_ticket', arguments: {} }),
    );
    const { data } = await stream.until('input-required');
    expect(data.status).toMatchObject({ metadata: { reason: 'information', agent: 'Billing' } });
    await expect(wire.send(id, channels)).resolves.toMatchObject({ status: 200 });
    await stream.end();
    expect(stream.states.at(-1)).toBe('completed');
    const [{ asked }] = await query<{ asked: number }>(
      `select count(*)::int as asked from task_items i join task_delegations d on d.task_id = i.task_id
       join tasks p on p.id = d.parent_task_id where p.external_id = $1 and i.kind = 'message'`,
      [id],
    );
    expect(asked).toBe(2);
  });

  it('is canceled with its parent, and its pending approval is withdrawn', async () => {
    const id = newTaskId();
    await wire.send(id, delegationCall('billing', ticket('Never')));
    const { status } = await wire.until(id, 'input-required');
    await expect(wire.cancel(id)).resolves.toMatchObject({ body: { status: { state: 'canceled' } } });
    const [{ state }] = await query<{ state: string }>(
      `select t.state from tasks t join task_delegations d on d.task_id = t.id join tasks p on p.id = d.parent_task_id where p.external_id = $1`,
      [id],
    );
    expect(state).toBe('canceled');
    await expect(decideApproval(reviewer, status.metadata!.approvalId!, 'approve')).rejects.toThrow();
    await expect(arrived('Never')).resolves.toEqual([]);
  });

  it('reports its own cancellation to the parent', async () => {
    const id = newTaskId();
    await wire.send(id, delegationCall('billing', ticket('Stopped below')));
    await wire.until(id, 'input-required');
    const [{ id: childId }] = await query<{ id: string }>(
      `select d.task_id as id from task_delegations d join tasks p on p.id = d.parent_task_id where p.external_id = $1`,
      [id],
    );
    await fixture.get(ReadableTasksService).cancel(await fixture.principalOf(), childId);
    const done = await wire.until(id, 'completed', 'failed');
    expect(JSON.stringify(done)).toContain('ended canceled');
    await expect(arrived('Stopped below')).resolves.toEqual([]);
  });

  it('needs the permissions and the approvals of both configurations', async () => {
    const policy = (rules: string) => publish(fixture.configurationId, rules);
    await publish(billing, '@id("all") permit (principal, action, resource);');
    await policy('@id("reads") permit (principal, action in Action::"read", resource);');
    const denied = newTaskId();
    await wire.send(denied, delegationCall('billing', ticket('Beyond')));
    await wire.until(denied, 'completed', 'failed');
    await expect(arrived('Beyond')).resolves.toEqual([]);
    const [call] = await query<{ state: string; code: string; narrowed_by: object[] }>(
      `select state, code, narrowed_by from tool_calls where configuration_id = $1 order by requested_at desc limit 1`,
      [billing],
    );
    expect(call).toEqual({
      state: 'denied',
      code: 'policy-denied',
      narrowed_by: [{ configurationId: fixture.configurationId, policyIds: [], revision: expect.any(Number) }],
    });

    await policy('@id("all") @approval("review") permit (principal, action, resource);');
    const asked = newTaskId();
    await wire.send(asked, delegationCall('billing', channels));
    const first = await wire.until(asked, 'input-required');
    expect(first.status.metadata).toMatchObject({ tool: 'billing__hand_over' });
    await decideApproval(reviewer, first.status.metadata!.approvalId!, 'approve');
    for (;;) {
      const { status } = await wire.until(asked, 'input-required', 'completed');
      if (status.metadata?.tool === 'workplace__list_channels') {
        expect(status.metadata).toMatchObject({ agent: 'Billing', reason: 'approval' });
        await decideApproval(reviewer, status.metadata.approvalId!, 'approve');
        break;
      }
    }
    await wire.until(asked, 'completed');
    await policy(defaultPolicy({ needsReview: true }));
    await publish(billing, defaultPolicy({ needsReview: true }));
  });

  it('stops when its parent loses the connection to the specialist', async () => {
    const id = newTaskId();
    await wire.send(id, delegationCall('research', ticket('Cut off')));
    const { status } = await wire.until(id, 'input-required');
    await delegationFixture.setConnections(fixture.configurationId, []);
    await decideApproval(reviewer, status.metadata!.approvalId!, 'approve');
    await wire.until(id, 'completed', 'failed');
    await expect(arrived('Cut off')).resolves.toEqual([]);
    await delegationFixture.restore();
  });
});

describe('delegation', () => {
  it('rejects a cycle', async () => {
    await delegationFixture.setConnections(billing, [
      await delegationFixture.connectConfiguration('desk', fixture.configurationId),
    ]);
    const id = newTaskId();
    await wire.send(id, delegationCall('billing', delegationCall('desk', channels)));
    await wire.until(id, 'completed', 'failed');
    const [{ reason }] = await query<{ reason: string }>(
      `select reason from tool_calls where tool = 'desk__hand_over' order by requested_at desc limit 1`,
    );
    expect(reason).toContain('would create a cycle');
    await delegationFixture.setConnections(billing, []);
  });

  it('waits for two specialists in parallel', async () => {
    const id = newTaskId();
    const stream = await wire.subscribe(
      id,
      delegationCall('billing', ticket('One')),
      delegationCall('research', ticket('Two')),
    );
    const seen = new Set<string>();
    while (seen.size < 2) {
      const { status } = await wire.until(id, 'input-required');
      const { approvalId } = status.metadata!;
      if (!approvalId || seen.has(approvalId)) continue;
      seen.add(approvalId);
      await decideApproval(reviewer, approvalId, 'approve');
    }
    await stream.end();
    expect(stream.states.at(-1)).toBe('completed');
    await expect(arrived('One')).resolves.toHaveLength(1);
    await expect(arrived('Two')).resolves.toHaveLength(1);
  });

  it('passes each reply to the specialist whose question was shown', async () => {
    const half = { tool: 'workplace__create_ticket', arguments: {} };
    const id = newTaskId();
    await wire.send(id, delegationCall('billing', half), delegationCall('research', half));
    const answers: Record<string, object> = { Billing: channels, Research: tickets };
    const asking: string[] = [];
    while (asking.length < 2) {
      const { status } = await wire.until(id, 'input-required', 'failed', 'completed');
      const agent = status.metadata!.agent!;
      if (asking.includes(agent)) continue;
      const sent = await wire.send(id, answers[agent]);
      if (sent.status === 200) asking.push(agent); // else the task continued meanwhile, so check it again
    }
    await wire.until(id, 'completed', 'failed');
    const said = await query<{ name: string; id: string; body: string }>(
      `select c.name, t.id, i.body from task_items i join task_delegations d on d.task_id = i.task_id
       join tasks p on p.id = d.parent_task_id join tasks t on t.id = d.task_id join configurations c on c.id = t.configuration_id
       where p.external_id = $1 and i.kind = 'message' and i.position > 1`,
      [id],
    );
    expect(said.map(({ name }) => name).sort()).toEqual(['Billing', 'Research']);
    for (const { name, id: taskId, body } of said) {
      const opened = server.app.get(TaskContentService).openItem(taskId, { kind: 'message', body });
      expect(opened.body).toContain(JSON.stringify(answers[name]));
    }
  });
});
