import {
  type GraphQLInputType,
  type GraphQLOutputType,
  type GraphQLSchema,
  buildSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
} from 'graphql';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GateFixture } from './kit/gate-fixture.js';
import { type TestServer, testServer } from './kit/server.js';
import { Workplace } from './kit/workplace.js';

/*
 * Every mutation of the schema is classified here. A new one fails this test until it is decided whether an admin token
 * may run it; until then the server rejects admin tokens for it.
 */

/** Mutations that require a session. */
const inSession = `
  addGroupMember approveEstateEntry approveEstateServers updatePassword confirmPassword confirmTool confirmTools createA2aKey createAuditStream
  createAdminToken createAgentWithKey createConnection createGroup createNotificationChannel createOauthClient createPasswordReset
  createSignInProvider createTenantKey decideApproval editCall enableOauthClient endOtherSessions endSession endSubstitution nameSubstitute
  proposeIntroducedReviewers publishPolicy reactivateMember registerAssistant releaseEstateDevice removeConnection removeGroup removeGroupMember
  removeAuditStream skipAuditStreamEvent removeMember removeNotificationChannel removePasskey removePassword removeSignInProvider renameGroup
  renameMember renamePasskey renameTenant regenerateSpendPseudonyms resendNotification requireSecondFactor resumeA2aKey resumeAgent
  resumeConfiguration resumeConnection resumeTenant resumeTool retryAuditStream retryEstateFile retryQuarantinedDocument retryQuarantinedJob
  retryQuarantinedTask revealA2aKey rotateA2aKey rotateOauthClientSecret saveApprovalStep setAuditStreamPaused setMemberRoles setSpendView
  resolveToolCall startPolicyShadow stopPolicyShadow linkSlackAccount requestApprovalPasskey removeSlackAppToken requestSlackLink setSlackAppToken setSlackDecisions unlinkSlackAccount
  setConnectionResultRules setToolResultRules revokeTaskGrant revokeOwnDevice addProposedPermit dismissPermitProposal recordApprovalView confirmProposedChange
  declineProposedChange explainProposedChange grantBreakGlassRight overrideApproval reviewOverride revokeBreakGlassRight setSpendPseudonymsShown
  submitTask updateNotificationPreferences unlinkIdentity updateConnection updateOauthClient updateSignInProvider vouchForMember
  setSecondFactorPreference setTwoPersonAdministration withdrawIntroducedReviewers withdrawProposedChange assignSourceAccount resetSourceAccount revealWebhookToken`;

/** Mutations that also accept an admin token. */
const byToken = `
  addSpendAlias applyOrganization importSpendPeople cancelTask updateSpendBudget updateSpendPerson createAgent createConfiguration createSpendBudget
  createSpendPerson createSpendUnit deleteDocument disableOauthClient discardPolicyDraft dismissEstateFindings
  removeEstateDevice ignoreSpendIdentities inviteMember scanEstateFolder matchSpendIdentities mergeSpendPeople
  pauseA2aKey pauseAgent pauseConfiguration pauseConnection pauseTenant pauseTool syncSpend removeSpendAlias removeSpendBudget
  removeSpendPerson removeSpendUnit renameSpendUnit reopenEstateFindings reopenSpendIdentities restoreSpendPerson revokeA2aKey
  revokeAdminToken revokeDevice revokeLink revokeOauthClient revokeOauthClientSecret revokeOauthGrant revokeOauthGrants revokeTenantKey
  savePolicyDraft suspendMember syncKnowledgeSource unmatchSpendIdentities updateAgent updateConfiguration verifyConnection
  revokeEstateApproval`;

const words = (text: string) => text.trim().split(/\s+/);
const schema: GraphQLSchema = buildSchema(readFileSync('schema.graphql', 'utf8'));
const mutations = schema.getMutationType()!.getFields();

type Ask = Awaited<ReturnType<GateFixture['organization']['as']>>;
let server: TestServer;
let workplace: Workplace;
let fixture: GateFixture;
let session: Ask;
let token: Ask;
let tokenId: string;
beforeAll(async () => {
  server = await testServer();
  workplace = await Workplace.start();
  fixture = await GateFixture.create(server, workplace);
  session = await fixture.organization.as(fixture.organization.admin);
  const expiresAt = new Date(Date.now() + 24 * 60 * 60 * 1000).toISOString();
  const { data } = await session(
    `mutation { createAdminToken(input: { name: "automation", expiresAt: "${expiresAt}" }) { token adminToken { id } } }`,
  );
  token = fixture.organization.withToken(data.createAdminToken.token);
  tokenId = data.createAdminToken.adminToken.id;
});
afterAll(async () => {
  await server.close();
  await workplace.stop();
});

