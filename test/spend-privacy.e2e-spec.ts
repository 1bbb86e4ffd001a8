import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AdminTokensService } from '../src/access/admin-tokens.service.js';
import { memberPrincipal } from '../src/access/member-principal.js';
import type { Member } from '../src/access/member.entity.js';
import { MembersService } from '../src/access/members.service.js';
import { DatabaseService } from '../src/platform/database/database.service.js';
import { PeopleService } from '../src/spend/people/people.service.js';
import { type PeopleVisibility, PeopleVisibilityService } from '../src/spend/people/people-visibility.service.js';
import { UnitsService } from '../src/spend/people/units/units.service.js';
import { anOrganization, type GraphqlRequest, type Organization } from './kit/organization.js';
import { type TestServer, testServer } from './kit/server.js';

let server: TestServer;
let lark: Organization;
let moor: Organization;
let admin: GraphqlRequest;
let analyst: Member;
let platform: string;
let payroll: string;
const get = <T>(type: new (...args: never[]) => T): T => server.app.get(type);
beforeAll(async () => {
  server = await testServer();
  [lark, moor] = [await anOrganization(server), await anOrganization(server)];
  admin = await lark.as();
  analyst = await lark.member({ name: 'Ann Analyst', roles: ['analyst'] });
  platform = (await get(UnitsService).create(lark.system, 'group', 'Platform')).id;
  payroll = (await get(UnitsService).create(lark.system, 'cost_centre', 'Payroll')).id;
});
afterAll(() => server.close());

const principalOf = ({ tenantId, id, name, roles }: Member) => memberPrincipal({ tenantId, memberId: id, name, roles });
const sightOf = (member: Member): Promise<PeopleVisibility> =>
  get(DatabaseService).tenant(lark.system, (tx) => get(PeopleVisibilityService).resolve(principalOf(member), tx));
const setView = (input: object, ask = admin) =>
  ask('mutation ($input: SetSpendViewInput!) { setSpendView(input: $input) { seesEverybody groups { name } } }', {
    input,
  });
const lastAudit = async (kind: string) =>
  (await admin(`{ auditEvents(kind: "${kind}", first: 1) { nodes { subject detail actor } } }`)).data.auditEvents
    .nodes[0];

describe('who sees single people', () => {
  it('is nobody at first, administrators included', async () => {
    await expect(sightOf(lark.admin)).resolves.toMatchObject({ individuals: 'none', pseudonyms: false });
    await expect(sightOf(analyst)).resolves.toMatchObject({ individuals: 'none', pseudonyms: false });
  });

  it('is an analyst, of the groups that an administrator names', async () => {
    await expect(setView({ memberId: analyst.id, groupIds: [platform] })).resolves.toMatchObject({
      data: { setSpendView: { seesEverybody: false, groups: [{ name: 'Platform' }] } },
    });
    await expect(sightOf(analyst)).resolves.toMatchObject({ individuals: [platform], pseudonyms: false });
    await expect(lastAudit('spend_view.changed')).resolves.toMatchObject({
      subject: { name: 'Ann Analyst' },
      detail: { from: [], to: ['Platform'] },
    });
  });

  it('is an analyst who sees everybody, until that is taken back', async () => {
    await setView({ memberId: analyst.id, seesEverybody: true });
    await expect(sightOf(analyst)).resolves.toMatchObject({ individuals: 'all' });
    await expect(lastAudit('spend_view.changed')).resolves.toMatchObject({
      detail: { from: ['Platform'], to: 'everybody' },
    });
    await setView({ memberId: analyst.id });
    await expect(sightOf(analyst)).resolves.toMatchObject({ individuals: 'none' });
  });

  it('is set by the first of two who read the same, and not by the second', async () => {
    await setView({ memberId: analyst.id });
    const [{ version: basedOn }] = (await admin('{ spendViews { version } }')).data.spendViews;
    await expect(setView({ memberId: analyst.id, groupIds: [platform], basedOn })).resolves.toMatchObject({ data: {} });
    const second = setView({ memberId: analyst.id, seesEverybody: true, basedOn });
    await expect(second).resolves.toMatchObject({ code: 'conflict' });
    await expect(sightOf(analyst)).resolves.toMatchObject({ individuals: [platform] });
  });

  it('is told to analysts and shown to administrators', async () => {
    await setView({ memberId: analyst.id, groupIds: [platform] });
    const own = await (await lark.as(analyst))('{ mySpendView { seesEverybody groups { id } } }');
    expect(own.data.mySpendView).toEqual({ seesEverybody: false, groups: [{ id: platform }] });
    await expect(admin('{ mySpendView { name } }')).resolves.toMatchObject({ data: { mySpendView: null } });
    const { data } = await admin('{ spendViews { name groups { name } } }');
    expect(data.spendViews).toEqual([{ name: 'Ann Analyst', groups: [{ name: 'Platform' }] }]);
  });

  it('is no longer whoever lost the role, or left and came back', async () => {
    const other = await lark.member({ name: 'Otto Other', roles: ['analyst'] });
    await setView({ memberId: other.id, seesEverybody: true });
    await expect(sightOf({ ...other, roles: ['member'] })).resolves.toMatchObject({ individuals: 'none' });
    await get(MembersService).remove(lark.system, other.id);
    const back = await get(MembersService).create(lark.system, { ...other, roles: ['analyst'] });
    expect(back.id).toBe(other.id);
    await expect(sightOf(back)).resolves.toMatchObject({ individuals: 'none' });
  });

  it('is recorded whenever it is made use of', async () => {
    await get(DatabaseService).tenant(lark.system, (tx) =>
      get(PeopleVisibilityService).recordRead(tx, principalOf(analyst), {
        report: 'by person',
        from: '2026-11-01',
        to: '2026-11-30',
      }),
    );
    await expect(lastAudit('spend.people_read')).resolves.toMatchObject({
      actor: { memberId: analyst.id },
      detail: { report: 'by person', from: '2026-11-01' },
    });
  });
});

