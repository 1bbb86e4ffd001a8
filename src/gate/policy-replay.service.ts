import { Injectable } from '@nestjs/common';
import { firstIdAt } from '../platform/crypto/ids.js';
import { DatabaseService } from '../platform/database/database.service.js';
import { decodeCursor, encodeCursor } from '../platform/graphql/connection.js';
import { PoliciesService } from '../policies/policies.service.js';
import type { Principal } from '../principal/principal.js';
import type { PolicyReplayPage, ReplayPolicyArgs } from './policy-replay.object.js';
import { countRecordedCalls, type RecordedCall, selectRecordedCalls } from './policy-replay.sql.js';
import { RecordedCallsService } from './recorded-calls.service.js';

const maxPageBytes = 8 * 1024 * 1024;

/** Decides recorded calls by the published policies and by another text. Stores nothing, so a replay can stop anywhere. */
@Injectable()
export class PolicyReplayService {
  constructor(
    private readonly database: DatabaseService,
    private readonly policies: PoliciesService,
    private readonly recordedCalls: RecordedCallsService,
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
      return { calls, total, facts: await this.recordedCalls.loadFacts(tx, principal, configurationId, calls) };
    });
    const { changes, notEvaluated } = await this.recordedCalls.replay(tenantId, calls, facts, text);
    const last = calls.at(-1);
    return {
      calls: calls.length,
      changes: changes.map(({ call, change: { before, after, policyIds, reason } }) => ({
        ...describeCall(call),
        before,
        after,
        policyIds,
        reason,
      })),
      notEvaluated,
      total,
      revision: facts.revision,
      endCursor: last ? encodeCursor([last.id]) : null,
    };
  }
}

const describeCall = ({ id: callId, taskId, tool, caller, requestedAt }: RecordedCall) => ({
  callId,
  taskId,
  tool,
  caller: caller.name,
  requestedAt,
});
