import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AdminTokensService } from '../src/access/admin-tokens.service.js';
import { memberPrincipal } from '../src/access/member-principal.js';
import type { Member } from '../src/access/member.entity.js';
import { MemberStatusService } from '../src/access/member-status.service.js';
import { MembersService } from '../src/access/members.service.js';
import { DatabaseService } from '../src/platform/database/database.service.js';
import { PeopleService } from '../src/people/people.service.js';
import { type PeopleVisibility, PeopleVisibilityService } from '../src/people/people-visibility.service.js';
import { UnitsService } from '../src/people/units/units.service.js';
import { anOrganization, type GraphqlRequest, type Organization } from './kit/organization.js';
import { type TestServer, testServer } from './kit/server.js';
import { runSql } from './kit/run-sql.js';

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
const visibilityOf = (member: Member): Promise<PeopleVisibility> =>
  get(DatabaseService).tenant(lark.system, (tx) => get(PeopleVisibilityService).resolve(principalOf(member), tx));
const setView = (input: object, ask = admin) =>
  ask('mutation ($input: SetSpendViewInput!) { setSpendView(input: $input) { seesEverybody groups { name } } }', {
    input,
  });
const lastAudit = async (kind: string) =>
  (await admin(`{ auditEvents(kind: "${kind}", first: 1) { nodes { subject detail actor } } }`)).data.auditEvents
    .nodes[0];

describe('access to individual usage', () => {
  it('is granted to nobody at first, including administrators', async () => {
    await expect(visibilityOf(lark.admin)).resolves.toMatchObject({ individuals: 'none', pseudonyms: false });
    await expect(visibilityOf(analyst)).resolves.toMatchObject({ individuals: 'none', pseudonyms: false });
  });

  it('is granted to an analyst for groups that an administrator selects', async () => {
    await expect(setView({ memberId: analyst.id, groupIds: [platform] })).resolves.toMatchObject({
      data: { setSpendView: { seesEverybody: false, groups: [{ name: 'Platform' }] } },
    });
    await expect(visibilityOf(analyst)).resolves.toMatchObject({ individuals: [platform], pseudonyms: false });
    await expect(lastAudit('spend_view.changed')).resolves.toMatchObject({
      subject: { name: 'Ann Analyst' },
      detail: { from: [], to: ['Platform'] },
    });
  });

  it('is granted to an analyst for everybody until it is revoked', async () => {
    await setView({ memberId: analyst.id, seesEverybody: true });
    await expect(visibilityOf(analyst)).resolves.toMatchObject({ individuals: 'all' });
    await expect(lastAudit('spend_view.changed')).resolves.toMatchObject({
      detail: { from: ['Platform'], to: 'everybody' },
    });
    await setView({ memberId: analyst.id });
    await expect(visibilityOf(analyst)).resolves.toMatchObject({ individuals: 'none' });
  });

  it('rejects an update based on an outdated version', async () => {
    await setView({ memberId: analyst.id });
    const [{ version: basedOn }] = (await admin('{ spendViews { version } }')).data.spendViews;
    await expect(setView({ memberId: analyst.id, groupIds: [platform], basedOn })).resolves.toMatchObject({ data: {} });
    const second = setView({ memberId: analyst.id, seesEverybody: true, basedOn });
    await expect(second).resolves.toMatchObject({ code: 'conflict' });
    await expect(visibilityOf(analyst)).resolves.toMatchObject({ individuals: [platform] });
  });

  it('is visible to the analyst and to administrators', async () => {
    await setView({ memberId: analyst.id, groupIds: [platform] });
    const own = await (await lark.as(analyst))('{ mySpendView { seesEverybody groups { id } } }');
    expect(own.data.mySpendView).toEqual({ seesEverybody: false, groups: [{ id: platform }] });
    await expect(admin('{ mySpendView { name } }')).resolves.toMatchObject({ data: { mySpendView: null } });
    const { data } = await admin('{ spendViews { name groups { name } } }');
    expect(data.spendViews).toEqual([{ name: 'Ann Analyst', groups: [{ name: 'Platform' }] }]);
  });

  it('ends if a member loses the role, or leaves and returns', async () => {
    const other = await lark.member({ name: 'Otto Other', roles: ['analyst'] });
    await setView({ memberId: other.id, seesEverybody: true });
    await expect(visibilityOf({ ...other, roles: ['member'] })).resolves.toMatchObject({ individuals: 'none' });
    await get(MemberStatusService).remove(lark.system, other.id);
    const back = await get(MembersService).create(lark.system, { ...other, roles: ['analyst'] });
    expect(back.id).toBe(other.id);
    await expect(visibilityOf(back)).resolves.toMatchObject({ individuals: 'none' });
  });

  it('is audited on each use', async () => {
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

describe('granting access to individual usage', () => {
  it.each([
    ['a cost centre', () => ({ memberId: analyst.id, groupIds: [payroll] }), 'spend-unit-not-found'],
    ['a member without the role', () => ({ memberId: lark.admin.id, seesEverybody: true }), 'not-an-analyst'],
    ['a member of another organization', () => ({ memberId: moor.admin.id, seesEverybody: true }), 'not-an-analyst'],
    [
      'everybody together with a group',
      () => ({ memberId: analyst.id, seesEverybody: true, groupIds: [platform] }),
      'invalid-request',
    ],
  ])('rejects %s', async (_, input, code) => {
    await expect(setView(input())).resolves.toMatchObject({ code });
  });

  it('is forbidden for analysts, auditors, members and tokens', async () => {
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

  it('prevents the removal of the group', async () => {
    await setView({ memberId: analyst.id, groupIds: [platform] });
    const removed = admin(`mutation { removeSpendUnit(input: { unitId: "${platform}" }) { id } }`);
    await expect(removed).resolves.toMatchObject({ code: 'conflict' });
  });
});

describe('pseudonyms', () => {
  const pseudonymOf = async (email: string) => {
    const sql = 'select pseudonym from spend_people where tenant_id = $1 and email = $2';
    const [{ pseudonym }] = await get(DatabaseService).tenant(lark.system, (tx) =>
      runSql<{ pseudonym: string }>(tx, sql, [lark.tenant.id, email]),
    );
    return pseudonym;
  };

  it('are shown if the organization enables them, and the change is audited', async () => {
    await expect(admin('mutation { setSpendPseudonymsShown(input: { areShown: true }) }')).resolves.toMatchObject({
      data: { setSpendPseudonymsShown: true },
    });
    await expect(visibilityOf(analyst)).resolves.toMatchObject({ pseudonyms: true });
    const shown = await (await lark.as(analyst))('{ spendPseudonymsShown }');
    expect(shown.data).toEqual({ spendPseudonymsShown: true });
    expect(await lastAudit('spend_pseudonyms.shown')).toBeDefined();
    await admin('mutation { setSpendPseudonymsShown(input: { areShown: false }) }');
    expect(await lastAudit('spend_pseudonyms.lifted')).toBeDefined();
    await expect(visibilityOf(analyst)).resolves.toMatchObject({ pseudonyms: false });
  });

  it('do not depend on the person, are unique, and can be regenerated', async () => {
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

  it('cannot be changed by an analyst', async () => {
    const ask = await lark.as(analyst);
    for (const query of [
      'mutation { setSpendPseudonymsShown(input: { areShown: false }) }',
      'mutation { regenerateSpendPseudonyms }',
    ])
      await expect(ask(query)).resolves.toMatchObject({ code: 'forbidden' });
  });
});