describe('views may not', () => {
  it.each([
    ['name a cost centre', () => ({ memberId: analyst.id, groupIds: [payroll] }), 'spend-unit-not-found'],
    [
      'be given to somebody without the role',
      () => ({ memberId: lark.admin.id, seesEverybody: true }),
      'not-an-analyst',
    ],
    ['be given to somebody elsewhere', () => ({ memberId: moor.admin.id, seesEverybody: true }), 'not-an-analyst'],
    [
      'be everybody and a group',
      () => ({ memberId: analyst.id, seesEverybody: true, groupIds: [platform] }),
      'invalid-request',
    ],
  ])('%s', async (_, input, code) => {
    await expect(setView(input())).resolves.toMatchObject({ code });
  });

  it('be changed by an analyst, an auditor or a token', async () => {
    for (const role of ['analyst', 'auditor', 'member'] as const) {
      const ask = await lark.as(await lark.member({ roles: [role] }));
      await expect(setView({ memberId: analyst.id, seesEverybody: true }, ask)).resolves.toMatchObject({
        code: 'forbidden',
      });
    }
    const { token } = await get(AdminTokensService).create(
      { ...principalOf(lark.admin), sessionId: analyst.id, freshAt: new Date() },
      { name: 'automation', expiresAt: new Date(Date.now() + 60_000) },
    );
    const program = lark.withToken(token);
    await expect(setView({ memberId: analyst.id, seesEverybody: true }, program)).resolves.toMatchObject({
      code: 'unauthenticated',
    });
    await expect(program('mutation { setSpendPseudonymsShown(input: { areShown: false }) }')).resolves.toMatchObject({
      code: 'unauthenticated',
    });
  });

  it('lose a group that they name', async () => {
    await setView({ memberId: analyst.id, groupIds: [platform] });
    const removed = admin(`mutation { removeSpendUnit(input: { unitId: "${platform}" }) { id } }`);
    await expect(removed).resolves.toMatchObject({ code: 'conflict' });
  });
});

describe('pseudonyms', () => {
  const pseudonymOf = async (email: string) => {
    const sql = 'select pseudonym from spend_people where tenant_id = $1 and email = $2';
    const [{ pseudonym }] = await get(DatabaseService).tenant(lark.system, (tx) =>
      tx.query<[{ pseudonym: string }]>(sql, [lark.tenant.id, email]),
    );
    return pseudonym;
  };

  it('are shown when the organization says so, and that is recorded', async () => {
    await expect(admin('mutation { setSpendPseudonymsShown(input: { areShown: true }) }')).resolves.toMatchObject({
      data: { setSpendPseudonymsShown: true },
    });
    await expect(sightOf(analyst)).resolves.toMatchObject({ pseudonyms: true });
    const asked = await (await lark.as(analyst))('{ spendPseudonymsShown }');
    expect(asked.data).toEqual({ spendPseudonymsShown: true });
    expect(await lastAudit('spend_pseudonyms.shown')).toBeDefined();
    await admin('mutation { setSpendPseudonymsShown(input: { areShown: false }) }');
    expect(await lastAudit('spend_pseudonyms.lifted')).toBeDefined();
    await expect(sightOf(analyst)).resolves.toMatchObject({ pseudonyms: false });
  });

  it('say nothing of the person, differ, and are drawn anew', async () => {
    for (const name of ['Pia', 'Pit'])
      await get(PeopleService).create(lark.system, { name, email: `${name.toLowerCase()}@lark.example` });
    const [pia, pit] = [await pseudonymOf('pia@lark.example'), await pseudonymOf('pit@lark.example')];
    expect(pia).toMatch(/^Person [0-9A-F]{5}-[0-9A-F]{5}$/);
    expect(pit).not.toBe(pia);
    const { data } = await admin('mutation { regenerateSpendPseudonyms }');
    expect(data.regenerateSpendPseudonyms).toBeGreaterThanOrEqual(2);
    const later = [await pseudonymOf('pia@lark.example'), await pseudonymOf('pit@lark.example')];
    expect(new Set([pia, pit, ...later]).size).toBe(4);
  });

  it('may not be decided on by an analyst', async () => {
    const ask = await lark.as(analyst);
    for (const query of [
      'mutation { setSpendPseudonymsShown(input: { areShown: false }) }',
      'mutation { regenerateSpendPseudonyms }',
    ])
      await expect(ask(query)).resolves.toMatchObject({ code: 'forbidden' });
  });
});
