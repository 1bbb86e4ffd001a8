import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Member } from '../src/access/member.entity.js';
import { ProposedChangesService } from '../src/access/administration/proposed-changes.service.js';
import { TwoPersonAdministrationService } from '../src/access/administration/two-person-administration.service.js';
import { ConnectionsService } from '../src/connections/connections.service.js';
import { PoliciesService } from '../src/policies/policies.service.js';
import { type CommitFault, CommitWatch } from './kit/commit-watch.js';
import { GateFixture } from './kit/gate-fixture.js';
import { Organization } from './kit/organization.js';
import { type ServerProcess, serverProcess } from './kit/processes.js';
import { type TestServer, testServer } from './kit/server.js';
import { Workplace } from './kit/workplace.js';

/*
 * Kills the server process of the second administrator at the commits of their confirmation. The change is applied
 * exactly once or not at all, its state says which, and the administrator can repeat the confirmation.
 */

let server: TestServer;
let workplace: Workplace;
let watch: CommitWatch;
let at: GateFixture;
let secondServer: ServerProcess | undefined;

beforeAll(async () => {
  [server, workplace] = await Promise.all([testServer({ ROLE: 'web' }), Workplace.start()]);
  watch = await CommitWatch.start(server.databaseUrl, 'countersign-app');
  at = await GateFixture.create(server, workplace);
  for (const area of ['policies', 'connection_targets'] as const)
    await at.get(TwoPersonAdministrationService).set(await at.principalOf(), area, true);
});
afterAll(async () => {
  await secondServer?.kill();
  await watch.close();
  await server.close();
  await workplace.stop();
});

const mutation = 'mutation ($input: ProposedChangeInput!) { confirmProposedChange(input: $input) { state } }';
const never = Number.MAX_SAFE_INTEGER;

/** Confirms in a process of its own. Returns the number of commits, if the process is not killed. */
async function confirmIn(id: string, fault?: Omit<CommitFault, 'kill'>): Promise<number> {
  secondServer = await serverProcess(watch.url, { ROLE: 'web' });
  const { url, kill } = secondServer;
  const { tenant, admin } = at.organization;
  const ask = await new Organization({ app: server.app, url }, tenant, admin).as(at.reviewer);
  const killed = watch.arm({ when: 'before', at: never, ...fault, kill: () => kill('SIGKILL') });
  const confirmation = ask(mutation, { input: { id } });
  if (fault) {
    const failed = confirmation.then(
      ({ data, code }) => Promise.reject(new Error(`was not killed: ${JSON.stringify({ data, code })}`)),
      () => undefined,
    );
    await Promise.all([killed, failed]);
    return 0;
  }
  expect((await confirmation).data).toEqual({ confirmProposedChange: { state: 'confirmed' } });
  await kill();
  return watch.commits;
}

/** The id of the change that the action proposes. */
const propose = (action: Promise<unknown>): Promise<string> =>
  action.then(
    () => Promise.reject(new Error('was not proposed')),
    (error: { extra?: { proposedChangeId?: string } }) => error.extra!.proposedChangeId!,
  );
const stateOf = async (id: string) =>
  (await at.get(ProposedChangesService).get(await at.principalOf(at.reviewer), id)).state;
/** In the process that was not killed. */
const confirmAgain = async (id: string, by: Member = at.reviewer) =>
  (await at.get(ProposedChangesService).confirm(await at.principalOf(by), id)).state;

let round = 0;
const proposeText = async () =>
  propose(
    at
      .get(PoliciesService)
      .publish(await at.principalOf(), at.configurationId, `permit (principal, action, resource); // ${++round}`),
  );
const revision = async () =>
  (await at.get(PoliciesService).get(await at.principalOf(), at.configurationId)).current!.revision;

it('publishes confirmed policies exactly once, whichever commit the process is killed at', async () => {
  const last = await confirmIn(await proposeText());
  const states: string[] = [];
  const after = { at: last, when: 'after' } as const;
  for (const fault of [{ at: last - 1, when: 'after' }, { at: last, when: 'before' }, after, after, after] as const) {
    // a commit in the background may have been counted, too
    if (states.includes('confirmed')) break;
    const before = await revision();
    const id = await proposeText();
    await confirmIn(id, fault);
    const state = await stateOf(id);
    expect(['open', 'confirmed']).toContain(state);
    expect(await revision()).toBe(state === 'confirmed' ? before + 1 : before);
    states.push(state);
    expect(await confirmAgain(id)).toBe('confirmed');
    expect(await revision()).toBe(before + 1);
  }
  expect(new Set(states)).toEqual(new Set(['open', 'confirmed']));
});

it('adds a confirmed integration exactly once, also if the process is killed while it verifies it', async () => {
  const connections = at.get(ConnectionsService);
  const settings = { url: workplace.url };
  const proposeConnection = async (slug: string) =>
    propose(connections.create(await at.principalOf(), { kind: 'mcp', name: slug, slug, settings, secrets: {} }));
  const last = await confirmIn(await proposeConnection('whole'));
  for (const [nth, fault] of (
    [
      { at: last, when: 'before' },
      { at: last - 2, when: 'after' },
    ] as const
  ).entries()) {
    const slug = `killed-${nth}`;
    const id = await proposeConnection(slug);
    await confirmIn(id, fault);
    const isConfirmed = (await stateOf(id)) === 'confirmed';
    expect((await connections.findBySlug(await at.principalOf(), slug)) !== null).toBe(isConfirmed);
    expect(await confirmAgain(id)).toBe('confirmed');
    const added = (await connections.findBySlug(await at.principalOf(), slug))!;
    expect(added.revision).toBe(1);
    // what the killed process did not verify can be verified later
    expect((await connections.verify(await at.principalOf(), added.id)).status).toBe('connected');
  }
});
