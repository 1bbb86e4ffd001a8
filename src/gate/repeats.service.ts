import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { ApprovalsService } from '../approvals/approvals.service.js';
import type { Principal } from '../principal/principal.js';
import { principalOf } from './caller.js';
import { cannotRunAgain } from './gate.error.js';
import { type Case, Judgement } from './judgement.service.js';
import { approvalUnreachable } from './refused.error.js';
import { Refusal } from './refusal.js';
import { Requesters } from './requesters.service.js';
import type { ToolCall } from './tool-call.entity.js';

/** A call that was sent, with an unknown outcome, and is to be sent again: decided like a new one. */
@Injectable()
export class Repeats {
  constructor(
    private readonly judgement: Judgement,
    private readonly requesters: Requesters,
    private readonly approvals: ApprovalsService,
  ) {}

  /**
   * What the call becomes: it waits for the steps that the policies name now, or is approved if they name none. Who asks for it
   * is a requester from now on. Throws `call-not-repeatable` and `approval-unreachable`; then it stays as it is.
   */
  async request(tx: EntityManager, principal: Principal, call: ToolCall): Promise<Partial<ToolCall>> {
    const { decision, tool } = await this.judge(tx, call);
    const { policyIds, revision: policyRevision, steps, narrowedBy, verdict } = decision;
    const decided = { policyIds, policyRevision, steps, narrowedBy, code: null, reason: null, endedAt: null };
    if (verdict === 'allow') return { ...decided, state: 'approved', expiresAt: null };
    const { id: callId, configurationId, taskId } = call;
    const answering = await this.requesters.of(tx, principalOf(call));
    const requesters = [...new Set([...answering.requesters, principal.memberId!])];
    const wanted = { callId, configurationId, taskId, tool: call.tool, stepNames: steps, ...answering, requesters };
    const asked = await this.approvals.request(tx, principal, wanted);
    if (!asked) throw approvalUnreachable(`Nobody may decide on the steps ${steps.join(', ')} of this call.`);
    const { title, description, inputSchema } = tool;
    const expiresAt = new Date(Math.min(...asked.map((approval) => approval.expiresAt.getTime())));
    return {
      ...decided,
      state: 'awaiting_approval',
      expiresAt,
      definition: { title, description, inputSchema },
    };
  }

  private async judge(tx: EntityManager, call: ToolCall): Promise<Case> {
    try {
      return await this.judgement.judgeAgain(tx, call);
    } catch (error) {
      if (error instanceof Refusal) throw cannotRunAgain(error.reason, { cause: error });
      throw error;
    }
  }
}
