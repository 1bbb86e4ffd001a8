import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Member } from '../src/access/member.entity.js';
import { aUser } from './kit/api.js';
import { mutate } from './kit/workplace-fixture.js';
import { GateFixture } from './kit/gate-fixture.js';
import type { GraphqlRequest } from './kit/organization.js';
import { type TestServer, testServer } from './kit/server.js';
import { Workplace } from './kit/workplace.js';

let server: TestServer;
let workplace: Workplace;
let fixture: GateFixture;
let user: Member;
let ask: GraphqlRequest;
beforeAll(async () => {
  [server, workplace] = await Promise.all([testServer({ LIMIT_TEXT_BYTES: '2000' }), Workplace.start()]);
  fixture = await GateFixture.create(server, workplace);
  user = await aUser(fixture);
  ask = await fixture.organization.as(user);
});
afterAll(async () => {
  await workplace.stop();
  await server.close();
});

const submit = (input: object = {}, as = ask) =>
  mutate(
    as,
    'submitTask',
    'SubmitTaskInput',
    { configurationId: fixture.configurationId, text: 'List the channels', ...input },
    'id externalId ownerId configurationId state caller',
  );

describe('a task submitted in the console', () => {
  it('belongs to the member, with their id and the console as its surface', async () => {
    const { it: task } = await submit({ externalId: 'try-1' });
    expect(task).toMatchObject({
      externalId: 'try-1',
      ownerId: user.id,
      configurationId: fixture.configurationId,
      caller: { kind: 'member', memberId: user.id, surface: 'console' },
    });
    expect((await submit({ externalId: 'try-1' })).it.id).toBe(task.id);
    expect((await submit({ externalId: 'try-1', text: 'Something else' })).code).toBe('task-exists');
  });

  it('gets a generated id if none is given', async () => {
    expect((await submit()).it.externalId).toMatch(/^[0-9a-f-]{36}$/);
  });

  it.each([
    ['without text', { text: '' }, 'invalid-request'],
    ['with characters that cannot be stored', { text: 'a\0b' }, 'invalid-request'],
    ['with too much text', { text: 'x'.repeat(2001) }, 'too-large'],
    ['with an invalid id', { externalId: '..' }, 'invalid-request'],
    [
      'for an unknown configuration',
      { configurationId: '00000000-0000-4000-8000-000000000000' },
      'configuration-not-found',
    ],
  ])('%s is rejected', async (_, input, code) => {
    expect((await submit(input)).code).toBe(code);
  });

  it('requires access through a group, and a session', async () => {
    const outsider = await fixture.organization.as(fixture.reviewer);
    expect((await submit({}, outsider)).code).toBe('configuration-not-found');
    expect((await submit({}, fixture.organization.withToken('nothing'))).code).toBe('unauthenticated');
  });
});
