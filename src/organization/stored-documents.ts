import type { Group } from '../access/group.entity.js';
import type { ApprovalStep } from '../approvals/approval-step.entity.js';
import type { ConfigurationBundle } from '../configurations/configurations.service.js';
import type { Connection } from '../connections/connection.entity.js';
import type { OauthClient } from '../oauth/client.entity.js';
import { namedEntitiesOf, type NamedEntity, replaceNamedEntities } from '../policies/entity-names.port.js';
import type { PolicyRevision } from '../policies/policy-revision.entity.js';
import type { SpendBudget } from '../spend/budgets/budget.entity.js';
import type { DocumentOf } from './documents.js';

/* What is stored, as documents: with names instead of ids, lists sorted, and every field set. */

/** Names by id. */
export interface StoredNames {
  groups: ReadonlyMap<string, string>;
  slugs: ReadonlyMap<string, string>;
  configurations: ReadonlyMap<string, string>;
  agents: ReadonlyMap<string, string>;
  members: ReadonlyMap<string, string>;
  units: ReadonlyMap<string, string>;
}

export const isId = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);

export const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const nameOf = (names: ReadonlyMap<string, string>, id: string | null) => names.get(id ?? '') ?? null;
const namesOf = (names: ReadonlyMap<string, string>, ids: readonly string[]) =>
  ids.flatMap((id) => names.get(id) ?? []).sort(byText);

/** `memberIds`: null if the members are not asked for. */
export const groupDocument = (
  { name }: Group,
  memberIds: readonly string[] | null,
  names: StoredNames,
): DocumentOf<'group'> => ({
  kind: 'group',
  name,
  ...(memberIds && { members: namesOf(names.members, memberIds) }),
});

/** `configurationSettings`: those that hold the id of a configuration. */
export const connectionDocument = (
  { slug, name, kind, settings, resultRules }: Connection,
  secrets: readonly string[],
  configurationSettings: readonly string[],
  names: StoredNames,
): DocumentOf<'connection'> => ({
  kind: 'connection',
  name: slug,
  displayName: name,
  connector: kind,
  settings: Object.fromEntries(
    Object.entries(settings)
      .toSorted(([one], [other]) => byText(one, other))
      .map(([field, value]) => [
        field,
        configurationSettings.includes(field) ? (names.configurations.get(String(value)) ?? value) : value,
      ]),
  ) as DocumentOf<'connection'>['settings'],
  secrets: Object.fromEntries(
    secrets.toSorted(byText).map((secret) => [secret, { fromEnvironment: variableOf(slug, secret) }]),
  ),
  resultRules: resultRules && { ...resultRules },
});

/** "SECRET_TICKETS_TOKEN" */
const variableOf = (slug: string, secret: string): string =>
  `secret_${slug}_${secret}`.replace(/[^A-Za-z0-9]+/g, '_').toUpperCase();

export const configurationDocument = (
  { configuration, connectionIds, groupIds }: ConfigurationBundle,
  names: StoredNames,
): DocumentOf<'configuration'> => ({
  kind: 'configuration',
  name: configuration.name,
  description: configuration.description,
  connections: namesOf(names.slugs, connectionIds),
  groups: namesOf(names.groups, groupIds),
  model: nameOf(names.slugs, configuration.modelConnectionId),
  unprefixed: configuration.unprefixed,
});

export const stepDocument = (step: ApprovalStep, names: StoredNames): DocumentOf<'approval-step'> => ({
  kind: 'approval-step',
  name: step.name,
  tier: step.tier,
  approvers: nameOf(names.groups, step.approverGroupId),
  quorum: step.quorum,
  position: step.position,
  expiresAfterSeconds: step.expiresAfterSeconds,
  escalation:
    step.escalatesAfterSeconds === null
      ? null
      : { afterSeconds: step.escalatesAfterSeconds, approvers: nameOf(names.groups, step.escalationGroupId) },
  decidableInSlack: step.decidableInSlack,
  requiresPasskey: step.requiresPasskey,
  allowsEdit: step.allowsEdit,
  taskGrantMaxUses: step.taskGrantMaxUses,
});

export const policyDocument = (
  { configurationId, text }: PolicyRevision,
  names: StoredNames,
): DocumentOf<'policy'> => ({
  kind: 'policy',
  configuration: names.configurations.get(configurationId)!,
  text: replaceNamedEntities(text, (entity) => entityName(entity, names)),
});

/** The name of an entity that a policy names by its id. A name in the form of an id would be ambiguous, so the id stays. */
export function entityName({ type, id }: NamedEntity, { groups, agents, members }: StoredNames): string | undefined {
  const name = { Group: groups, Agent: agents, Member: members }[type].get(id);
  return name === undefined || isId(name) ? undefined : name;
}

export const membersNamedIn = (policy: string): string[] =>
  policy.includes('Member') ? namedEntitiesOf(policy).flatMap(({ type, id }) => (type === 'Member' ? [id] : [])) : [];

export const clientDocument = (client: OauthClient, names: StoredNames): DocumentOf<'client'> => ({
  kind: 'client',
  name: client.name,
  description: client.description,
  logoUrl: client.logoUrl,
  type: client.type,
  isNative: client.isNative,
  redirectUris: client.redirectUris,
  target: client.target,
  configuration: nameOf(names.configurations, client.configurationId),
  scopes: client.scopes,
  authMethod: client.authMethod,
  contacts: client.contacts,
});

export const budgetDocument = (
  { unitId, counts, amountCents, thresholds }: SpendBudget,
  scope: DocumentOf<'budget'>['scope'],
  names: StoredNames,
): DocumentOf<'budget'> => ({
  kind: 'budget',
  scope,
  of: nameOf(names.units, unitId),
  counts,
  amountCents: plainDecimal(amountCents),
  thresholds,
});

/** PostgreSQL keeps the zeros at the end of a numeric. */
export const plainDecimal = (text: string): string => (text.includes('.') ? text.replace(/\.?0+$/, '') : text);
