import { afterAll, beforeAll, expect, it } from 'vitest';
import { mkdtempSync } from 'node:fs';
import path from 'node:path';
import { GroupsService } from '../src/access/groups.service.js';
import type { Group } from '../src/access/group.entity.js';
import type { Member } from '../src/access/member.entity.js';
import { ConfigurationsService } from '../src/configurations/configurations.service.js';
import { toolsFingerprintsOfConfigurations } from '../src/configurations/configurations.sql.js';
import { ConnectionsService } from '../src/connections/connections.service.js';
import { ToolsService } from '../src/connections/tools.service.js';
import { GateService } from '../src/gate/gate.service.js';
import { DatabaseService } from '../src/platform/database/database.service.js';
import { statement } from '../src/platform/database/statement.js';
import { currentPolicies } from '../src/policies/policies.sql.js';
import type { Principal } from '../src/principal/principal.js';
import { type RunningServer, startServer } from '../src/server.js';
import { GateFixture } from './kit/gate-fixture.js';
import { type TestServer, testConfig, testServer } from './kit/server.js';
import { Workplace } from './kit/workplace.js';

/* Listings are cached in memory. A change on one server must show in the next listing of the other server. */

let here: TestServer;
let there: RunningServer;
let workplace: Workplace;
let fixture: GateFixture;
let admin: Principal;
let member: Member;
let person: Principal;
let group: Group;

beforeAll(async () => {
  [here, workplace] = await Promise.all([testServer(), Workplace.start()]);
  there = await startServer(testConfig(here.databaseUrl, mkdtempSync(path.join(process.env.TEST_FOLDER!, 'there-'))));
  fixture = await GateFixture.create(here, workplace);
  admin = await fixture.principalOf();
  group = await fixture.get(GroupsService).create(admin, 'Support');
  member = await fixture.organization.member({ name: 'Sam Support', groupIds: [group.id] });
  person = await fixture.principalOf(member);
  await fixture
    .get(ConfigurationsService)
    .update(admin, { configurationId: fixture.configurationId, groupIds: [group.id] });
});
afterAll(async () => {
  await there.close();
  await here.close();
  await workplace.stop();
});

const list = (who = person) => there.app.get(GateService).list(who, fixture.configurationId);
const names = async (who?: Principal) => (await list(who)).map(({ name }) => name);
const verdict = async (name: string) => (await list()).find((tool) => tool.name === `workplace__${name}`)?.verdict;
const toolId = async (name: string) =>
  (await fixture.get(ToolsService).listOf(admin, fixture.connectionId)).find(
    ({ upstreamName }) => upstreamName === name,
  )!;

it('returns the same array to all callers with equal verdicts as long as nothing changes', async () => {
  const first = await list();
  expect(first.length).toBeGreaterThan(5);
  expect(await list()).toBe(first);
  expect(await list(fixture.agent)).toBe(first);
});

it('shows the effect of published policies', async () => {
  expect(await verdict('create_ticket')).toBe('approval');
  await fixture.publish('@id("all") permit (principal, action, resource);');
  expect(await verdict('create_ticket')).toBe('allow');
  await fixture.publish('@id("reads") permit (principal, action in Action::"read", resource);');
  expect(await verdict('create_ticket')).toBeUndefined();
  expect(await verdict('list_tickets')).toBe('allow');
});

it('shows a changed effect of a tool', async () => {
  const { id, definitionHash } = await toolId('list_tickets');
  await fixture.get(ToolsService).confirm(admin, id, 'write', definitionHash);
  expect(await verdict('list_tickets')).toBeUndefined();
  await fixture.get(ToolsService).confirm(admin, id, 'read', definitionHash);
  expect(await verdict('list_tickets')).toBe('allow');
});

it('hides a paused tool, connection or configuration until it is resumed', async () => {
  const { id } = await toolId('list_tickets');
  await fixture.get(ToolsService).pause(admin, id);
  expect(await verdict('list_tickets')).toBeUndefined();
  await fixture.get(ToolsService).resume(admin, id);
  expect(await verdict('list_tickets')).toBe('allow');
  await fixture.get(ConnectionsService).pause(admin, fixture.connectionId);
  expect(await verdict('list_tickets')).toBeUndefined();
  await fixture.get(ConnectionsService).resume(admin, fixture.connectionId);
  expect(await verdict('list_tickets')).toBe('allow');
  await fixture.get(ConfigurationsService).pause(admin, fixture.configurationId);
  expect(await names()).toEqual([]);
  await fixture.get(ConfigurationsService).resume(admin, fixture.configurationId);
  expect(await verdict('list_tickets')).toBe('allow');
});

it('follows changes of group membership', async () => {
  await fixture.get(GroupsService).removeMember(admin, group.id, member.id);
  expect(await names()).toEqual([]);
  await fixture.get(GroupsService).addMember(admin, group.id, member.id);
  expect(await verdict('list_tickets')).toBe('allow');
});

it('hides changed definitions until they are confirmed', async () => {
  await fixture.publish('@id("all") permit (principal, action, resource);');
  expect(await verdict('create_ticket')).toBe('allow');
  await workplace.fail({ fault: 'change-tools' });
  await fixture.get(ConnectionsService).verify(admin, fixture.connectionId);
  expect(await verdict('create_ticket')).toBeUndefined();
  const { id, definitionHash } = await toolId('create_ticket');
  await fixture.get(ToolsService).confirm(admin, id, 'write', definitionHash);
  const found = (await list()).find(({ name }) => name === 'workplace__create_ticket');
  expect(found).toMatchObject({ definitionHash, verdict: 'allow' });
  await workplace.clearFaults();
});

it('follows added and removed connections', async () => {
  const { configurationId } = fixture;
  await fixture.get(ConfigurationsService).update(admin, { configurationId, connectionIds: [] });
  expect((await names()).filter((name) => name.startsWith('workplace__'))).toEqual([]);
  await fixture.get(ConfigurationsService).update(admin, { configurationId, connectionIds: [fixture.connectionId] });
  expect(await verdict('get_ticket')).toBe('allow');
  await fixture.get(ConnectionsService).remove(admin, fixture.connectionId);
  expect((await names()).filter((name) => name.startsWith('workplace__'))).toEqual([]);
});

it('is empty for a suspended member', async () => {
  expect(await names()).not.toEqual([]);
  await fixture.suspend(member);
  expect(await names()).toEqual([]);
});

it('is read by statements that the database plans once per connection', async () => {
  const { configurationId } = fixture;
  const { tenantId } = admin;
  const plans = statement<[], { name: string; custom: number }>(
    `select name, custom_plans::int as custom from pg_prepared_statements
     where name in ('configuration-tools-prints', 'policies-current')`,
  );
  const counts = await here.app.get(DatabaseService).tenant(admin, async (tx) => {
    for (let time = 0; time < 10; time++) {
      await tx.run(toolsFingerprintsOfConfigurations, [tenantId, [configurationId]]);
      await tx.run(currentPolicies, [tenantId, [configurationId]]);
    }
    return tx.run(plans);
  });
  expect(counts).toHaveLength(2);
  for (const { custom } of counts) expect(custom).toBeLessThanOrEqual(5); // then the database compares their costs
});
