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
import { unitKey } from '../people/units/unit-name.port.js';
import type { Tx } from '../platform/database/tx.js';
import { conflict } from '../platform/errors/general.error.js';
import { PoliciesService } from '../policies/policies.service.js';
import type { Principal } from '../principal/principal.js';
import { SpendBudget } from '../spend/budgets/budget.entity.js';
import { documentName, keyOf, nameKey, objectKinds } from './documents.js';
import type { OrganizationState, StoredDocument } from './organization-state.js';
import {
  budgetDocument,
  byText,
  clientDocument,
  configurationDocument,
  connectionDocument,
  groupDocument,
  policyDocument,
  stepDocument,
  type StoredNames,
  membersNamedIn,
  isId,
} from './stored-documents.js';

export interface StateSelection {
  /** Keys of the names of groups whose members are listed; "all" for an export with members. */
  membersOf?: ReadonlySet<string> | 'all';
  /** Email addresses and ids of members that documents mention. */
  members?: readonly string[];
}

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
    { membersOf, members: mentioned = [] }: StateSelection = {},
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
    const listed = groups.filter(({ name }) => membersOf === 'all' || membersOf?.has(nameKey(name)));
    const joined = listed.length
      ? await tx.findBy(GroupMember, { tenantId, groupId: In(listed.map(({ id }) => id)) })
      : [];
    const joinedByGroup = Map.groupBy(joined, ({ groupId }) => groupId);
    const listedIds = new Set(listed.map(({ id }) => id));
    const members = await loadMembers(tx, tenantId, [
      ...joined.map(({ memberId }) => memberId),
      ...policies.flatMap(({ text }) => membersNamedIn(text)),
      ...mentioned,
    ]);

    const names: StoredNames = {
      groups: namesById(groups),
      slugs: new Map(connections.map(({ id, slug }) => [id, slug])),
      configurations: namesById(bundles.map(({ configuration }) => configuration)),
      agents: namesById(agents),
      members: new Map(members.map(({ id, email }) => [id, email])),
      units: namesById(units),
    };
    const memberIdsOf = ({ id }: Group) =>
      listedIds.has(id) ? (joinedByGroup.get(id) ?? []).map(({ memberId }) => memberId) : null;
    const found: StoredDocument[] = [
      ...groups.map((stored) => ({ stored, document: groupDocument(stored, memberIdsOf(stored), names) })),
      ...connections.map((stored, nth) => {
        const idSettings = this.connectionPlans.configurationSettings(stored.kind);
        return { stored, document: connectionDocument(stored, secrets[nth], idSettings, names) };
      }),
      ...bundles.map((stored) => ({ stored, document: configurationDocument(stored, names) })),
      ...steps.map((stored) => ({ stored, document: stepDocument(stored, names) })),
      ...policies.map((stored) => ({ stored, document: policyDocument(stored, names) })),
      ...clients.map((stored) => ({ stored, document: clientDocument(stored, names) })),
      ...budgets.flatMap((stored) =>
        stored.scope === 'person' ? [] : [{ stored, document: budgetDocument(stored, stored.scope, names) }],
      ),
    ];
    refuseLookalikes(found.map(({ document }) => [document.kind, documentName(document), keyOf(document)]));
    refuseLookalikes(agents.map(({ name, configurationId: of }) => ['agent', name, `${of} ${nameKey(name)}`]));
    return {
      objects: new Map(found.toSorted(inOrder).map((one) => [keyOf(one.document), one])),
      names,
      ids: {
        groups: idsByName(groups),
        connections: new Map(connections.map(({ id, slug }) => [slug, id])),
        configurations: idsByName(bundles.map(({ configuration }) => configuration)),
        units: new Map(units.map(({ id, kind, name }) => [`${kind} ${unitKey(name)}`, id])),
        agents: new Map(agents.map(({ id, configurationId, name }) => [`${configurationId} ${nameKey(name)}`, id])),
        members: new Map(members.map(({ id, email }) => [email.toLowerCase(), id])),
      },
    };
  }
}

/** `named`: ids and email addresses. */
async function loadMembers(tx: Tx, tenantId: string, named: readonly string[]): Promise<Member[]> {
  if (!named.length) return [];
  const [ids, emails] = [named.filter(isId), named.filter((name) => !isId(name)).map((email) => email.toLowerCase())];
  const found = await tx.find(Member, {
    where: [
      { tenantId, id: In([...new Set(ids)]) },
      { tenantId, email: In([...new Set(emails)]) },
    ],
  });
  return found.filter(({ status }) => status !== 'removed');
}

/** The database accepts two names that look the same. A document could mean either, because it contains no ids. */
function refuseLookalikes(objects: readonly (readonly [kind: string, name: string, key: string])[]): void {
  const names = new Map<string, string>();
  for (const [kind, name, key] of objects) {
    const other = names.get(key);
    if (other !== undefined)
      throw conflict(`Files cannot tell the ${kind} "${other}" from the ${kind} "${name}". Rename one of them first.`);
    names.set(key, name);
  }
}

const inOrder = (a: StoredDocument, b: StoredDocument): number =>
  objectKinds.indexOf(a.document.kind) - objectKinds.indexOf(b.document.kind) ||
  byText(keyOf(a.document), keyOf(b.document));

const namesById = (rows: readonly { id: string; name: string }[]) => new Map(rows.map(({ id, name }) => [id, name]));
const idsByName = (rows: readonly { id: string; name: string }[]) =>
  new Map(rows.map(({ id, name }) => [nameKey(name), id]));
