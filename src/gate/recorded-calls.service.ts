import { setImmediate } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { GroupMember } from '../access/group-member.entity.js';
import { ConfigurationsService } from '../configurations/configurations.service.js';
import { ToolsService } from '../connections/tools.service.js';
import { SealService } from '../platform/crypto/seal.service.js';
import type { Tx } from '../platform/database/tx.js';
import { ConfigurationPartsRegistry } from '../policies/configuration-parts-registry.service.js';
import { PoliciesService } from '../policies/policies.service.js';
import {
  type EvaluatedTool,
  ReplayDecisionsService,
  type ReplayedCall,
  type ReplayedChange,
  toEvaluatedTool,
} from '../policies/replay-decisions.service.js';
import type { Principal } from '../principal/principal.js';
import { listDelegatorIds } from './caller.js';
import { openArguments } from './call-sealing.js';
import type { ReplayGap, UnreplayedCall } from './policy-replay.object.js';
import type { RecordedCall } from './policy-replay.sql.js';

/** Arguments are decrypted in slices, so that other requests run in between. */
const sliceSize = 50;

/** The current facts that recorded calls are evaluated with. */
export interface ReplayFacts {
  /** The text of the published revision. */
  before: string;
  revision: number;
  tools: Map<string, EvaluatedTool>;
  /** The groups with access to the configuration. An agent has all of them that its delegators have, too. */
  groupIds: string[];
  /** The groups with access to the configurations that delegated calls. */
  delegatorGroups: Map<string, string[]>;
  memberGroups: Map<string, string[]>;
}

export interface ReplayResult {
  changes: { call: RecordedCall; change: ReplayedChange }[];
  notEvaluated: UnreplayedCall[];
}

/** Decides recorded calls by the published policies and by another text. */
@Injectable()
export class RecordedCallsService {
  constructor(
    private readonly policies: PoliciesService,
    private readonly tools: ToolsService,
    private readonly configurations: ConfigurationsService,
    private readonly configurationPartsRegistry: ConfigurationPartsRegistry,
    private readonly seal: SealService,
    private readonly replayDecisions: ReplayDecisionsService,
  ) {}

  async loadFacts(
    tx: Tx,
    principal: Principal,
    configurationId: string,
    calls: readonly RecordedCall[],
  ): Promise<ReplayFacts> {
    const { tenantId } = principal;
    const { connectionIds, groupIds } = await this.configurationPartsRegistry.load(tx, tenantId, configurationId);
    const current = await this.policies.findCurrent(tx, tenantId, configurationId);
    const offered = await this.tools.list(principal, { configurationId, connectionIds, tx });
    const memberIds = [...new Set(calls.flatMap(({ caller }) => caller.memberId ?? []))];
    const rows = memberIds.length ? await tx.findBy(GroupMember, { tenantId, memberId: In(memberIds) }) : [];
    const delegatorIds = [...new Set(calls.flatMap(({ caller }) => listDelegatorIds(caller)))];
    const delegators = delegatorIds.length ? await this.configurations.findBundles(tx, tenantId, delegatorIds) : [];
    const memberGroups = new Map(
      [...Map.groupBy(rows, ({ memberId }) => memberId)].map(([id, own]) => [id, own.map(({ groupId }) => groupId)]),
    );
    return {
      before: current?.text ?? '',
      revision: current?.revision ?? 0,
      tools: new Map(offered.map((tool) => [tool.name, toEvaluatedTool(tool)])),
      groupIds,
      delegatorGroups: new Map([...delegators].map(([id, bundle]) => [id, bundle.groupIds])),
      memberGroups,
    };
  }

  /** Needs no transaction: worker processes decide. */
  async replay(
    tenantId: string,
    calls: readonly RecordedCall[],
    facts: ReplayFacts,
    after: string,
  ): Promise<ReplayResult> {
    const { evaluated, notEvaluated } = await this.prepare(calls, facts);
    const changes = await this.replayDecisions.findChanges(tenantId, {
      before: facts.before,
      after,
      tools: [...facts.tools.values()],
      calls: evaluated.map(({ replayed }) => replayed),
    });
    return { changes: changes.map((change) => ({ call: evaluated[change.index].call, change })), notEvaluated };
  }

  /** Separates the calls that can be evaluated. Calls that no policy can permit are omitted. */
  private async prepare(calls: readonly RecordedCall[], facts: ReplayFacts) {
    const evaluated: { call: RecordedCall; replayed: ReplayedCall }[] = [];
    const notEvaluated: UnreplayedCall[] = [];
    for (const [index, call] of calls.entries()) {
      if (index % sliceSize === sliceSize - 1) await setImmediate();
      const replayed = this.toReplayed(call, facts);
      if (typeof replayed === 'string') notEvaluated.push({ callId: call.id, tool: call.tool, gap: replayed });
      else if (replayed) evaluated.push({ call, replayed });
    }
    return { evaluated, notEvaluated };
  }

  /** Null: no policy can permit the call, because of its caller or the scope of the credential. */
  private toReplayed(call: RecordedCall, facts: ReplayFacts): ReplayedCall | ReplayGap | null {
    const { tool: name, caller, tainted, requestedAt } = call;
    const tool = facts.tools.get(name);
    if (!tool) return 'tool_missing';
    if (!call.argumentsSealed) return 'arguments_missing';
    if (this.replayDecisions.isOutOfScope(caller, tool)) return null;
    const who = toReplayCaller(caller, facts);
    if (!who) return null;
    try {
      const { canonical } = openArguments(this.seal, call);
      return { ...who, tool: name, surface: caller.surface, tainted, requestedAt, canonical };
    } catch {
      return 'arguments_unreadable';
    }
  }
}

function toReplayCaller(
  caller: RecordedCall['caller'],
  { groupIds, delegatorGroups, memberGroups }: ReplayFacts,
): Pick<ReplayedCall, 'principal' | 'groups'> | null {
  const { kind, agentId, memberId } = caller;
  if (kind === 'agent' && agentId) {
    const delegators = listDelegatorIds(caller).map((id) => delegatorGroups.get(id) ?? []);
    const groups = groupIds.filter((id) => delegators.every((own) => own.includes(id)));
    return { principal: { type: 'Agent', id: agentId }, groups };
  }
  return kind === 'member' && memberId
    ? { principal: { type: 'Member', id: memberId }, groups: memberGroups.get(memberId) ?? [] }
    : null;
}
