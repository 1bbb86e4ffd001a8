import { afterAll, beforeAll, expect, it } from 'vitest';
import { mkdtempSync } from 'node:fs';
import path from 'node:path';
import { GroupsService } from '../src/access/groups.service.js';
import type { Group } from '../src/access/group.entity.js';
import type { Member } from '../src/access/member.entity.js';
import { ConfigurationsService } from '../src/configurations/configurations.service.js';
import { ConnectionsService } from '../src/connections/connections.service.js';
import { ToolsService } from '../src/connections/tools.service.js';
import { GateService } from '../src/gate/gate.service.js';
import type { Principal } from '../src/principal/principal.js';
import { type RunningServer, startServer } from '../src/server.js';
import { Governed } from './kit/governed.js';
import { type TestServer, testConfig, testServer } from './kit/server.js';
import { Workplace } from './kit/workplace.js';

/* Lists are kept in memory. Whatever is changed at one server is seen at the other by its very next listing. */

let here: TestServer;
let there: RunningServer;
let workplace: Workplace;
let house: Governed;
let admin: Principal;
let member: Member;
let person: Principal;
let group: Group;

beforeAll(async () => {
  [here, workplace] = await Promise.all([testServer(), Workplace.start()]);
  there = await startServer(testConfig(here.databaseUrl, mkdtempSync(path.join(process.env.TEST_FOLDER!, 'there-'))));
  house = await Governed.house(here, workplace);
  admin = await house.person();
  group = await house.get(GroupsService).create(admin, 'Support');
  member = await house.organization.member({ name: 'Sam Support', groupIds: [group.id] });
  person = await house.person(member);
  await house
    .get(ConfigurationsService)
    .update(admin, { configurationId: house.configurationId, groupIds: [group.id] });
});
afterAll(async () => {
  await there.close();
  await here.close();
  await workplace.stop();
});

const list = (who = person) => there.app.get(GateService).list(who, house.configurationId);
const names = async (who?: Principal) => (await list(who)).map(({ name }) => name);
const verdict = async (name: string) => (await list()).find((tool) => tool.name === `workplace__${name}`)?.verdict;
const toolId = async (name: string) =>
  (await house.get(ToolsService).listOf(admin, house.connectionId)).find(({ upstreamName }) => upstreamName === name)!;

it('gives the same array as long as nothing changes, to everybody who may do the same', async () => {
  const first = await list();
  expect(first.length).toBeGreaterThan(5);
  expect(await list()).toBe(first);
  expect(await list(house.agent)).toBe(first);
});

it('sees a publication', async () => {
  expect(await verdict('create_ticket')).toBe('approval');
  await house.publish('@id("all") permit (principal, action, resource);');
  expect(await verdict('create_ticket')).toBe('allow');
  await house.publish('@id("reads") permit (principal, action in Action::"read", resource);');
  expect(await verdict('create_ticket')).toBeUndefined();
  expect(await verdict('list_tickets')).toBe('allow');
});

it('sees another effect', async () => {
  const { id, definitionHash } = await toolId('list_tickets');
  await house.get(ToolsService).confirm(admin, id, 'write', definitionHash);
  expect(await verdict('list_tickets')).toBeUndefined();
  await house.get(ToolsService).confirm(admin, id, 'read', definitionHash);
  expect(await verdict('list_tickets')).toBe('allow');
});

it('sees a tool, a connection and a configuration paused, and going on', async () => {
  const { id } = await toolId('list_tickets');
  await house.get(ToolsService).pause(admin, id);
  expect(await verdict('list_tickets')).toBeUndefined();
  await house.get(ToolsService).resume(admin, id);
  expect(await verdict('list_tickets')).toBe('allow');
  await house.get(ConnectionsService).pause(admin, house.connectionId);
  expect(await verdict('list_tickets')).toBeUndefined();
  await house.get(ConnectionsService).resume(admin, house.connectionId);
  expect(await verdict('list_tickets')).toBe('allow');
  await house.get(ConfigurationsService).pause(admin, house.configurationId);
  expect(await names()).toEqual([]);
  await house.get(ConfigurationsService).resume(admin, house.configurationId);
  expect(await verdict('list_tickets')).toBe('allow');
});

it('sees who joins and leaves a group', async () => {
  await house.get(GroupsService).takeOut(admin, group.id, member.id);
  expect(await names()).toEqual([]);
  await house.get(GroupsService).add(admin, group.id, member.id);
  expect(await verdict('list_tickets')).toBe('allow');
});

it('sees definitions that are held back, and confirmed again', async () => {
  await house.publish('@id("all") permit (principal, action, resource);');
  expect(await verdict('create_ticket')).toBe('allow');
  await workplace.fail({ fault: 'change-tools' });
  await house.get(ConnectionsService).verify(admin, house.connectionId);
  expect(await verdict('create_ticket')).toBeUndefined();
  const { id, definitionHash } = await toolId('create_ticket');
  await house.get(ToolsService).confirm(admin, id, 'write', definitionHash);
  const found = (await list()).find(({ name }) => name === 'workplace__create_ticket');
  expect(found).toMatchObject({ definitionHash, verdict: 'allow' });
  await workplace.behave();
});

it('sees connections that come and go', async () => {
  const { configurationId } = house;
  await house.get(ConfigurationsService).update(admin, { configurationId, connectionIds: [] });
  expect((await names()).filter((name) => name.startsWith('workplace__'))).toEqual([]);
  await house.get(ConfigurationsService).update(admin, { configurationId, connectionIds: [house.connectionId] });
  expect(await verdict('get_ticket')).toBe('allow');
  await house.get(ConnectionsService).remove(admin, house.connectionId);
  expect((await names()).filter((name) => name.startsWith('workplace__'))).toEqual([]);
});

it('sees who is suspended', async () => {
  expect(await names()).not.toEqual([]);
  await house.suspend(member);
  expect(await names()).toEqual([]);
});
