import { Injectable } from '@nestjs/common';
import { MembersService } from '../access/members.service.js';
import type { A2aKey } from '../configurations/a2a-key.entity.js';
import { AgentsService } from '../configurations/agents.service.js';
import { KeysService } from '../configurations/keys.service.js';
import { DatabaseService } from '../platform/database/database.service.js';
import { invalidRequest } from '../platform/errors/general.error.js';
import { ConfigurationPartsRegistry } from '../policies/configuration-parts-registry.service.js';
import type { Principal } from '../principal/principal.js';
import type { ExplainCallArgs } from './call-explanation.object.js';
import { Refusal } from './refusal.js';

/** Finds the callers of explained calls. */
@Injectable()
export class ExplainedCallersService {
  constructor(
    private readonly database: DatabaseService,
    private readonly configurationPartsRegistry: ConfigurationPartsRegistry,
    private readonly members: MembersService,
    private readonly agents: AgentsService,
    private readonly keys: KeysService,
  ) {}

  /** The caller as the gate would see it. An agent calls with its newest usable key. */
  async find(
    principal: Principal,
    { configurationId, callerKind, callerId, surface }: ExplainCallArgs,
  ): Promise<Principal> {
    const { tenantId } = principal;
    await this.database.tenant(principal, (tx) => this.configurationPartsRegistry.load(tx, tenantId, configurationId));
    const shared = {
      tenantId,
      scopes: ['api:read', 'api:write'] as const,
      permissions: new Set<never>(),
      chain: [],
    };
    if (callerKind === 'member') {
      const { id: memberId, name } = await this.members.get(principal, callerId);
      return { ...shared, kind: 'member', name, memberId, surface: surface ?? 'mcp' };
    }
    const agent = await this.agents.get(principal, callerId);
    if (agent.configurationId !== configurationId)
      throw invalidRequest('The agent belongs to another configuration.', {
        errors: [{ pointer: '/callerId', detail: 'must be an agent of the configuration' }],
      });
    const [keys] = await this.keys.listOf(principal, [agent.id]);
    const keyId = (keys.find(isUsable) ?? keys.at(0))?.id;
    const { id: agentId, name } = agent;
    return { ...shared, kind: 'agent', name, agentId, configurationId, keyId, surface: surface ?? 'a2a' };
  }

  /** Says what the gate conceals from the caller: that a member lacks a group, or an agent a key. */
  async requireAccess(caller: Principal, configurationId: string): Promise<void> {
    const { tenantId, memberId, keyId } = caller;
    if (memberId === undefined) {
      if (keyId === undefined) throw new Refusal('not-permitted', 'The agent has no key, so it cannot call tools.');
      return;
    }
    const own = await this.members.listGroupIds(caller, memberId);
    const { groupIds } = await this.database.tenant(caller, (tx) =>
      this.configurationPartsRegistry.load(tx, tenantId, configurationId),
    );
    if (!own.some((id) => groupIds.includes(id)))
      throw new Refusal('not-permitted', 'The member is in no group that may use this configuration.');
  }
}

const isUsable = ({ revokedAt, pausedAt, expiresAt }: A2aKey): boolean =>
  !revokedAt && !pausedAt && !(expiresAt && expiresAt <= new Date());
