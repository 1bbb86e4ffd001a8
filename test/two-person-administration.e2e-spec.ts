import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AdministrationArea } from '../src/access/administration/administration-area.js';
import { ProposedChangesService } from '../src/access/administration/proposed-changes.service.js';
import { TwoPersonAdministrationService } from '../src/access/administration/two-person-administration.service.js';
import { AdminTokensService } from '../src/access/admin-tokens.service.js';
import { GroupsService } from '../src/access/groups.service.js';
import { InvitationsService } from '../src/access/invitations.service.js';
import type { Member } from '../src/access/member.entity.js';
import { MemberStatusService } from '../src/access/member-status.service.js';
import { MembersService } from '../src/access/members.service.js';
import { SignInProvidersService } from '../src/access/providers/sign-in-providers.service.js';
import { ApprovalStepChangesService } from '../src/approvals/approval-step-changes.service.js';
import { BreakGlassRightsService } from '../src/approvals/break-glass-rights.service.js';
import { SubstitutionsService } from '../src/approvals/substitutions.service.js';
import { ConnectionsService } from '../src/connections/connections.service.js';
import { ToolsService } from '../src/connections/tools.service.js';
import { DatabaseService } from '../src/platform/database/database.service.js';
import { PoliciesService } from '../src/policies/policies.service.js';
import { GateFixture } from './kit/gate-fixture.js';
import { createInvitedMember } from './kit/introductions.js';
import { OidcProvider } from './kit/oidc-provider.js';
import { runSql } from './kit/run-sql.js';
import { type TestServer, testServer } from './kit/server.js';
import { Workplace } from './kit/workplace.js';

let server: TestServer;
let workplace: Workplace;

beforeAll(async () => {
  // passkeys need a host name
  [server, workplace] = await Promise.all([testServer({ HOST: 'localhost' }), Workplace.start()]);
});
afterAll(async () => {
  await server.close();
  await workplace.stop();
});

const permitReads = 'permit (principal, action in Action::"read", resource);';
const permitAll = 'permit (principal, action, resource);';
const proposed = { code: 'change-proposed' };

/** Ada and Rita are administrators whom the operator invited. Ada requires a second administrator in these areas. */
async function organization(...areas: AdministrationArea[]): Promise<GateFixture> {
  const at = await GateFixture.create(server, workplace);
  for (const area of areas) await at.get(TwoPersonAdministrationService).set(await at.principalOf(), area, true);
  return at;
}

const changesOf = (at: GateFixture) => at.get(ProposedChangesService);

/** The id of the change that the action proposes. */
async function propose(action: Promise<unknown>): Promise<string> {
  const problem = await action.then(
    () => null,
    (error: { code?: string; extra?: { proposedChangeId?: string } }) => error,
  );
  expect(problem).toMatchObject(proposed);
  return problem!.extra!.proposedChangeId!;
}

const publish = async (at: GateFixture, text: string, by: Member = at.organization.admin) =>
  at.get(PoliciesService).publish(await at.principalOf(by), at.configurationId, text);
const confirm = async (at: GateFixture, id: string, by: Member = at.reviewer) =>
  changesOf(at).confirm(await at.principalOf(by), id);
const revisionOf = async (at: GateFixture) =>
  (await at.get(PoliciesService).get(await at.principalOf(), at.configurationId)).current!;
async function asOwner(text: string, params: unknown[]): Promise<void> {
  const owner = new Client(server.databaseUrl);
  await owner.connect();
  await owner.query(text, params);
  await owner.end();
}
const inDatabase = <Row extends object>(at: GateFixture, text: string, values: unknown[]) =>
  at.get(DatabaseService).tenant(at.organization.system, (tx) => runSql(tx, text, values)) as Promise<Row[]>;

