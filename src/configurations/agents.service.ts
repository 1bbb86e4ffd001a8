import { Injectable, type OnModuleInit } from '@nestjs/common';
import { In, IsNull } from 'typeorm';
import { MemberRemovalHookRegistry } from '../access/member-removal-hook-registry.service.js';
import { AccessChangeNotifier } from '../access/independence/access-change-notifier.service.js';
import { MembersService } from '../access/members.service.js';
import { requireSession } from '../access/sessions.service.js';
import { AuditService } from '../audit/audit.service.js';
import { newId } from '../platform/crypto/ids.js';
import { DatabaseService } from '../platform/database/database.service.js';
import type { Tx } from '../platform/database/tx.js';
import { invalidRequest } from '../platform/errors/general.error.js';
import { groupedBy } from '../platform/graphql/request-loader.js';
import type { Principal } from '../principal/principal.js';
import { AgentIdentity } from './agent-identity.entity.js';
import type { CreateAgentInput, UpdateAgentInput } from './agent.input.js';
import { agentNotFound, configurationNotFound } from './configurations.error.js';
import { ConfigurationsService } from './configurations.service.js';
import { freeName, refuseTakenName } from './taken-name.js';

/** Manages agent identities, the named callers of configurations, and their responsible members. */
@Injectable()
export class AgentsService implements OnModuleInit {
  constructor(
    private readonly database: DatabaseService,
    private readonly audit: AuditService,
    private readonly members: MembersService,
    private readonly configurations: ConfigurationsService,
    private readonly memberRemovalHookRegistry: MemberRemovalHookRegistry,
    private readonly changes: AccessChangeNotifier,
  ) {}

  onModuleInit(): void {
    this.memberRemovalHookRegistry.register((tx, principal, memberId) => this.pauseAllOf(tx, principal, memberId));
  }

  /** Agent identities of each configuration, in the order of the ids, by name. */
  listOf(principal: Principal, configurationIds: readonly string[]): Promise<AgentIdentity[][]> {
    const { tenantId } = principal;
    return this.database.tenant(principal, async (tx) => {
      const agents = await tx.find(AgentIdentity, {
        where: { tenantId, configurationId: In(configurationIds) },
        order: { name: 'asc' },
      });
      return groupedBy(configurationIds, agents, ({ configurationId }) => configurationId);
    });
  }

  get(principal: Principal, id: string): Promise<AgentIdentity> {
    return this.database.tenant(principal, (tx) => this.getIn(tx, principal, id));
  }

  async getIn(tx: Tx, { tenantId }: Principal, id: string): Promise<AgentIdentity> {
    const agent = await tx.findOneBy(AgentIdentity, { tenantId, id });
    if (!agent) throw unknownAgent();
    return agent;
  }

  async create(
    principal: Principal,
    { configurationId, name, responsibleMemberId }: CreateAgentInput,
  ): Promise<AgentIdentity> {
    const isAnother = responsibleMemberId && responsibleMemberId !== principal.memberId;
    if (isAnother && principal.kind !== 'system') requireSession(principal);
    const responsible = responsibleMemberId ?? principal.memberId ?? '';
    return this.database.tenant(principal, async (tx) => {
      if (!(await this.configurations.findBundle(tx, principal.tenantId, configurationId)))
        throw configurationNotFound('The configuration does not exist.');
      return this.add(tx, principal, { configurationId, name: name.trim(), responsibleMemberId: responsible });
    });
  }

  /** Named after its configuration, with a number if another identity has this name. The caller is responsible. */
  async createNamedAfter(tx: Tx, principal: Principal, configurationId: string): Promise<AgentIdentity> {
    const { tenantId, memberId = '' } = principal;
    // serializes concurrent requests, which would choose the same name
    const { name } = await this.configurations.lock(tx, principal, configurationId);
    const agents = await tx.find(AgentIdentity, { where: { tenantId, configurationId }, select: { name: true } });
    const taken = agents.map((agent) => agent.name);
    return this.add(tx, principal, { configurationId, name: freeName(name, taken), responsibleMemberId: memberId });
  }

