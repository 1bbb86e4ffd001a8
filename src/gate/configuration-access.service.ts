import { Injectable } from '@nestjs/common';
import { CredentialRevalidationService } from '../access/credential-revalidation.service.js';
import { MembersService } from '../access/members.service.js';
import { ConfigurationsService } from '../configurations/configurations.service.js';
import { DatabaseService } from '../platform/database/database.service.js';
import { TransactionCache } from '../platform/database/transaction-cache.js';
import type { Tx } from '../platform/database/tx.js';
import type { Principal } from '../principal/principal.js';
import { callerKey, type Delegator, findDelegator } from './caller.js';
import { catchRefusal, Refusal } from './refusal.js';

/** What a principal can access through a configuration. */
export interface ConfigurationAccess {
  configurationId: string;
  connectionIds: string[];
  /** A member's own groups. For an agent, the groups of the configuration that every delegator has, too. */
  readerGroups: string[];
  /** The chain of configurations that delegated the task, starting with the first. */
  delegators: ConfigurationAccess[];
}

/** Resolves what a principal can access through a configuration, by current facts. */
@Injectable()
export class ConfigurationAccessService {
  constructor(
    private readonly database: DatabaseService,
    private readonly credentialRevalidation: CredentialRevalidationService,
    private readonly members: MembersService,
    private readonly configurations: ConfigurationsService,
  ) {}

  /** Throws a Refusal if the principal cannot use the configuration now: suspended, revoked, paused or not theirs. */
  resolve(cache: TransactionCache, principal: Principal, configurationId: string): Promise<ConfigurationAccess> {
    return cache.getOrLoad(['entry', configurationId, callerKey(principal)], (tx) =>
      this.load(tx, principal, configurationId),
    );
  }

  /** Why the principal has no access, as a sentence. Null: they have access, or access is only paused. */
  async findDenialReason(principal: Principal, configurationId: string): Promise<string | null> {
    const access = await this.database.tenant(principal, (tx) =>
      this.load(tx, principal, configurationId).catch(catchRefusal),
    );
    return access instanceof Refusal && access.code !== 'paused' ? access.reason : null;
  }

  private async load(tx: Tx, principal: Principal, configurationId: string): Promise<ConfigurationAccess> {
    const delegating = findDelegator(principal);
    const delegators = delegating ? await this.loadDelegators(tx, delegating, configurationId) : [];
    const [stop, bundle, own] = await Promise.all([
      this.credentialRevalidation.revalidate(principal, tx),
      this.configurations.findBundle(tx, principal.tenantId, configurationId),
      this.listGroups(tx, principal),
    ]);
    if (stop) throw new Refusal(stop.isPause ? 'paused' : 'not-permitted', `Not permitted: ${stop.reason}.`);
    const isBoundElsewhere = principal.configurationId !== undefined && principal.configurationId !== configurationId;
    if (!bundle || isBoundElsewhere) throw new Refusal('not-permitted', 'There is no such configuration.');
    if (bundle.configuration.pausedAt) throw new Refusal('paused', 'The configuration is paused.');
    const { connectionIds, groupIds } = bundle;
    // an agent reads what its configuration can read, a member what their own groups can read
    if (own && !own.some((id) => groupIds.includes(id)))
      throw new Refusal('not-permitted', 'There is no such configuration.');
    const delegator = delegators.at(-1);
    // a delegated agent reads only what its delegator can read, too
    const readable = delegator ? groupIds.filter((id) => delegator.readerGroups.includes(id)) : groupIds;
    return { configurationId, connectionIds, readerGroups: own ?? readable, delegators };
  }

  /** The principal also needs access to the delegating configuration, which must still delegate to this one. */
  private async loadDelegators(
    tx: Tx,
    { id, name, principal }: Delegator,
    configurationId: string,
  ): Promise<ConfigurationAccess[]> {
    const access = await this.load(tx, principal, id);
    const delegation = await this.configurations.findDelegation(tx, principal.tenantId, id, configurationId);
    if (!delegation) throw new Refusal('not-permitted', `"${name}" no longer delegates tasks to this configuration.`);
    if (delegation.isPaused) throw new Refusal('paused', `The connection that "${name}" delegates with is paused.`);
    return [...access.delegators, access];
  }

  /** Null for an agent, which has no groups of its own. */
  private async listGroups(tx: Tx, principal: Principal): Promise<string[] | null> {
    if (principal.kind === 'agent') return null;
    return principal.memberId ? this.members.listGroupIds(principal, principal.memberId, tx) : [];
  }
}
