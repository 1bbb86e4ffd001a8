import { setImmediate } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { GroupMember } from '../access/group-member.entity.js';
import { ToolsService } from '../connections/tools.service.js';
import { firstIdAt } from '../platform/crypto/ids.js';
import { SealService } from '../platform/crypto/seal.service.js';
import { DatabaseService } from '../platform/database/database.service.js';
import type { Tx } from '../platform/database/tx.js';
import { decodeCursor, encodeCursor } from '../platform/graphql/connection.js';
import { ConfigurationPartsRegistry } from '../policies/configuration-parts-registry.service.js';
import { PoliciesService } from '../policies/policies.service.js';
import {
  type EvaluatedTool,
  ReplayDecisionsService,
  type ReplayedCall,
  toEvaluatedTool,
} from '../policies/replay-decisions.service.js';
import type { Principal } from '../principal/principal.js';
import { openArguments } from './call-sealing.js';
import type { PolicyReplayPage, ReplayGap, ReplayPolicyArgs, UnreplayedCall } from './policy-replay.object.js';
import { countRecordedCalls, type RecordedCall, selectRecordedCalls } from './policy-replay.sql.js';

const maxPageBytes = 8 * 1024 * 1024;
/** Arguments are decrypted in slices, so that other requests run in between. */
const sliceSize = 50;

interface PreparedCall {
  call: RecordedCall;
  replayed: ReplayedCall;
}

/** What a page of recorded calls is decided by: current facts, as for a new call. */
interface ReplayFacts {
  before: string;
  revision: number;
  tools: Map<string, EvaluatedTool>;
  /** The groups with access to the configuration. An agent has all of them. */
  groupIds: string[];
  memberGroups: Map<string, string[]>;
}

/** Decides recorded calls by the published policies and by another text. Stores nothing, so a replay can stop anywhere. */
@Injectable()
export class PolicyReplayService {
  constructor(
    private readonly database: DatabaseService,
    private readonly policies: PoliciesService,
    private readonly tools: ToolsService,
    private readonly configurationPartsRegistry: ConfigurationPartsRegistry,
    private readonly seal: SealService,
    private readonly replayDecisions: ReplayDecisionsService,
  ) {}

  /** Refuses a text that cannot be published. */
  async replay(principal: Principal, args: ReplayPolicyArgs): Promise<PolicyReplayPage> {
    const { configurationId, text, since, first, after } = args;
    const sinceId = since ? firstIdAt(since.getTime()) : null;
    const beforeId = after ? decodeCursor(after, ['id'])[0] : null;
    await this.policies.requireValid(principal, configurationId, text);
    const { tenantId } = principal;
    const { calls, total, facts } = await this.database.tenant(principal, async (tx) => {
      const calls = await tx.run(selectRecordedCalls, [
        tenantId,
        configurationId,
        sinceId,
        beforeId,
        first,
        maxPageBytes,
      ]);
      const total = after ? null : (await tx.run(countRecordedCalls, [tenantId, configurationId, sinceId]))[0].count;
      return { calls, total, facts: await this.loadFacts(tx, principal, configurationId, calls) };
    });
    const { evaluated, notEvaluated } = await this.prepare(calls, facts);
    const { before, revision } = facts;
    const changes = await this.replayDecisions.findChanges(tenantId, {
      before,
      after: text,
      tools: [...facts.tools.values()],
      calls: evaluated.map(({ replayed }) => replayed),
    });
    const last = calls.at(-1);
    return {
      calls: calls.length,
      changes: changes.map(({ index, ...change }) => ({ ...describeCall(evaluated[index].call), ...change })),
      notEvaluated,
      total,
      revision,
      endCursor: last ? encodeCursor([last.id]) : null,
    };
  }

  private async loadFacts(
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
    const memberGroups = new Map(
      [...Map.groupBy(rows, ({ memberId }) => memberId)].map(([id, own]) => [id, own.map(({ groupId }) => groupId)]),
    );
    return {
      before: current?.text ?? '',
      revision: current?.revision ?? 0,
      tools: new Map(offered.map((tool) => [tool.name, toEvaluatedTool(tool)])),
      groupIds,
      memberGroups,
    };
  }

  /** Separates the calls that can be evaluated. A call that both texts deny, whatever they say, is in neither list. */
  private async prepare(calls: readonly RecordedCall[], facts: ReplayFacts) {
    const evaluated: PreparedCall[] = [];
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
  { kind, agentId, memberId }: RecordedCall['caller'],
  { groupIds, memberGroups }: ReplayFacts,
): Pick<ReplayedCall, 'principal' | 'groups'> | null {
  if (kind === 'agent' && agentId) return { principal: { type: 'Agent', id: agentId }, groups: groupIds };
  return kind === 'member' && memberId
    ? { principal: { type: 'Member', id: memberId }, groups: memberGroups.get(memberId) ?? [] }
    : null;
}

const describeCall = ({ id: callId, taskId, tool, caller, requestedAt }: RecordedCall) => ({
  callId,
  taskId,
  tool,
  caller: caller.name,
  requestedAt,
});
