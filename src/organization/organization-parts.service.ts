import { Injectable } from '@nestjs/common';
import { GroupsService } from '../access/groups.service.js';
import { ConfigurationsService } from '../configurations/configurations.service.js';
import { ConnectionPlansService } from '../connections/connection-plans.service.js';
import { ConnectionsService } from '../connections/connections.service.js';
import type { Tx } from '../platform/database/tx.js';
import type { Principal } from '../principal/principal.js';
import { type ApplicationContext, secretsOf, storedOf } from './application-context.js';
import { type DocumentOf, nameKey } from './documents.js';
import type { PlannedChange } from './organization-plan.js';
import type { OrganizationNames, StoredObjects } from './organization-state.js';

/** Creates and changes groups, connections and configurations. */
@Injectable()
export class OrganizationPartsService {
  constructor(
    private readonly groups: GroupsService,
    private readonly connections: ConnectionsService,
    private readonly connectionPlans: ConnectionPlansService,
    private readonly configurations: ConfigurationsService,
  ) {}

  async saveGroup(
    tx: Tx,
    principal: Principal,
    { name, members }: DocumentOf<'group'>,
    stored: StoredObjects['group'] | undefined,
    { ids }: ApplicationContext,
  ): Promise<void> {
    if (stored && stored.name !== name) await this.groups.renameIn(tx, principal, stored.id, name);
    const { id: groupId } = stored ?? (await this.groups.createIn(tx, principal, name));
    ids.groups.set(nameKey(name), groupId);
    if (!members) return;
    const wanted = new Set(members.map((email) => ids.members.get(email)!));
    const joined = new Set(stored ? await this.groups.listMemberIds(tx, principal, groupId) : []);
    for (const memberId of [...wanted].filter((id) => !joined.has(id)))
      await this.groups.setMembershipIn(tx, principal, { groupId, memberId, isMember: true });
    for (const memberId of [...joined].filter((id) => !wanted.has(id)))
      await this.groups.setMembershipIn(tx, principal, { groupId, memberId, isMember: false });
  }

  async saveConnection(
    tx: Tx,
    principal: Principal,
    document: DocumentOf<'connection'>,
    change: PlannedChange,
    context: ApplicationContext,
  ): Promise<void> {
    const stored = storedOf(change, 'connection');
    const secrets = secretsOf(change, context.secrets);
    const settings = this.settingsOf(document, context.ids);
    const { name: slug, displayName, connector: kind, resultRules } = document;
    if (!stored) {
      const input = { kind, name: displayName!, slug, settings, secrets };
      const probe = context.probes.get(slug);
      const created = probe
        ? await this.connectionPlans.createIn(tx, principal, input, probe)
        : await this.connections.createIn(tx, principal, input);
      if (!probe) context.unverified.push(created.id);
      context.ids.connections.set(slug, created.id);
      if (resultRules !== undefined) await this.connections.setResultRulesIn(tx, principal, created.id, resultRules);
      return;
    }
    const { id, revision } = stored;
    if (change.fields.some(({ path }) => !path.startsWith('resultRules'))) {
      const removed = Object.keys(stored.settings).filter((name) => !(name in settings));
      const changed = { ...Object.fromEntries(removed.map((name) => [name, null])), ...settings };
      const { isRevised } = await this.connections.updateIn(tx, principal, {
        id,
        revision,
        name: displayName,
        settings: changed,
        secrets,
      });
      if (isRevised) context.unverified.push(id);
    }
    if (resultRules !== undefined) await this.connections.setResultRulesIn(tx, principal, id, resultRules);
  }

  /** With the ids of configurations instead of their names. */
  settingsOf({ connector, settings }: DocumentOf<'connection'>, { configurations }: OrganizationNames) {
    const named = this.connectionPlans.configurationSettings(connector);
    return Object.fromEntries(
      Object.entries(settings).map(([name, value]) => [
        name,
        named.includes(name) ? (configurations.get(nameKey(String(value))) ?? value) : value,
      ]),
    );
  }

  async saveConfiguration(
    tx: Tx,
    principal: Principal,
    document: DocumentOf<'configuration'>,
    stored: StoredObjects['configuration'] | undefined,
    { ids }: ApplicationContext,
  ): Promise<void> {
    const { name, description, unprefixed } = document;
    const parts = {
      connectionIds: document.connections.map((slug) => ids.connections.get(slug)!),
      groupIds: document.groups.map((group) => ids.groups.get(nameKey(group))!),
      modelConnectionId: document.model === null ? null : ids.connections.get(document.model)!,
    };
    const configurationId = stored?.configuration.id ?? ids.configurations.get(nameKey(name));
    if (!configurationId) {
      const { id } = await this.configurations.createIn(tx, principal, { name, description, unprefixed, ...parts });
      ids.configurations.set(nameKey(name), id);
      return;
    }
    const revision = stored?.configuration.revision;
    await this.configurations.updateIn(tx, principal, {
      configurationId,
      revision,
      name,
      description,
      unprefixed,
      ...parts,
    });
  }

  /** Creates configurations that new connections refer to, at first without their own connections. */
  async createReferenced(
    tx: Tx,
    principal: Principal,
    changes: readonly PlannedChange[],
    { ids }: ApplicationContext,
  ): Promise<void> {
    const referenced = changes.flatMap(({ wanted }) =>
      wanted?.kind === 'connection'
        ? this.connectionPlans
            .configurationSettings(wanted.connector)
            .map((name) => nameKey(String(wanted.settings[name])))
        : [],
    );
    for (const { wanted, current } of changes) {
      if (wanted?.kind !== 'configuration' || current || !referenced.includes(nameKey(wanted.name))) continue;
      const { name, description } = wanted;
      const created = { name, description, connectionIds: [], groupIds: [] };
      const { id } = await this.configurations.createIn(tx, principal, created);
      ids.configurations.set(nameKey(name), id);
    }
  }
}
