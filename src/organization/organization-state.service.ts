import { Injectable } from '@nestjs/common';
import { In, IsNull } from 'typeorm';
import { Group } from '../access/group.entity.js';
import { GroupMember } from '../access/group-member.entity.js';
import { Member } from '../access/member.entity.js';
import { ApprovalStepsService } from '../approvals/approval-steps.service.js';
import { AgentIdentity } from '../configurations/agent-identity.entity.js';
import { Configuration } from '../configurations/configuration.entity.js';
import { ConfigurationsService } from '../configurations/configurations.service.js';
import { Connection } from '../connections/connection.entity.js';
import { ConnectionPlansService } from '../connections/connection-plans.service.js';
import { ConnectionsService } from '../connections/connections.service.js';
import { OauthClient } from '../oauth/client.entity.js';
import { SpendUnit } from '../people/units/unit.entity.js';
import type { Tx } from '../platform/database/tx.js';
import { namedEntitiesOf, replaceNamedEntities } from '../policies/entity-names.port.js';
import { PoliciesService } from '../policies/policies.service.js';
import type { Principal } from '../principal/principal.js';
import { SpendBudget } from '../spend/budgets/budget.entity.js';
import { objectKinds, keyOf, type OrganizationDocument } from './documents.js';
import type { OrganizationState, StoredDocument } from './organization-state.js';

export interface StateSelection {
  /** Groups whose members are listed, in lower case; "all" for an export with members. */
  membersOf?: ReadonlySet<string> | 'all';
  /** Email addresses that documents mention. */
  emails?: readonly string[];
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Reads the organization as documents. */
@Injectable()
export class OrganizationStateService {
  constructor(
    private readonly connections: ConnectionsService,
    private readonly connectionPlans: ConnectionPlansService,
    private readonly configurations: ConfigurationsService,
    private readonly policies: PoliciesService,
    private readonly steps: ApprovalStepsService,
  ) {}

