import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Governed } from './kit/governed.js';
import { type TestServer, testServer } from './kit/server.js';
import { decide, freshId, type Wire, wireOf } from './kit/wire.js';
import { Workplace } from './kit/workplace.js';

const channels = { tool: 'workplace__list_channels', arguments: {} };
const ticket = { tool: 'workplace__create_ticket', arguments: { title: 'Waited for long' } };

let workplace: Workplace;
beforeAll(async () => {
  workplace = await Workplace.start();
});
afterAll(() => workplace.stop());

function given(settings: Record<string, string>) {
  const here = {} as { server: TestServer; house: Governed; wire: Wire };
  beforeAll(async () => {
    here.server = await testServer(settings);
    here.house = await Governed.house(here.server, workplace);
    here.wire = wireOf(here.house, here.server.url);
  });
  afterAll(async () => {
    await workplace.behave();
    await here.server.close();
  });
  return here;
}

describe('with one second of work', () => {
  const here = given({ TASK_WORK_SECONDS: '1' });

  it('a task that takes longer fails', async () => {
    await workplace.fail({ fault: 'slow', ms: 1500, times: 1 });
    const id = freshId();
    await here.wire.send(id, channels);
    await expect(here.wire.until(id, 'failed', 'completed')).resolves.toMatchObject({
      status: { state: 'failed', error: { code: 'task-timeout' } },
    });
  });

  it('a task may wait for longer', async () => {
    const id = freshId();
    await here.wire.send(id, ticket);
    const { status } = await here.wire.until(id, 'input-required');
    await new Promise((resolve) => setTimeout(resolve, 1200));
    const reviewer = await here.house.organization.browser(here.house.reviewer);
    await decide(reviewer, status.metadata!.approvalId!, 'approve');
    await expect(here.wire.until(id, 'failed', 'completed')).resolves.toMatchObject({ status: { state: 'completed' } });
  });
});

describe('with one working task per key', () => {
  const here = given({ LIMIT_WORKING_TASKS: '1' });

  it('the next one stays submitted until it has ended', async () => {
    await workplace.fail({ fault: 'slow', ms: 700, times: 1 });
    const first = await here.wire.subscribe(freshId(), channels);
    const second = await here.wire.subscribe(freshId(), channels);
    await first.until('working');
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(second.states).toEqual(['submitted']);
    await second.end();
    const [, , end] = first.updates;
    const [, begin] = second.updates;
    expect(Date.parse(begin.data.status.timestamp)).toBeGreaterThanOrEqual(Date.parse(end.data.status.timestamp));
  });
});
