import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { OfferedTool } from '../connections/tools.service.js';
import { Seal } from '../platform/crypto/seal.service.js';
import { DecisionsService } from '../policies/decisions.service.js';
import { Log } from '../platform/telemetry/log.service.js';
import { Inquiry } from '../platform/database/inquiry.js';
import type { Principal } from '../principal/principal.js';
import { type Arguments, ArgumentsRefused, readArguments } from './arguments.js';
import { principalOf } from './caller.js';
import { type Narrowed, narrowed } from './narrowing.js';
import { type Entry, Offers, type Sought } from './offers.service.js';
import { redacted } from './redaction.js';
import { invalidArguments, outOfScope, Refusal, unknownTool } from './refusal.js';
import { type ArgumentCheck, argumentFaults, CheckNeeded } from './schema-check.js';
import { openArguments, sealArguments } from './sealed.js';
import type { ToolCall } from './tool-call.entity.js';

/** A call that may run, at once or after its steps. */
export interface Case {
  principal: Principal;
  entry: Entry;
  tool: OfferedTool;
  args: Arguments;
  decision: Narrowed;
}

/**
 * Decides, and fills in the row with what it was decided on. Every way out but a Case is a Refusal, or CheckNeeded: then it is to
 * be asked again with that check.
 */
@Injectable()
export class Judgement {
  constructor(
    private readonly offers: Offers,
    private readonly decisions: DecisionsService,
    private readonly seal: Seal,
    private readonly log: Log,
  ) {}

  async judge(
    inquiry: Inquiry,
    principal: Principal,
    call: ToolCall,
    wanted: { tool: string; arguments: string },
    done?: ArgumentCheck,
  ): Promise<Case> {
    const sought = await this.offers.seek(inquiry, principal, call.configurationId, wanted.tool);
    const { entry, tool } = sought;
    describe(call, tool);
    return this.hiddenIsUnknown(inquiry, principal, entry, tool, () => {
      refuseStopped(tool);
      const args = this.read(principal, tool, wanted.arguments, done);
      const { sealed, saltedHash } = sealArguments(this.seal, call, args.canonical);
      Object.assign(call, {
        argumentsSealed: sealed,
        argumentsHash: args.hash,
        saltedHash,
        redactedArguments: redacted(args.value, tool.inputSchema),
      });
      const decision = this.decide(principal, sought, args, call.tainted);
      const { policyIds, revision: policyRevision, steps, narrowedBy } = decision;
      Object.assign(call, { policyIds, policyRevision, steps, narrowedBy });
      return permitted({ principal, entry, tool, args, decision });
    });
  }

  /** A call that waited: everything again, on the stored bytes, as of now. */
  async judgeAgain(tx: EntityManager, call: ToolCall, { isUnderWay = false } = {}): Promise<Case> {
    const inquiry = new Inquiry(tx);
    const principal = principalOf(call);
    const sought = await this.offers.seek(inquiry, principal, call.configurationId, call.tool);
    const { entry, tool } = sought;
    refuseChanged(call, tool, isUnderWay);
    refuseStopped(tool);
    const { canonical, saltedHash } = this.open(call);
    call.saltedHash = saltedHash;
    const args = this.readAgain(principal, tool, call, canonical);
    return permitted({ principal, entry, tool, args, decision: this.decide(principal, sought, args, call.tainted) });
  }

  private decide(principal: Principal, sought: Sought, args: Arguments, tainted: boolean): Narrowed {
    const { entry, tool, policies, policiesAbove } = sought;
    const asked = { principal, tool, args: args.value, tainted };
    return narrowed(
      this.decisions.decide({ ...asked, policies, groups: entry.readerGroups }),
      policiesAbove.map((by) => {
        const { configurationId } = by.policies;
        return { configurationId, ...this.decisions.decide({ ...asked, ...by }) };
      }),
    );
  }

  private open(call: ToolCall) {
    try {
      return openArguments(this.seal, call);
    } catch (error) {
      this.log.error({ err: error, callId: call.id }, 'the arguments of a call cannot be opened; it will not run');
      throw new Refusal('approval-denied', 'What was asked for cannot be read any more.');
    }
  }

