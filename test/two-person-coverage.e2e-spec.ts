import { buildSchema, getNamedType, isLeafType } from 'graphql';
import { glob, readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allAdministrationAreas } from '../src/access/administration/administration-area.js';
import { ChangeKindRegistry } from '../src/access/administration/change-kind-registry.service.js';
import { ProposedChangesService } from '../src/access/administration/proposed-changes.service.js';
import { TwoPersonAdministrationService } from '../src/access/administration/two-person-administration.service.js';
import { GroupsService } from '../src/access/groups.service.js';
import type { Member } from '../src/access/member.entity.js';
import { SignInProvidersService } from '../src/access/providers/sign-in-providers.service.js';
import { ApprovalStepChangesService } from '../src/approvals/approval-step-changes.service.js';
import { ConnectionsService } from '../src/connections/connections.service.js';
import type { Tool } from '../src/connections/tool.entity.js';
import { ToolsService } from '../src/connections/tools.service.js';
import { GateFixture } from './kit/gate-fixture.js';
import { OidcProvider } from './kit/oidc-provider.js';
import type { GraphqlRequest } from './kit/organization.js';
import { type TestServer, testServer } from './kit/server.js';
import { Workplace } from './kit/workplace.js';

/*
 * Everything that one administrator must not do alone while a second one is required. A new mutation, and a new
 * statement that writes rules of administration, fails these tests until it is decided whether it belongs here.
 */

/** Mutations that propose the change, with the kind of the proposed change. */
const proposing = {
  addGroupMember: 'group.set_membership',
  applyOrganization: 'organization.apply',
  removeGroupMember: 'group.set_membership',
  confirmTool: 'tool.confirm',
  confirmTools: 'tool.confirm',
  createConnection: 'connection.create',
  updateConnection: 'connection.update',
  createSignInProvider: 'sign_in_provider.create',
  updateSignInProvider: 'sign_in_provider.update',
  removeSignInProvider: 'sign_in_provider.remove',
  grantBreakGlassRight: 'break_glass.grant',
  nameSubstitute: 'substitution.create',
  proposeIntroducedReviewers: 'introduced_reviewers.enable',
  publishPolicy: 'policy.publish',
  reactivateMember: 'member.reactivate',
  saveApprovalStep: 'approval_step.save',
  setMemberRoles: 'member.set_roles',
  setTwoPersonAdministration: 'two_person.disable',
};

/** Mutations that fail with `second-administrator-required` where they would grant roles or groups that approve. */
const refusing = 'inviteMember';

/** Decisions on proposed changes, and mutations that only take rights away or make the rules stricter. */
const restricting = `
  confirmProposedChange declineProposedChange explainProposedChange withdrawProposedChange endSubstitution removeMember
  revokeBreakGlassRight revokeLink suspendMember withdrawIntroducedReviewers removeConnection removeGroup`;