describe('publishing policies with two-person administration', () => {
  it('changes nothing until a second administrator confirms exactly what was shown', async () => {
    const at = await organization('policies');
    const before = await revisionOf(at);
    const id = await propose(publish(at, permitReads));
    expect(await revisionOf(at)).toEqual(before);
    const change = await changesOf(at).get(await at.principalOf(at.reviewer), id);
    expect(change).toMatchObject({
      kind: 'policy.publish',
      areas: ['policies'],
      state: 'open',
      proposedBy: at.organization.admin.id,
      fields: [{ label: 'Policies', before: before.text, after: permitReads }],
    });
    expect(await confirm(at, id)).toMatchObject({ state: 'confirmed', decidedBy: at.reviewer.id });
    expect(await revisionOf(at)).toMatchObject({
      revision: before.revision + 1,
      text: permitReads,
      publishedBy: at.organization.admin.id,
      publisher: 'Ada Admin, confirmed by Rita Reviewer',
    });
  });

  it('records both administrators', async () => {
    const at = await organization('policies');
    const id = await propose(publish(at, permitReads));
    await confirm(at, id);
    const events = await inDatabase<{ kind: string; actor: { memberId: string; chain?: { id: string }[] } }>(
      at,
      `select kind, actor from audit_events where kind in ('change.proposed', 'change.confirmed', 'policy.published') order by id`,
      [],
    );
    const own = events
      .slice(-3)
      .map(({ kind, actor: { memberId, chain } }) => ({ kind, memberId, chain: chain?.[0].id }));
    const [ada, rita] = [at.organization.admin.id, at.reviewer.id];
    expect(own).toEqual([
      { kind: 'change.proposed', memberId: ada, chain: undefined },
      { kind: 'policy.published', memberId: rita, chain: ada },
      { kind: 'change.confirmed', memberId: rita, chain: undefined },
    ]);
  });

  it('stores the same proposal once', async () => {
    const at = await organization('policies');
    const id = await propose(publish(at, permitReads));
    expect(await propose(publish(at, permitReads))).toBe(id);
    expect(await propose(publish(at, permitAll))).not.toBe(id);
  });

  it('is outdated if another revision was published in the meantime', async () => {
    const at = await organization('policies');
    const [first, second] = [await propose(publish(at, permitReads)), await propose(publish(at, permitAll))];
    await confirm(at, second);
    expect(await confirm(at, first)).toMatchObject({
      state: 'outdated',
      decisionNote: 'What the change was based on has changed since.',
    });
    expect((await revisionOf(at)).text).toBe(permitAll);
  });

  it('is applied once if two administrators confirm at the same time', async () => {
    const at = await organization('policies');
    const third = await at.organization.member({ name: 'Theo Third', roles: ['admin'] });
    const { revision } = await revisionOf(at);
    const id = await propose(publish(at, permitReads));
    const results = await Promise.allSettled([confirm(at, id), confirm(at, id, third)]);
    const rejected = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []));
    expect(rejected).toMatchObject([{ code: 'proposed-change-closed' }]);
    expect((await revisionOf(at)).revision).toBe(revision + 1);
  });

  it('is outdated if another change with the same basis is confirmed at the same time', async () => {
    const at = await organization('policies');
    const third = await at.organization.member({ name: 'Theo Third', roles: ['admin'] });
    for (let round = 0; round < 5; round++) {
      const { revision } = await revisionOf(at);
      const [one, other] = [
        await propose(publish(at, `${permitReads}\n// ${round}`)),
        await propose(publish(at, `${permitAll}\n// ${round}`)),
      ];
      const closed = await Promise.all([confirm(at, one), confirm(at, other, third)]);
      expect(closed.map(({ state }) => state).toSorted()).toEqual(['confirmed', 'outdated']);
      expect((await revisionOf(at)).revision).toBe(revision + 1);
    }
  });

  it('returns the confirmed change to a retry, and applies nothing again', async () => {
    const at = await organization('policies');
    const id = await propose(publish(at, permitReads));
    await confirm(at, id);
    const published = await revisionOf(at);
    expect(await confirm(at, id)).toMatchObject({ state: 'confirmed' });
    expect(await revisionOf(at)).toEqual(published);
  });

  it('applies nothing if the commit of the confirmation fails, and can be confirmed again', async () => {
    const at = await organization('policies');
    const before = await revisionOf(at);
    const id = await propose(publish(at, permitReads));
    const policies = at.get(PoliciesService);
    let isBroken = true;
    policies.onPublished(async () => {
      if (isBroken) throw new Error('the process was killed');
    });
    await expect(confirm(at, id)).rejects.toThrow('the process was killed');
    expect(await revisionOf(at)).toEqual(before);
    isBroken = false;
    expect(await confirm(at, id)).toMatchObject({ state: 'confirmed' });
  });
});