  private read({ tenantId }: Principal, tool: OfferedTool, text: string, done?: ArgumentCheck): Arguments {
    try {
      const args = readArguments(text);
      const faults = argumentFaults(tenantId, tool, args, done);
      if (faults.length) throw new ArgumentsRefused(faults);
      return args;
    } catch (error) {
      if (error instanceof ArgumentsRefused) throw invalidArguments(error.message, error.faults, tool.isForeign);
      throw error;
    }
  }

  /** The same arguments that fitted the same definition when the call was made fit it now, where that took a worker to find out. */
  private readAgain(principal: Principal, tool: OfferedTool, call: ToolCall, canonical: string): Arguments {
    const isSame = tool.definitionHash === call.definitionHash;
    const done = isSame ? { key: tool.definitionHash, hash: readArguments(canonical).hash, faults: [] } : undefined;
    return this.read(principal, tool, canonical, done);
  }

  private async hiddenIsUnknown<T>(
    inquiry: Inquiry,
    principal: Principal,
    entry: Entry,
    tool: OfferedTool,
    run: () => T,
  ): Promise<T> {
    try {
      return run();
    } catch (error) {
      const isTold = error instanceof Refusal || error instanceof CheckNeeded;
      if (isTold && (await this.offers.isHidden(inquiry, principal, entry, tool)))
        throw hiddenAs(
          error,
          (await this.offers.isOutOfScope(inquiry, principal, entry, tool))
            ? outOfScope(tool.name)
            : unknownTool(tool.name),
        );
      throw error;
    }
  }
}

/** Why what was asked for is not what would be asked for now: the same steps keep an approval, anything else voids it. */
export function whyOther(call: ToolCall, { tool, decision }: Case): string | null {
  const elsewhere = whyElsewhere(call, tool);
  if (elsewhere) return elsewhere;
  if (decision.verdict === 'allow') return 'The policy asks for no approval any more.';
  return isDeepStrictEqual(new Set(decision.steps), new Set(call.steps))
    ? null
    : 'The policy asks for other approvals now.';
}

/** A connection set up anew, or another one under the same name, is another destination. */
export function whyElsewhere(call: ToolCall, { name, connectionId, connectionRevision }: OfferedTool): string | null {
  if (connectionId === call.connectionId && connectionRevision === call.connectionRevision) return null;
  return `The connection of "${name}" was changed after the call was asked for.`;
}

function permitted(matter: Case): Case {
  const { verdict, reason } = matter.decision;
  if (verdict === 'deny') throw new Refusal('policy-denied', reason);
  return matter;
}

/** Nothing is computed for whoever the tool is hidden from. */
const hiddenAs = (error: Refusal | CheckNeeded, told: Refusal): Refusal =>
  error instanceof Refusal ? error.toldAs(told) : told;

function describe(call: ToolCall, tool: OfferedTool): void {
  const { effect, connectionId, connectionRevision, definitionHash } = tool;
  const isDelegation = tool.operation === 'delegation';
  Object.assign(call, { tool: tool.name, effect, connectionId, connectionRevision, definitionHash, isDelegation });
}

/** What was asked for, and perhaps approved, is this definition behind this connection as it was set up then. */
/** What is under way was handed on by the definition of then; by another it goes on once that is confirmed. */
function refuseChanged(call: ToolCall, tool: OfferedTool, isUnderWay: boolean): void {
  if (!isUnderWay && tool.definitionHash !== call.definitionHash)
    throw new Refusal('approval-denied', `"${tool.name}" was changed after the call was asked for.`);
  const elsewhere = whyElsewhere(call, tool);
  if (elsewhere) throw new Refusal('approval-denied', elsewhere);
}

function refuseStopped(tool: OfferedTool): void {
  if (tool.paused) throw new Refusal('paused', `An administrator has paused "${tool.name}", or its connection.`);
  if (tool.heldBack)
    throw new Refusal('paused', `"${tool.name}" has changed; it is held back until an administrator has confirmed it.`);
}
