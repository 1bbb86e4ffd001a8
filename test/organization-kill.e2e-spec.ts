import { Client } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ConnectionVerificationScheduler } from '../src/connections/connection-verification-scheduler.service.js';
import { GateFixture } from './kit/gate-fixture.js';
import { anOrganization, Organization } from './kit/organization.js';
import { serverProcess } from './kit/processes.js';
import { type TestServer, testServer } from './kit/server.js';
import { Workplace } from './kit/workplace.js';

let server: TestServer;
let owner: Client;
let organization: Organization;
beforeAll(async () => {
  server = await testServer();
  organization = await anOrganization(server);
  owner = new Client(server.databaseUrl);
  await owner.connect();
});
afterAll(async () => {
  await owner.end();
  await server.close();
});

const documents = [
  ...Array.from({ length: 20 }, (_, nth) => ({ kind: 'group', name: `Group ${nth}` })),
  { kind: 'configuration', name: 'Desk', groups: ['Group 1'] },
  { kind: 'approval-step', name: 'desk', tier: 'review', approvers: 'Group 2' },
  { kind: 'budget', scope: 'organization', amountCents: '1000' },
];
const planHash = 'query ($input: PlanOrganizationInput!) { organizationPlan(input: $input) { hash } }';
const apply = 'mutation ($input: ApplyOrganizationInput!) { applyOrganization(input: $input) { hash } }';
const count = async () => {
  const { rows } = await owner.query<{ groups: number; steps: number; events: number }>(
    `select (select count(*)::int from groups where tenant_id = $1) as groups,
            (select count(*)::int from approval_steps where tenant_id = $1) as steps,
            (select count(*)::int from audit_events where tenant_id = $1 and kind = 'group.created') as events`,
    [organization.tenant.id],
  );
  return rows[0];
};

it('a process that is killed while it applies documents leaves nothing of them', async () => {
  const child = await serverProcess(server.databaseUrl);
  const graphql = await new Organization(
    { app: server.app, url: child.url },
    organization.tenant,
    organization.admin,
  ).as();
  const input = { documents: JSON.stringify(documents) };
  const { data } = await graphql(planHash, { input });
  const { hash } = data.organizationPlan;
  // the groups are written when the step waits for this lock
  await owner.query('begin');
  await owner.query('lock table approval_steps in share mode');
  const applied = graphql(apply, { input: { ...input, hash } }).catch((error: unknown) => error);
  await expect
    .poll(
      async () =>
        (await owner.query(`select from pg_locks where not granted and relation = 'approval_steps'::regclass`))
          .rowCount,
    )
    .toBeGreaterThan(0);
  await child.kill();
  await applied;
  await owner.query('commit');
  await expect
    .poll(
      async () =>
        (
          await owner.query(
            `select from pg_stat_activity where query like '%approval_steps%' and state = 'active' and pid <> pg_backend_pid()`,
          )
        ).rowCount,
    )
    .toBe(0);
  expect(await count()).toEqual({ groups: 0, steps: 0, events: 0 });

  const admin = await organization.as();
  const { errors } = await admin(apply, { input: { ...input, hash } });
  expect(errors).toBeUndefined();
  expect(await count()).toEqual({ groups: 20, steps: 1, events: 20 });
});

it('a process that is killed after its commit leaves the whole plan, and another verifies the connection', async () => {
  const upstream = await Workplace.start();
  const child = await serverProcess(server.databaseUrl);
  try {
    const at = await GateFixture.create(server, upstream);
    const { tenant, admin } = at.organization;
    const graphql = await new Organization({ app: server.app, url: child.url }, tenant, admin).as();
    const changed = [
      { kind: 'connection', name: 'workplace', connector: 'mcp', settings: { url: upstream.url, timeoutSeconds: 9 } },
      { kind: 'group', name: 'Support' },
    ];
    const input = { documents: JSON.stringify(changed) };
    const { data } = await graphql(planHash, { input });
    await upstream.fail({ fault: 'hang', on: 'everything' });
    const applied = graphql(apply, { input: { ...input, hash: data.organizationPlan.hash } }).catch(() => 'no answer');
    const isCommitted = async () =>
      (await owner.query(`select from groups where tenant_id = $1 and name = 'Support'`, [tenant.id])).rowCount === 1;
    await expect.poll(isCommitted).toBe(true);
    await child.kill();
    expect(await applied).toBe('no answer');
    await upstream.clearFaults();

    const other = await at.organization.as();
    const { data: again } = await other(
      'query ($input: PlanOrganizationInput!) { organizationPlan(input: $input) { changes { kind name } unchanged } }',
      { input },
    );
    expect(again.organizationPlan).toEqual({ changes: [], unchanged: 2 });
    await owner.query(`update connections set verified_at = now() - interval '1 hour' where tenant_id = $1`, [
      tenant.id,
    ]);
    const verified = async () => {
      await at.getInternal(ConnectionVerificationScheduler).verifyDue();
      const { rows } = await owner.query(
        `select status, revision, verified_at > now() - interval '30 minutes' as "isVerified" from connections where tenant_id = $1`,
        [tenant.id],
      );
      return rows;
    };
    await expect.poll(verified).toEqual([{ status: 'connected', revision: 2, isVerified: true }]);
  } finally {
    await child.kill();
    await upstream.stop();
  }
});