/** Mutations that change none of the rules that a second administrator confirms. */
const unrelated = `
  addProposedPermit addSpendAlias assignSourceAccount resetSourceAccount revealWebhookToken approveEstateEntry approveEstateServers cancelTask confirmPassword createA2aKey
  createAdminToken createAgent createAgentWithKey createAuditStream createConfiguration createGroup
  createNotificationChannel createOauthClient createPasswordReset createSpendBudget createSpendPerson createSpendUnit
  createTenantKey decideApproval deleteDocument disableOauthClient discardPolicyDraft dismissEstateFindings
  dismissPermitProposal editCall enableOauthClient endOtherSessions endSession ignoreSpendIdentities importSpendPeople
  linkSlackAccount matchSpendIdentities mergeSpendPeople overrideApproval pauseA2aKey pauseAgent pauseConfiguration
  pauseConnection pauseTenant pauseTool recordApprovalView regenerateSpendPseudonyms registerAssistant
  releaseEstateDevice removeAuditStream removeEstateDevice removeNotificationChannel removePasskey removePassword
  removeSlackAppToken removeSpendAlias removeSpendBudget removeSpendPerson removeSpendUnit renameGroup renameMember
  renamePasskey
  renameSpendUnit renameTenant reopenEstateFindings reopenSpendIdentities requestApprovalPasskey requestSlackLink
  requireSecondFactor resendNotification resolveToolCall restoreSpendPerson resumeA2aKey resumeAgent
  resumeConfiguration resumeConnection resumeTenant resumeTool retryAuditStream retryEstateFile
  retryQuarantinedDocument retryQuarantinedJob retryQuarantinedTask revealA2aKey reviewOverride revokeA2aKey
  revokeAdminToken revokeDevice revokeEstateApproval revokeOauthClient revokeOauthClientSecret revokeOauthGrant
  revokeOauthGrants revokeOwnDevice
  revokeTaskGrant revokeTenantKey rotateA2aKey rotateOauthClientSecret savePolicyDraft scanEstateFolder
  setAuditStreamPaused setConnectionResultRules setSecondFactorPreference setSlackAppToken setSlackDecisions
  setSpendPseudonymsShown
  setSpendView setToolResultRules skipAuditStreamEvent startPolicyShadow stopPolicyShadow submitTask
  syncKnowledgeSource syncSpend unlinkIdentity unlinkSlackAccount unmatchSpendIdentities updateAgent
  updateConfiguration updateNotificationPreferences updateOauthClient updatePassword updateSpendBudget
  updateSpendPerson verifyConnection vouchForMember`;

const words = (text: string) => text.trim().split(/\s+/);
const schema = buildSchema(await readFile('schema.graphql', 'utf8'));
const mutations = schema.getMutationType()!.getFields();