describe('every mutation', () => {
  it('is classified as requiring a session or accepting an admin token', () => {
    expect([...words(inSession), ...words(byToken)].toSorted()).toEqual(Object.keys(mutations).toSorted());
  });

  it.each(words(inSession))('%s needs a session', async (name) => {
    const { code } = await run(name);
    expect(['session-required', 'unauthenticated']).toContain(code);
  });

  // pausing the organization would make all following mutations fail
  it.each(words(byToken).filter((name) => !['pauseTenant', 'revokeAdminToken'].includes(name)))(
    '%s accepts an admin token',
    async (name) => {
      const { code } = await run(name);
      expect(['session-required', 'unauthenticated', 'forbidden', 'internal-error']).not.toContain(code);
    },
  );
});

describe('an admin token', () => {
  const nobody = '018f0000-0000-7000-8000-000000000000';
  const mutate = (name: string, type: string, input: object) =>
    token(`mutation ($input: ${type}!) { ${name}(input: $input) { __typename } }`, { input });

  it('cannot suspend administrators, auditors, analysts and members of groups', async () => {
    const { organization } = fixture;
    const groups = await organization.as(organization.admin);
    const approvers = await groups('mutation { createGroup(input: { name: "Approvers" }) { id } }');
    const inGroup = await organization.member();
    await groups(
      `mutation { addGroupMember(input: { groupId: "${approvers.data.createGroup.id}", memberId: "${inGroup.id}" }) { id } }`,
    );
    const people = [
      inGroup,
      await organization.member({ roles: ['admin'] }),
      await organization.member({ roles: ['auditor'] }),
      await organization.member({ roles: ['analyst'] }),
    ];
    for (const { id: memberId } of people)
      expect((await mutate('suspendMember', 'MemberInput', { memberId })).code).toBe('session-required');
    const plain = await organization.member();
    expect((await mutate('suspendMember', 'MemberInput', { memberId: plain.id })).code).toBeUndefined();
  });

  it.each([
    ['a model', { modelConnectionId: nobody }],
    ['no model', { modelConnectionId: null }],
    ['other connections', { connectionIds: [] }],
    ['other groups', { groupIds: [] }],
  ])('cannot give a configuration %s', async (_, change) => {
    const input = { configurationId: fixture.configurationId, ...change };
    expect((await mutate('updateConfiguration', 'UpdateConfigurationInput', input)).code).toBe('session-required');
  });

  it.each([
    ['a model', { modelConnectionId: nobody, connectionIds: [], groupIds: [] }],
    ['connections', { connectionIds: [nobody], groupIds: [] }],
    ['groups', { connectionIds: [], groupIds: [nobody] }],
  ])('cannot create a configuration with %s', async (_, parts) => {
    const input = { name: 'Reach', description: '', ...parts };
    expect((await mutate('createConfiguration', 'CreateConfigurationInput', input)).code).toBe('session-required');
  });

  it('cannot invite members with a role or group, and cannot revoke other tokens', async () => {
    const email = 'new@lark.example';
    for (const more of [{ roles: ['admin'] }, { groupIds: [nobody] }])
      expect((await mutate('inviteMember', 'InviteMemberInput', { email, ...more })).code).toBe('session-required');
    expect((await mutate('revokeAdminToken', 'RevokeAdminTokenInput', { adminTokenId: nobody })).code).toBe(
      'session-required',
    );
    expect((await mutate('revokeAdminToken', 'RevokeAdminTokenInput', { adminTokenId: tokenId })).code).toBe(undefined);
  });
});

/** Sends arbitrary values that the types accept, so that a rejection is due to the caller. */
function run(name: string) {
  const { args, type } = mutations[name];
  const given = args.filter((arg) => isNonNullType(arg.type));
  const variables = Object.fromEntries(given.map((arg) => [arg.name, madeUp(arg.type)]));
  const declared = given.map((arg) => `$${arg.name}: ${arg.type.toString()}`).join(', ');
  const passed = given.map((arg) => `${arg.name}: $${arg.name}`).join(', ');
  const call = passed ? `${name}(${passed})` : name;
  return token(`mutation${declared && ` (${declared})`} { ${call}${selection(type)} }`, variables);
}

const selection = (type: GraphQLOutputType): string => (isLeafType(getNamedType(type)) ? '' : ' { __typename }');

function madeUp(type: GraphQLInputType): unknown {
  if (isNonNullType(type)) return madeUp(type.ofType);
  if (isListType(type)) return [madeUp(type.ofType)];
  if (isEnumType(type)) return type.getValues()[0].name;
  if (isInputObjectType(type))
    return Object.fromEntries(
      Object.values(type.getFields())
        .filter((field) => isNonNullType(field.type) && field.defaultValue === undefined)
        .map((field) => [field.name, madeUp(field.type)]),
    );
  switch (type.name) {
    case 'ID':
      return '018f0000-0000-7000-8000-000000000000';
    case 'Int':
    case 'Float':
      return 1;
    case 'Boolean':
      return true;
    case 'DateTime':
      return '2030-01-01T00:00:00.000Z';
    case 'JSONObject':
    case 'JsonObject':
      return {};
    default:
      return '1';
  }
}
