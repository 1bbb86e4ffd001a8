import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { commitWithoutFlush, Database, lastly } from '../platform/database/database.service.js';
import { Gather, isRefusedByDatabase } from '../platform/database/gather.js';
import { Inquiry } from '../platform/database/inquiry.js';
import type { Principal } from '../principal/principal.js';
import { Judgement } from './judgement.service.js';
import { type CallRequest, newCall } from './new-call.js';
import { keyOf } from './retry-key.js';
import { type Standing, Standings } from './standings.service.js';
import { type Run, Starts } from './starts.service.js';
import type { ToolCall } from './tool-call.entity.js';

interface Asked {
  tenantId: string;
  principal: Principal;
  request: CallRequest;
}

/**
 * The usual call: allowed as it is, and not made before. Those that come in together are admitted in one transaction, which
 * asks what they are decided on anew, but each thing once, and writes all attempts and their audit events together.
 */
@Injectable()
export class AllowedCalls {
  private readonly admitting = new Gather<Asked, Run | null>((_tenantId, asked) =>
    this.database.tenant(asked[0], (tx) => this.admitAll(tx, asked)),
  );

  constructor(
    private readonly database: Database,
    private readonly standings: Standings,
    private readonly judgement: Judgement,
    private readonly starts: Starts,
  ) {}

  /** Null: this call needs a closer look, and nothing was written but the turn that asked for it. */
  admit(principal: Principal, request: CallRequest): Promise<Run | null> {
    return this.admitting.ask({ tenantId: principal.tenantId, principal, request });
  }

  private async admitAll(tx: EntityManager, asked: readonly Asked[]): Promise<(Run | null)[]> {
    const inquiry = new Inquiry(tx);
    const calls = asked.map(({ principal, request }) => newCall(principal, request));
    const incoming = asked.map(({ request }, nth) => ({ call: calls[nth], turn: request.task?.turn }));
    const [standings, ...judged] = await Promise.all([
      this.standings.of(tx, incoming),
      ...calls.map((call, nth) => this.judge(inquiry, call, asked[nth])),
    ]);
    const allowed = judged.filter((run, nth) => run !== null && isUnblemished(standings[nth])) as Run[];
    if (!allowed.length) return calls.map(() => null);
    const isRepeatable = allowed.every(
      ({ call }) => call.effect === 'read' && !call.isDelegation && call.taskId === null,
    );
    const [begun] = await lastly(tx, () =>
      Promise.all([this.starts.first(tx, allowed), isRepeatable && commitWithoutFlush(tx)]),
    );
    const started = new Map(begun.map((run) => [run.call, run]));
    return calls.map((call) => started.get(call) ?? null);
  }

  private async judge(inquiry: Inquiry, call: ToolCall, { principal, request }: Asked): Promise<Run | null> {
    try {
      const matter = await this.judgement.judge(inquiry, principal, call, request);
      if (matter.decision.verdict !== 'allow') return null;
      if (call.effect !== 'read' || call.isDelegation) call.retryKey = keyOf(call, matter);
      return { call, matter };
    } catch (error) {
      if (isRefusedByDatabase(error)) throw error; // the transaction is lost with it
      return null; // whatever it is, it is this call's alone, and comes up again when that is looked at alone
    }
  }
}

/** Neither the third denial of its tool, nor perhaps sent before, nor another process's. */
const isUnblemished = (standing: Standing | null): boolean => standing?.denials === 0 && standing.sentId === null;