describe('the lists in this file', () => {
  it('contain every mutation', () => {
    const classified = [...Object.keys(proposing), refusing, ...words(restricting), ...words(unrelated)];
    expect(classified.toSorted()).toEqual(Object.keys(mutations).toSorted());
  });

  it('contain every file that writes rules of administration', async () => {
    const found: Record<string, string[]> = {};
    for await (const path of glob('src/**/*.ts')) {
      if (path.includes('/migrations/') || path.endsWith('.spec.ts')) continue;
      const tables = writtenTables(await readFile(path, 'utf8'));
      if (tables.length) found[path.replace(/^src\//, '')] = tables;
    }
    expect(found).toEqual(writers);
  });
});

/** Tables and entities with the rules, and the files that write them. */
const protectedTables = [
  ['members', 'Member'],
  ['group_members', 'GroupMember'],
  ['approval_steps', 'ApprovalStep'],
  ['sign_in_providers', 'SignInProvider'],
  ['sign_in_provider_groups'],
  ['break_glass_rights', 'BreakGlassRight'],
  ['policy_revisions', 'PolicyRevision'],
  ['substitutions', 'Substitution'],
  ['tools', 'Tool'],
  ['connections', 'Connection'],
  ['two_person_areas', 'TwoPersonArea'],
  ['introduced_reviewers', 'IntroducedReviewers'],
  ['proposed_changes', 'ProposedChange'],
];
const writers: Record<string, string[]> = {
  'access/administration/introduced-reviewers.service.ts': ['introduced_reviewers'],
  'access/administration/proposed-change-store.service.ts': ['proposed_changes'],
  'access/administration/two-person-administration.service.ts': ['two_person_areas'],
  'access/groups.service.ts': ['group_members'],
  'access/member-reactivation.service.ts': ['members'],
  'access/member-status.service.ts': ['members', 'group_members'],
  'access/members.service.ts': ['members'],
  'access/members.sql.ts': ['group_members'], // for MembershipsService, used by groups and invitations
  'access/memberships.service.ts': ['members'], // new members: InvitationsService checks their roles and groups
  'access/passwords.service.ts': ['members'], // only the password
  'access/providers/sign-in-providers.service.ts': ['sign_in_providers'],
  'access/providers/sign-in-providers.sql.ts': ['sign_in_provider_groups'],
  'access/sign-in-methods.service.ts': ['members'], // only the password and the second factor
  'approvals/approval-steps.service.ts': ['approval_steps'],
  'approvals/break-glass-rights.service.ts': ['break_glass_rights'],
  'approvals/substitutions.service.ts': ['substitutions'],
  'connections/connection-plans.service.ts': ['connections'], // only the status of a new one
  'connections/connections.service.ts': ['connections'],
  'connections/tool-discovery.service.ts': ['tools'], // what a server offers: new and changed tools are not confirmed
  'connections/tools.service.ts': ['tools'],
  'connections/tools.sql.ts': ['tools'], // only whether a server offers them
  'operator/forget-credentials.command.ts': ['sign_in_providers', 'connections'],
  'policies/policies.service.ts': ['policy_revisions'],
};

/** Methods of a transaction with an entity or with a variable of this name, and statements in SQL. */
function writtenTables(source: string): string[] {
  return protectedTables.flatMap(([table, entity]) => {
    const variable = entity && entity[0].toLowerCase() + entity.slice(1);
    const method =
      entity &&
      `\\b(tx|own)\\.(insert|update|upsert|delete|save|remove|softDelete)\\(\\s*(${entity}|${variable})\\s*[,)]`;
    const statement = `(insert into|update|delete from)\\s+${table}\\b(?!\\.)`;
    return new RegExp(method ? `${method}|${statement}` : statement).test(source) ? [table] : [];
  });
}

describe('with a second administrator required for everything, one administrator alone', () => {
  let server: TestServer;
  let workplace: Workplace;
  let provider: OidcProvider;
  let at: GateFixture;
  let ask: GraphqlRequest;
  let approvers: string;
  let approver: Member;
  let other: Member;
  let suspended: Member;
  let tool: Tool;
  let providerId: string;

  beforeAll(async () => {
    [server, workplace, provider] = await Promise.all([testServer(), Workplace.start(), OidcProvider.start()]);
    at = await GateFixture.create(server, workplace);
    const { organization } = at;
    const ada = await at.principalOf();
    const groups = at.get(GroupsService);
    const { id } = await groups.create(ada, 'Legal');
    [approvers, approver, other, suspended] = [
      id,
      await organization.member({ name: 'Lea Legal' }),
      await organization.member({ name: 'Olga Other' }),
      await organization.member({ name: 'Sid Suspended', roles: ['admin'] }),
    ];
    await groups.addMember(ada, approvers, approver.id);
    await at
      .get(ApprovalStepChangesService)
      .save(ada, { ...step, approverGroupId: approvers, tier: 'review' as const });
    await at.suspend(suspended);
    tool = (await at.get(ToolsService).listOf(ada, at.connectionId)).find(
      ({ upstreamName }) => upstreamName === 'create_ticket',
    )!;
    const clientSecret = 'a secret of the provider';
    const created = { name: 'Lark', issuer: provider.issuer, clientId: 'countersign', clientSecret };
    providerId = (
      await at
        .get(SignInProvidersService)
        .create(ada, { ...created, createsMembers: true, emailDomains: ['people.example'], groupIds: [] })
    ).id;
    for (const area of allAdministrationAreas) await at.get(TwoPersonAdministrationService).set(ada, area, true);
    ask = await organization.as();
  });
  afterAll(async () => {
    await provider.close();
    await server.close();
    await workplace.stop();
  });

  const step = { name: 'legal', tier: 'review', quorum: 1, position: 1, expiresAfterSeconds: 3600 };
  const inputs: Record<keyof typeof proposing, () => object | null | Promise<object>> = {
    addGroupMember: () => ({ groupId: approvers, memberId: other.id }),
    applyOrganization: async () => {
      const text = 'permit (principal, action, resource);';
      const documents = JSON.stringify([{ kind: 'policy', configuration: 'Desk', text }]);
      const { data } = await ask(
        'query ($input: PlanOrganizationInput!) { organizationPlan(input: $input) { hash } }',
        { input: { documents } },
      );
      return { documents, hash: data.organizationPlan.hash };
    },
    removeGroupMember: () => ({ groupId: approvers, memberId: approver.id }),
    confirmTool: () => ({ id: tool.id, effect: 'read', definitionHash: tool.definitionHash }),
    confirmTools: () => ({ tools: [{ id: tool.id, effect: 'read', definitionHash: tool.definitionHash }] }),
    createConnection: () => ({ kind: 'mcp', name: 'Other', slug: 'other', settings: { url: workplace.url } }),
    updateConnection: async () => {
      const { id, revision } = await at.get(ConnectionsService).get(await at.principalOf(), at.connectionId);
      return { id, revision, settings: { url: workplace.url.replace('127.0.0.1', 'localhost') } };
    },
    createSignInProvider: () => ({
      name: 'Second',
      issuer: provider.issuer,
      clientId: 'countersign',
      clientSecret: 'a secret of the provider',
      createsMembers: true,
      emailDomains: ['other.example'],
    }),
    updateSignInProvider: () => ({ providerId, emailDomains: ['other.example'] }),
    removeSignInProvider: () => ({ providerId }),
    grantBreakGlassRight: () => ({ memberId: other.id }),
    nameSubstitute: () => ({ memberId: approver.id, substituteId: other.id, startsAt: hours(1), endsAt: hours(2) }),
    proposeIntroducedReviewers: () => null,
    publishPolicy: () => ({ configurationId: at.configurationId, text: 'permit (principal, action, resource);' }),
    reactivateMember: () => ({ memberId: suspended.id }),
    saveApprovalStep: () => ({ ...step, approverGroupId: null }),
    setMemberRoles: () => ({ memberId: other.id, roles: ['admin'] }),
    setTwoPersonAdministration: () => ({ area: 'roles', isEnabled: false }),
  };

  it.each(Object.keys(proposing) as (keyof typeof proposing)[])('only proposes with %s', async (name) => {
    const { errors, code } = await run(name, await inputs[name]());
    expect({ code, errors }).toMatchObject({ code: 'change-proposed' });
    const id = String(errors![0].extensions.proposedChangeId);
    const change = await at.get(ProposedChangesService).get(await at.principalOf(at.reviewer), id);
    expect(change).toMatchObject({ kind: proposing[name], state: 'open' });
  });

  it.each([
    ['roles', () => ({ email: 'new@people.example', roles: ['admin'] })],
    ['groups that approve', () => ({ email: 'new@people.example', groupIds: [approvers] })],
  ])('cannot invite with %s', async (_, input) => {
    expect((await run('inviteMember', input())).code).toBe('second-administrator-required');
  });

  it('only proposes on the page of a tool', async () => {
    const browser = await at.organization.browser();
    const response = await browser.submit(`/tools/${tool.id}`, { effect: 'read' });
    expect(await response.text()).toContain('It takes effect when a second administrator confirms it.');
    expect((await at.get(ToolsService).get(await at.principalOf(), tool.id)).confirmedAt).toBeNull();
  });

  it('has a test for every kind of change', () => {
    const kinds = at.getInternal(ChangeKindRegistry).list();
    expect(kinds.map(({ kind }) => kind).toSorted()).toEqual([...new Set(Object.values(proposing))].toSorted());
  });

  function run(name: string, input: object | null) {
    const { args, type } = mutations[name];
    const selection = isLeafType(getNamedType(type)) ? '' : ' { __typename }';
    return input
      ? ask(`mutation ($input: ${args[0].type.toString()}) { ${name}(input: $input)${selection} }`, { input })
      : ask(`mutation { ${name}${selection} }`);
  }
});

const hours = (count: number) => new Date(Date.now() + count * 3_600_000).toISOString();
