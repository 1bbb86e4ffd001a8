import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Member } from '../src/access/member.entity.js';
import { ApprovalsService } from '../src/approvals/approvals.service.js';
import { GateFixture } from './kit/gate-fixture.js';
import { type TestServer, testServer } from './kit/server.js';
import { newTaskId, wireOf } from './kit/wire.js';
import { Workplace } from './kit/workplace.js';

let server: TestServer;
let workplace: Workplace;
let fixture: GateFixture;

beforeAll(async () => {
  [server, workplace] = await Promise.all([testServer(), Workplace.start()]);
  fixture = await GateFixture.create(server, workplace);
});
afterAll(async () => {
  await server.close();
  await workplace.stop();
});

async function pending(title: string): Promise<string> {
  const outcome = await fixture.call('create_ticket', { title });
  if (outcome.state !== 'awaiting_approval') throw new Error(`is ${JSON.stringify(outcome)}`);
  return outcome.approvalId;
}
const decide = async (id: string, decision: 'approve' | 'deny', by: Member = fixture.reviewer) =>
  fixture.get(ApprovalsService).decide(await fixture.principalOf(by), id, decision, 'Not now.');

describe('the review context of an approval', () => {
  it('contains the requester, the configuration and the destination of the call', async () => {
    const id = await pending('Names');
    const ask = await fixture.organization.as(fixture.reviewer);
    const { data } = await ask(
      `query ($id: ID!) { approval(id: $id) { requestedBy { id name } decider { name } approverGroupName
         call { configurationName connection { name kind destination { label value } } } } }`,
      { id },
    );
    expect(data.approval).toEqual({
      requestedBy: [{ id: fixture.organization.admin.id, name: 'Ada Admin' }],
      decider: null,
      approverGroupName: null,
      call: {
        configurationName: 'Desk',
        connection: {
          name: 'Workplace',
          kind: 'mcp',
          destination: [{ label: expect.any(String), value: workplace.url }],
        },
      },
    });
    await decide(id, 'deny');
    const decided = await ask('query ($id: ID!) { approval(id: $id) { decider { name } } }', { id });
    expect(decided.data.approval.decider).toEqual({ name: 'Rita Reviewer' });
  });

  it('contains earlier decisions on the same tool, newest first', async () => {
    const [one, two, three] = [await pending('First'), await pending('Second'), await pending('Third')];
    await decide(one, 'approve');
    await decide(two, 'deny');
    const ask = await fixture.organization.as(fixture.reviewer);
    const earlier = 'query ($id: ID!) { approval(id: $id) { earlier { id state call { argumentsHash } } } }';
    const { data } = await ask(earlier, { id: three });
    expect(data.approval.earlier.slice(0, 2)).toEqual([
      { id: two, state: 'denied', call: { argumentsHash: expect.any(String) } },
      { id: one, state: 'approved', call: { argumentsHash: expect.any(String) } },
    ]);
    expect((await ask(earlier, { id: one })).data.approval.earlier).not.toContainEqual(
      expect.objectContaining({ id: two }),
    );
  });

  it('contains the task, by which approvals can be filtered, pending or decided', async () => {
    const wire = wireOf(fixture, server.url);
    const id = newTaskId();
    await wire.send(id, { tool: 'workplace__create_ticket', arguments: { title: 'By a task' } });
    const { status } = await wire.until(id, 'input-required');
    const approvalId = status.metadata!.approvalId!;
    const ask = await fixture.organization.as(fixture.reviewer);
    const task = (await ask(`{ approval(id: "${approvalId}") { taskId } }`)).data.approval.taskId as string;
    const ids = async (filter: string) =>
      (await ask(`{ approvals(taskId: "${task}"${filter}) { nodes { id } } }`)).data.approvals.nodes.map(
        ({ id }: { id: string }) => id,
      );
    expect(await ids('')).toEqual([approvalId]);
    expect(await ids(', isPending: true')).toEqual([approvalId]);
    expect(await ids(', isPending: false')).toEqual([]);
    await decide(approvalId, 'deny');
    expect(await ids(', isPending: false')).toEqual([approvalId]);
    expect((await ask('{ approvals(taskId: "x") { totalCount } }')).code).toBe('invalid-request');
  });

  it('is hidden from people who are not involved', async () => {
    const id = await pending('Not for all');
    const nobody = await fixture.organization.as(await fixture.organization.member({ name: 'Nob Ody' }));
    const { code, data } = await nobody(
      'query ($id: ID!) { approval(id: $id) { earlier { id } requestedBy { name } } }',
      { id },
    );
    expect({ code, data }).toEqual({ code: 'approval-not-found', data: null });
    expect((await nobody('{ approvals(isPending: true) { totalCount } }')).data.approvals.totalCount).toBe(0);
  });
});