describe('an administrator', () => {
  it('has a limited number of open proposed changes', async () => {
    const at = await organization('policies');
    const id = await propose(publish(at, permitReads));
    await asOwner(
      `insert into proposed_changes
       select (jsonb_populate_record(change, jsonb_build_object('id', gen_random_uuid()))).*
       from proposed_changes change, generate_series(1, 99) where change.id = $1`,
      [id],
    );
    await expect(publish(at, permitAll)).rejects.toMatchObject({ code: 'conflict' });
    await changesOf(at).withdraw(await at.principalOf(), id);
    await propose(publish(at, permitAll));
  });
});

describe('the second administrator', () => {
  it('is not the one who proposed the change, and not one whom they introduced', async () => {
    const at = await organization('policies');
    const puppet = await createInvitedMember(at, at.organization.admin, 'Pia Puppet');
    const id = await propose(publish(at, permitReads));
    const refused = { code: 'confirmation-not-independent' };
    await expect(confirm(at, id, at.organization.admin)).rejects.toMatchObject(refused);
    await expect(confirm(at, id, puppet)).rejects.toMatchObject(refused);
    expect(await changesOf(at).get(await at.principalOf(), id)).toMatchObject({ state: 'open' });
  });

  it('must be an administrator in a session that was confirmed recently, never a token', async () => {
    const at = await organization('policies');
    const id = await propose(publish(at, permitReads));
    const mutation = 'mutation ($input: ProposedChangeInput!) { confirmProposedChange(input: $input) { state } }';
    const member = await at.organization.member();
    expect((await (await at.organization.as(member))(mutation, { input: { id } })).code).toBe('forbidden');
    const stale = await at.organization.as(at.reviewer, { isFresh: false });
    expect((await stale(mutation, { input: { id } })).code).toBe('reauthentication-required');
    const { token } = await at
      .get(AdminTokensService)
      .create(await at.principalOf(at.reviewer), { name: 'Terraform', expiresAt: new Date(Date.now() + 3_600_000) });
    const withToken = at.organization.withToken(token);
    expect((await withToken(mutation, { input: { id } })).code).toBeTruthy();
    expect((await withToken('{ proposedChanges { totalCount } }')).code).toBeTruthy();
    expect((await revisionOf(at)).text).not.toBe(permitReads);
  });

  it('cannot confirm after being demoted', async () => {
    const at = await organization('policies');
    const third = await at.organization.member({ name: 'Theo Third', roles: ['admin'] });
    const id = await propose(publish(at, permitReads));
    const principal = await at.principalOf(third);
    await at.get(MembersService).setRoles(await at.principalOf(at.reviewer), third.id, ['member']);
    await expect(changesOf(at).confirm(principal, id)).rejects.toMatchObject({ code: 'forbidden' });
  });

  it('finds the change outdated after the proposer was demoted or suspended', async () => {
    const at = await organization('policies');
    const third = await at.organization.member({ name: 'Theo Third', roles: ['admin'] });
    const id = await propose(publish(at, permitReads, third));
    await at.get(MembersService).setRoles(await at.principalOf(at.reviewer), third.id, ['member']);
    expect(await confirm(at, id)).toMatchObject({ state: 'outdated', decidedBy: null });
    expect((await revisionOf(at)).text).not.toBe(permitReads);
  });

  it('finds the change outdated if the proposer was demoted and promoted again, or invited again', async () => {
    const at = await organization('policies');
    const rita = () => at.principalOf(at.reviewer);
    const third = await at.organization.member({ name: 'Theo Third', roles: ['admin'] });
    const id = await propose(publish(at, permitReads, third));
    for (const roles of [['member'], ['admin']] as const)
      await at.get(MembersService).setRoles(await rita(), third.id, roles);
    expect(await confirm(at, id)).toMatchObject({ state: 'outdated' });
    const later = await propose(publish(at, permitAll, third));
    await at.get(MemberStatusService).remove(await rita(), third.id);
    await at.get(MembersService).create(at.organization.system, { ...third, roles: ['admin'], groupIds: [] });
    expect(await confirm(at, later)).toMatchObject({ state: 'outdated' });
  });

  it('confirms before or after a concurrent demotion of the proposer, never in between', async () => {
    const at = await organization('policies');
    const third = await at.organization.member({ name: 'Theo Third', roles: ['admin'] });
    for (let round = 0; round < 5; round++) {
      const text = `${permitReads}\n// ${round}`;
      const id = await propose(publish(at, text, third));
      const demote = async () =>
        at.get(MembersService).setRoles(await at.principalOf(at.reviewer), third.id, ['member']);
      const [confirmed] = await Promise.all([confirm(at, id), demote()]);
      expect((await revisionOf(at)).text === text).toBe(confirmed.state === 'confirmed');
      expect(['confirmed', 'outdated']).toContain(confirmed.state);
      await at.get(MembersService).setRoles(await at.principalOf(at.reviewer), third.id, ['admin']);
    }
  });

  it('can decline with a reason, and the proposer can withdraw', async () => {
    const at = await organization('policies');
    const [declined, withdrawn] = [await propose(publish(at, permitReads)), await propose(publish(at, permitAll))];
    const [ada, rita] = [await at.principalOf(), await at.principalOf(at.reviewer)];
    const changes = changesOf(at);
    await expect(changes.decline(ada, declined, 'No.')).rejects.toMatchObject({ code: 'forbidden' });
    await expect(changes.withdraw(rita, withdrawn)).rejects.toMatchObject({ code: 'forbidden' });
    expect(await changes.decline(rita, declined, 'Too wide.')).toMatchObject({
      state: 'declined',
      decisionNote: 'Too wide.',
    });
    expect(await changes.withdraw(ada, withdrawn)).toMatchObject({ state: 'withdrawn' });
    for (const id of [declined, withdrawn])
      await expect(confirm(at, id)).rejects.toMatchObject({ code: 'proposed-change-closed' });
  });

  it('reads a reason that the proposer adds once', async () => {
    const at = await organization('policies');
    const id = await propose(publish(at, permitReads));
    const changes = changesOf(at);
    await expect(changes.explain(await at.principalOf(at.reviewer), id, 'x')).rejects.toMatchObject({
      code: 'forbidden',
    });
    expect(await changes.explain(await at.principalOf(), id, 'Read only.')).toMatchObject({ reason: 'Read only.' });
    await expect(changes.explain(await at.principalOf(), id, 'Other.')).rejects.toMatchObject({
      code: 'proposed-change-closed',
    });
  });

  it('cannot confirm a change that has expired, and its input is erased', async () => {
    const at = await organization('policies');
    const id = await propose(publish(at, permitReads));
    // the app's role may not change the time
    await asOwner(`update proposed_changes set expires_at = now() - interval '1 second' where id = $1`, [id]);
    await expect(confirm(at, id)).rejects.toMatchObject({ code: 'proposed-change-closed' });
    await changesOf(at).expire();
    expect(await inDatabase(at, 'select state, input from proposed_changes where id = $1', [id])).toEqual([
      { state: 'expired', input: null },
    ]);
  });
});