  private async add(
    tx: Tx,
    principal: Principal,
    values: Pick<AgentIdentity, 'configurationId' | 'name' | 'responsibleMemberId'>,
  ): Promise<AgentIdentity> {
    const { configurationId, responsibleMemberId } = values;
    await this.refuseInactive(tx, principal, responsibleMemberId);
    const row = { tenantId: principal.tenantId, id: newId(), ...values, pausedAt: null, createdAt: new Date() };
    await refuseTakenName(tx.insert(AgentIdentity, row), row.name);
    await this.record(tx, principal, 'agent.created', row, { configurationId, responsibleMemberId });
    return tx.create(AgentIdentity, row);
  }

  /** A token cannot change the responsible member, because that changes who may approve. */
  async update(principal: Principal, { agentId: id, ...input }: UpdateAgentInput): Promise<AgentIdentity> {
    if (input.responsibleMemberId) requireSession(principal);
    return this.change(principal, id, async (tx, agent) => {
      const change = {
        name: input.name?.trim() ?? agent.name,
        responsibleMemberId: input.responsibleMemberId ?? agent.responsibleMemberId,
      };
      if (input.responsibleMemberId) await this.refuseInactive(tx, principal, input.responsibleMemberId);
      await refuseTakenName(tx.update(AgentIdentity, { tenantId: agent.tenantId, id }, change), change.name);
      await this.record(tx, principal, 'agent.updated', agent, { ...input });
      if (input.responsibleMemberId) await this.changes.publish(tx, agent.tenantId);
      return change;
    });
  }

  pause(principal: Principal, id: string): Promise<AgentIdentity> {
    return this.setPaused(principal, id, new Date());
  }

  async resume(principal: Principal, id: string): Promise<AgentIdentity> {
    requireSession(principal);
    return this.setPaused(principal, id, null);
  }

  /** Pauses the agents of a removed member. Assigning a new responsible member alone does not resume them. */
  private async pauseAllOf(tx: Tx, principal: Principal, memberId: string): Promise<void> {
    const { tenantId } = principal;
    const agents = await tx.findBy(AgentIdentity, { tenantId, responsibleMemberId: memberId, pausedAt: IsNull() });
    for (const agent of agents) {
      await tx.update(AgentIdentity, { tenantId, id: agent.id }, { pausedAt: new Date() });
      await this.record(tx, principal, 'agent.paused', agent, { because: 'the responsible member was removed' });
    }
  }

  private setPaused(principal: Principal, id: string, pausedAt: Date | null): Promise<AgentIdentity> {
    return this.change(principal, id, async (tx, agent) => {
      if (!agent.pausedAt === !pausedAt) return {};
      await tx.update(AgentIdentity, { tenantId: agent.tenantId, id }, { pausedAt });
      await this.record(tx, principal, pausedAt ? 'agent.paused' : 'agent.resumed', agent);
      return { pausedAt };
    });
  }

  private change(
    principal: Principal,
    id: string,
    apply: (tx: Tx, agent: AgentIdentity) => Promise<Partial<AgentIdentity>>,
  ): Promise<AgentIdentity> {
    const { tenantId } = principal;
    return this.database.tenant(principal, async (tx) => {
      const agent = await tx.findOne(AgentIdentity, { where: { tenantId, id }, lock: { mode: 'pessimistic_write' } });
      if (!agent) throw unknownAgent();
      return Object.assign(agent, await apply(tx, agent));
    });
  }

  private async refuseInactive(tx: Tx, principal: Principal, memberId: string): Promise<void> {
    if (memberId && (await this.members.isActive(principal, memberId, tx))) return;
    const errors = [{ pointer: '/responsibleMemberId', detail: 'is not an active member' }];
    throw invalidRequest('The member responsible for an agent must be active.', { errors });
  }

  private record(
    tx: Tx,
    principal: Principal,
    kind: string,
    { id, name }: { id: string; name: string },
    detail: Record<string, unknown> = {},
  ): Promise<void> {
    return this.audit.record(tx, principal, { kind, subject: { type: 'agent', id, name }, detail });
  }
}

const unknownAgent = () => agentNotFound('The agent identity does not exist.');