  async load(
    tx: Tx,
    principal: Principal,
    { membersOf, emails = [] }: StateSelection = {},
  ): Promise<OrganizationState> {
    const { tenantId } = principal;
    const groups = await tx.findBy(Group, { tenantId });
    const connections = await tx.findBy(Connection, { tenantId, removedAt: IsNull() });
    const secrets = await this.connections.credentialsOf(
      principal,
      connections.map(({ id }) => id),
      tx,
    );
    const configurationIds = (
      await tx.find(Configuration, { where: { tenantId }, select: { tenantId: true, id: true } })
    ).map(({ id }) => id);
    const bundles = [...(await this.configurations.findBundles(tx, tenantId, configurationIds)).values()];
    const policies = await this.policies.listCurrent(tx, principal);
    const agents = await tx.findBy(AgentIdentity, { tenantId });
    const units = await tx.findBy(SpendUnit, { tenantId });
    const steps = (await this.steps.listIn(tx, tenantId)).filter(({ changedAt }) => changedAt);
    const clients = await tx.findBy(OauthClient, { tenantId, revokedAt: IsNull() });
    const budgets = await tx.findBy(SpendBudget, { tenantId, personId: IsNull() });
    const listed = groups.filter(({ name }) => membersOf === 'all' || membersOf?.has(name.toLowerCase()));
    const joined = listed.length
      ? await tx.findBy(GroupMember, { tenantId, groupId: In(listed.map(({ id }) => id)) })
      : [];
    const memberIds = [
      ...joined.map(({ memberId }) => memberId),
      ...policies.flatMap(({ text }) =>
        text.includes('Member') ? namedEntitiesOf(text).flatMap(({ type, id }) => (type === 'Member' ? [id] : [])) : [],
      ),
    ].filter((id) => uuid.test(id));
    const members = await loadMembers(tx, tenantId, memberIds, emails);

    const groupNames = namesById(groups);
    const slugs = new Map(connections.map(({ id, slug }) => [id, slug]));
    const configurationNames = namesById(bundles.map(({ configuration }) => configuration));
    const agentNames = namesById(agents);
    const memberEmails = new Map(members.map(({ id, email }) => [id, email]));
    const unitNames = namesById(units);
    const entityNames = { Group: groupNames, Agent: agentNames, Member: memberEmails };
    const named = (names: ReadonlyMap<string, string>, ids: readonly string[]) =>
      ids.flatMap((id) => names.get(id) ?? []).sort(byText);

    const found: StoredDocument[] = [
      ...groups.map((group) => ({
        stored: group,
        document: {
          kind: 'group' as const,
          name: group.name,
          ...(listed.includes(group) && {
            members: named(
              memberEmails,
              joined.filter(({ groupId }) => groupId === group.id).map(({ memberId }) => memberId),
            ),
          }),
        },
      })),
      ...connections.map((connection, nth) => ({
        stored: connection,
        document: {
          kind: 'connection' as const,
          name: connection.slug,
          displayName: connection.name,
          connector: connection.kind,
          settings: this.settingsOf(connection, configurationNames),
          secrets: Object.fromEntries(
            secrets[nth].toSorted(byText).map((name) => [name, { fromEnvironment: variableOf(connection.slug, name) }]),
          ),
          resultRules: connection.resultRules && { ...connection.resultRules },
        },
      })),
      ...bundles.map((bundle) => ({
        stored: bundle,
        document: {
          kind: 'configuration' as const,
          name: bundle.configuration.name,
          description: bundle.configuration.description,
          connections: named(slugs, bundle.connectionIds),
          groups: named(groupNames, bundle.groupIds),
          model: slugs.get(bundle.configuration.modelConnectionId ?? '') ?? null,
          unprefixed: bundle.configuration.unprefixed,
        },
      })),
      ...steps.map((step) => ({
        stored: step,
        document: {
          kind: 'approval-step' as const,
          name: step.name,
          tier: step.tier,
          approvers: groupNames.get(step.approverGroupId ?? '') ?? null,
          quorum: step.quorum,
          position: step.position,
          expiresAfterSeconds: step.expiresAfterSeconds,
          escalation:
            step.escalatesAfterSeconds === null
              ? null
              : {
                  afterSeconds: step.escalatesAfterSeconds,
                  approvers: groupNames.get(step.escalationGroupId ?? '') ?? null,
                },
          decidableInSlack: step.decidableInSlack,
          requiresPasskey: step.requiresPasskey,
          allowsEdit: step.allowsEdit,
          taskGrantMaxUses: step.taskGrantMaxUses,
        },
      })),
      ...policies.flatMap((policy) => {
        const configuration = configurationNames.get(policy.configurationId);
        const text = replaceNamedEntities(policy.text, ({ type, id }) => {
          const name = entityNames[type].get(id);
          return name !== undefined && !uuid.test(name) ? name : undefined;
        });
        return configuration === undefined
          ? []
          : [{ stored: policy, document: { kind: 'policy' as const, configuration, text } }];
      }),
      ...clients.map((client) => ({
        stored: client,
        document: {
          kind: 'client' as const,
          name: client.name,
          description: client.description,
          logoUrl: client.logoUrl,
          type: client.type,
          isNative: client.isNative,
          redirectUris: client.redirectUris,
          target: client.target,
          configuration: configurationNames.get(client.configurationId ?? '') ?? null,
          scopes: client.scopes,
          authMethod: client.authMethod,
          contacts: client.contacts,
        },
      })),
      ...budgets.flatMap((budget) =>
        budget.scope === 'person'
          ? []
          : [
              {
                stored: budget,
                document: {
                  kind: 'budget' as const,
                  scope: budget.scope,
                  of: unitNames.get(budget.unitId ?? '') ?? null,
                  counts: budget.counts,
                  amountCents: plainDecimal(budget.amountCents),
                  thresholds: budget.thresholds,
                },
              },
            ],
      ),
    ];
    return {
      objects: new Map(found.toSorted(inOrder).map((one) => [keyOf(one.document), one])),
      ids: {
        groups: idsByName(groups),
        connections: new Map(connections.map(({ id, slug }) => [slug, id])),
        configurations: idsByName(bundles.map(({ configuration }) => configuration)),
        units: new Map(units.map(({ id, kind, name }) => [`${kind} ${name}`, id])),
        agents: new Map(
          agents.map(({ id, configurationId, name }) => [`${configurationId} ${name.toLowerCase()}`, id]),
        ),
        members: new Map(members.map(({ id, email }) => [email.toLowerCase(), id])),
      },
    };
  }

  private settingsOf({ kind, settings }: Connection, configurationNames: ReadonlyMap<string, string>) {
    const named = this.connectionPlans.configurationSettings(kind);
    return Object.fromEntries(
      Object.entries(settings)
        .toSorted(([a], [b]) => byText(a, b))
        .map(([name, value]) => [
          name,
          named.includes(name) ? (configurationNames.get(String(value)) ?? value) : value,
        ]),
    ) as Extract<OrganizationDocument, { kind: 'connection' }>['settings'];
  }
}

async function loadMembers(tx: Tx, tenantId: string, ids: readonly string[], emails: readonly string[]) {
  if (!ids.length && !emails.length) return [];
  const wanted = emails.map((email) => email.toLowerCase());
  const found = await tx.find(Member, {
    where: [
      { tenantId, id: In([...new Set(ids)]) },
      { tenantId, email: In([...new Set(wanted)]) },
    ],
  });
  return found.filter(({ status }) => status !== 'removed');
}

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
const inOrder = (a: StoredDocument, b: StoredDocument): number =>
  objectKinds.indexOf(a.document.kind) - objectKinds.indexOf(b.document.kind) ||
  byText(keyOf(a.document), keyOf(b.document));

const namesById = (rows: readonly { id: string; name: string }[]) => new Map(rows.map(({ id, name }) => [id, name]));
const idsByName = (rows: readonly { id: string; name: string }[]) =>
  new Map(rows.map(({ id, name }) => [name.toLowerCase(), id]));

/** "SECRET_TICKETS_TOKEN" */
const variableOf = (slug: string, secret: string): string =>
  `secret_${slug}_${secret}`.replace(/[^A-Za-z0-9]+/g, '_').toUpperCase();

/** PostgreSQL keeps the zeros at the end of a numeric. */
export const plainDecimal = (text: string): string => (text.includes('.') ? text.replace(/\.?0+$/, '') : text);