describe('each kind of administration', () => {
  it('confirms roles', async () => {
    const at = await organization('roles');
    const member = await at.organization.member();
    const members = at.get(MembersService);
    const id = await propose(members.setRoles(await at.principalOf(), member.id, ['admin']));
    expect((await members.get(at.organization.system, member.id)).roles).toEqual(['member']);
    await confirm(at, id);
    expect((await members.get(at.organization.system, member.id)).roles).toContain('admin');
    await expect(
      at.get(InvitationsService).invite(await at.principalOf(), { email: 'x@people.example', roles: ['admin'] }),
    ).rejects.toMatchObject({ code: 'second-administrator-required' });
  });

  it('does not grant the roles of an invitation that is older than the setting', async () => {
    const at = await organization();
    const invitations = at.get(InvitationsService);
    const email = 'early@people.example';
    const { url } = await invitations.invite(await at.principalOf(), { email, roles: ['admin'] });
    await at.get(TwoPersonAdministrationService).set(await at.principalOf(), 'roles', true);
    const token = new URL(url).searchParams.get('link');
    const { session } = await invitations.accept(token, { name: 'Early', password: 'a long enough phrase 42' });
    const { roles } = await at.get(MembersService).get(at.organization.system, session.memberId);
    expect(roles).toEqual(['member']);
  });

  it('confirms approval steps and the members of their groups, but not of other groups', async () => {
    const at = await organization('approval_steps', 'approver_groups');
    const groups = at.get(GroupsService);
    const [legal, readers] = [
      await groups.create(await at.principalOf(), 'Legal'),
      await groups.create(await at.principalOf(), 'Readers'),
    ];
    const member = await at.organization.member();
    await groups.addMember(await at.principalOf(), legal.id, member.id);
    const step = { name: 'legal', tier: 'review' as const, quorum: 1, position: 1, expiresAfterSeconds: 3600 };
    const steps = at.get(ApprovalStepChangesService);
    const id = await propose(steps.save(await at.principalOf(), { ...step, approverGroupId: legal.id }));
    await confirm(at, id);
    const grant = await propose(
      steps.save(await at.principalOf(), { ...step, approverGroupId: legal.id, allowsEdit: true, taskGrantMaxUses: 5 }),
    );
    expect((await changesOf(at).get(await at.principalOf(at.reviewer), grant)).fields).toEqual([
      { label: 'Arguments can be edited', before: 'No', after: 'Yes' },
      { label: 'Further calls in the same task', before: 'None', after: 'Up to 5' },
    ]);
    const passkey = await propose(
      steps.save(await at.principalOf(), { ...step, approverGroupId: legal.id, requiresPasskey: true }),
    );
    expect((await changesOf(at).get(await at.principalOf(at.reviewer), passkey)).fields).toEqual([
      { label: 'Requires a passkey', before: 'No', after: 'Yes' },
    ]);
    const other = await at.organization.member({ name: 'Olga Other' });
    await groups.addMember(await at.principalOf(), readers.id, other.id);
    const addition = await propose(groups.addMember(await at.principalOf(), legal.id, other.id));
    await propose(groups.removeMember(await at.principalOf(), legal.id, member.id));
    await confirm(at, addition);
    expect((await at.get(MembersService).get(at.organization.system, other.id)).groups.map(({ name }) => name)).toEqual(
      ['Legal', 'Readers'],
    );
    await expect(
      at.get(InvitationsService).invite(await at.principalOf(), { email: 'y@people.example', groupIds: [legal.id] }),
    ).rejects.toMatchObject({ code: 'second-administrator-required' });
  });

  it('shows the members of a group that would approve, and is outdated if one joined since', async () => {
    const at = await organization('approval_steps', 'approver_groups');
    const groups = at.get(GroupsService);
    const { id: approverGroupId } = await groups.create(await at.principalOf(), 'Legal');
    const lea = await at.organization.member({ name: 'Lea Legal' });
    await groups.addMember(await at.principalOf(), approverGroupId, lea.id);
    const step = { name: 'legal', tier: 'review' as const, quorum: 1, position: 1, expiresAfterSeconds: 3600 };
    const save = async () =>
      propose(at.get(ApprovalStepChangesService).save(await at.principalOf(), { ...step, approverGroupId }));
    const id = await save();
    expect((await changesOf(at).get(await at.principalOf(at.reviewer), id)).fields).toContainEqual({
      label: 'Approver group',
      before: null,
      after: `Legal\nLea Legal (${lea.email})`,
    });
    const pia = await at.organization.member({ name: 'Pia Puppet' });
    // nobody has to confirm this, because the group does not approve yet
    await groups.addMember(await at.principalOf(), approverGroupId, pia.id);
    expect(await confirm(at, id)).toMatchObject({ state: 'outdated' });
    expect(await confirm(at, await save())).toMatchObject({ state: 'confirmed' });
  });

  it('confirms another group of approvers of a step, also if steps as such need no second administrator', async () => {
    const at = await organization('approver_groups');
    const { id: approverGroupId } = await at.get(GroupsService).create(await at.principalOf(), 'Legal');
    const step = { name: 'legal', tier: 'review' as const, quorum: 1, position: 1, expiresAfterSeconds: 3600 };
    const steps = at.get(ApprovalStepChangesService);
    await confirm(at, await propose(steps.save(await at.principalOf(), { ...step, approverGroupId })));
    await propose(steps.save(await at.principalOf(), { ...step, approverGroupId: null }));
    await propose(
      steps.save(await at.principalOf(), {
        ...step,
        approverGroupId,
        escalatesAfterSeconds: 60,
        escalationGroupId: null,
      }),
    );
    expect(await steps.save(await at.principalOf(), { ...step, approverGroupId, quorum: 2 })).toMatchObject({
      quorum: 2,
    });
  });

  it('confirms substitutes that an administrator names for others, but not those that members name', async () => {
    const at = await organization('approver_groups');
    const substitutions = at.getInternal(SubstitutionsService);
    const [otto, sam] = [await at.organization.member({ name: 'Otto' }), await at.organization.member({ name: 'Sam' })];
    const period = { startsAt: new Date(), endsAt: new Date(Date.now() + 86_400_000) };
    const input = { memberId: otto.id, substituteId: sam.id, ...period };
    const id = await propose(substitutions.create(await at.principalOf(), input));
    const list = async () => substitutions.list(await at.principalOf(otto));
    expect(await list()).toEqual([]);
    await confirm(at, id);
    expect(await list()).toMatchObject([{ substituteId: sam.id, createdBy: at.organization.admin.id }]);
    await substitutions.create(await at.principalOf(otto), { substituteId: at.reviewer.id, ...period });
    expect(await list()).toHaveLength(2);
  });

  it('confirms that a suspended member gets roles and groups back, and records both administrators', async () => {
    const at = await organization('roles', 'approver_groups', 'break_glass');
    const statuses = at.get(MemberStatusService);
    const sid = await at.organization.member({ name: 'Sid Suspended', roles: ['admin'] });
    const plain = await at.organization.member();
    for (const { id } of [sid, plain]) await statuses.suspend(await at.principalOf(), id);
    const statusOf = async ({ id }: Member) => (await at.get(MembersService).get(at.organization.system, id)).status;
    await statuses.reactivate(await at.principalOf(), plain.id);
    expect(await statusOf(plain)).toBe('active');
    const id = await propose(statuses.reactivate(await at.principalOf(), sid.id));
    expect(await statusOf(sid)).toBe('suspended');
    expect((await changesOf(at).get(await at.principalOf(at.reviewer), id)).fields).toEqual([
      { label: `Status of Sid Suspended (${sid.email})`, before: 'Suspended', after: 'Active' },
      { label: 'Restored rights', before: null, after: 'Roles: Administrator, Member' },
    ]);
    await confirm(at, id);
    expect(await statusOf(sid)).toBe('active');
    const by = await inDatabase<{ by: string }>(
      at,
      `select made_by as by from introductions where member_id = $1 and kind = 'reactivation'`,
      [sid.id],
    );
    expect(by.map((row) => row.by).toSorted()).toEqual([at.organization.admin.id, at.reviewer.id].toSorted());
  });

  it('confirms that a suspended member gets break-glass rights back', async () => {
    const at = await organization();
    const bea = await at.organization.member({ name: 'Bea Break' });
    await at.get(BreakGlassRightsService).grant(await at.principalOf(), bea.id);
    await at.get(TwoPersonAdministrationService).set(await at.principalOf(), 'break_glass', true);
    const statuses = at.get(MemberStatusService);
    await statuses.suspend(await at.principalOf(), bea.id);
    await propose(statuses.reactivate(await at.principalOf(), bea.id));
  });

  it('confirms the effects of tools', async () => {
    const at = await organization('tool_effects');
    const tools = at.get(ToolsService);
    const find = async () =>
      (await tools.listOf(await at.principalOf(), at.connectionId)).find(
        ({ upstreamName }) => upstreamName === 'create_ticket',
      )!;
    const tool = await find();
    const id = await propose(tools.confirm(await at.principalOf(), tool.id, 'read', tool.definitionHash));
    expect((await find()).confirmedAt).toBeNull();
    await confirm(at, id);
    expect(await find()).toMatchObject({ effect: 'read', confirmedBy: at.reviewer.id });
  });

  it('confirms sign-in providers, and counts both administrators among those who configured them', async () => {
    const at = await organization('sign_in_providers');
    const provider = await OidcProvider.start();
    const providers = at.get(SignInProvidersService);
    const list = async () => providers.list(await at.principalOf());
    const clientSecret = 'a secret of the provider';
    const input = {
      name: 'Lark',
      issuer: provider.issuer,
      clientId: 'countersign',
      clientSecret,
      createsMembers: true,
    };
    const id = await propose(
      providers.create(await at.principalOf(), { ...input, emailDomains: ['people.example'], groupIds: [] }),
    );
    expect(await list()).toEqual([]);
    const change = await changesOf(at).get(await at.principalOf(at.reviewer), id);
    expect(JSON.stringify(change)).not.toContain(clientSecret);
    expect(change.fields).toContainEqual({ label: 'Client secret', before: null, after: 'Set' });
    await confirm(at, id);
    const [created] = await list();
    expect(created).toMatchObject({ name: 'Lark', createdBy: at.organization.admin.id });
    const configured = await inDatabase<{ by: string }>(
      at,
      'select changed_by as by from sign_in_provider_changes where issuer = $1',
      [provider.issuer],
    );
    expect(configured.map(({ by }) => by).toSorted()).toEqual([at.organization.admin.id, at.reviewer.id].toSorted());

    const other = { providerId: created.id, emailDomains: ['other.example'] };
    const rename = await propose(
      providers.update(await at.principalOf(), { providerId: created.id, name: 'Larkmoor' }),
    );
    await confirm(at, await propose(providers.update(await at.principalOf(), other)));
    // the name was proposed for other domains
    expect(await confirm(at, rename)).toMatchObject({ state: 'outdated' });
    await confirm(at, await propose(providers.remove(await at.principalOf(), created.id)));
    expect(await list()).toEqual([]);
    await provider.close();
  });

  it('confirms new targets of integrations, whose credentials are never shown', async () => {
    const at = await organization('connection_targets');
    const connections = at.get(ConnectionsService);
    const { revision } = await connections.get(await at.principalOf(), at.connectionId);
    await connections.update(await at.principalOf(), { id: at.connectionId, revision, name: 'Office' });
    const settings = { url: workplace.url.replace('127.0.0.1', 'localhost') };
    const secrets = { token: 'top-secret-token' };
    const id = await propose(
      connections.update(await at.principalOf(), { id: at.connectionId, revision, settings, secrets }),
    );
    const change = await changesOf(at).get(await at.principalOf(at.reviewer), id);
    expect(change.fields.map(({ label }) => label)).toEqual(['url', 'Credentials', 'Credential token']);
    expect(JSON.stringify(change)).not.toContain(secrets.token);
    const stored = await inDatabase<{ text: string }>(at, `select c::text as text from proposed_changes c`, []);
    expect(stored.map(({ text }) => text).join()).not.toContain(secrets.token);
    await confirm(at, id);
    expect((await connections.get(await at.principalOf(), at.connectionId)).settings).toMatchObject(settings);
    const url = `${workplace.url}?api_key=a-key-in-the-query`;
    const input = { kind: 'mcp', name: 'Other', slug: 'other', settings: { url }, secrets: {} };
    const creation = await propose(connections.create(await at.principalOf(), input));
    const { fields } = await changesOf(at).get(await at.principalOf(at.reviewer), creation);
    expect(fields).toContainEqual({ label: 'url', before: null, after: `${workplace.url} (with api_key)` });
    expect(JSON.stringify(fields)).not.toContain('a-key-in-the-query');
    expect(await connections.findBySlug(await at.principalOf(), 'other')).toBeNull();
  });
});

describe('the setting', () => {
  it('is enabled by one administrator and disabled by two', async () => {
    const at = await organization('roles');
    const settings = at.get(TwoPersonAdministrationService);
    const isEnabled = async () =>
      (await settings.get(await at.principalOf())).areas.find(({ area }) => area === 'roles')!.isEnabled;
    const id = await propose(settings.set(await at.principalOf(), 'roles', false));
    expect(await isEnabled()).toBe(true);
    await confirm(at, id);
    expect(await isEnabled()).toBe(false);
  });

  it('says whether an independent second administrator exists', async () => {
    const alone = await GateFixture.create(server, workplace, { isAlone: true });
    const settings = alone.get(TwoPersonAdministrationService);
    const query = async () => settings.get(await alone.principalOf());
    expect(await query()).toMatchObject({ administratorCount: 1, hasSecondAdministrator: false });
    await createInvitedMember(alone, alone.organization.admin, 'Pia Puppet');
    expect(await query()).toMatchObject({ administratorCount: 2, hasSecondAdministrator: false });
    await alone.organization.member({ name: 'Theo Third', roles: ['admin'] });
    expect(await query()).toMatchObject({ administratorCount: 3, hasSecondAdministrator: true });
  });
});
