import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { Member } from '../access/member.entity.js';
import { SealService } from '../platform/crypto/seal.service.js';
import type { Tx } from '../platform/database/tx.js';
import { LogService } from '../platform/telemetry/log.service.js';
import type { JsonObject } from '../platform/json/strict-json.js';
import { type ArgumentChange, describeArgumentChanges, findArgumentChanges } from './argument-changes.js';
import { openArguments, openVersion, sealAsVersion } from './call-sealing.js';
import { CallVersion } from './call-version.entity.js';
import type { CallEdit, CallOutcome } from './outcome.js';
import type { ToolCall } from './tool-call.entity.js';

/** One edit of a call's arguments. */
export interface CallRevision {
  editorId: string;
  /** Null: the member was erased. */
  editorName: string | null;
  editedAt: Date;
  /** Null: the arguments before or after the edit cannot be decrypted. */
  changes: ArgumentChange[] | null;
}

/** Keeps the arguments that an edit replaced, and shows the edits of a call to approvers and callers. */
@Injectable()
export class CallVersionsService {
  constructor(
    private readonly seal: SealService,
    private readonly log: LogService,
  ) {}

  /** Before the edit: stores the current arguments of the call as its next version. Returns their salted hash. */
  async store(tx: Tx, call: ToolCall, replacedBy: string): Promise<string> {
    const { tenantId, id: callId, argumentsHash } = call;
    const version = (await tx.countBy(CallVersion, { tenantId, callId })) + 1;
    await tx.insert(CallVersion, {
      tenantId,
      callId,
      version,
      argumentsSealed: sealAsVersion(this.seal, call, version),
      argumentsHash: argumentsHash!,
      replacedBy,
      replacedAt: new Date(),
    });
    return openArguments(this.seal, call).saltedHash;
  }

  /** The edits of each call, in the order of the calls and oldest first. */
  async listOfEach(tx: Tx, calls: readonly ToolCall[]): Promise<CallRevision[][]> {
    const edited = calls.filter(({ editedBy }) => editedBy.length);
    if (!edited.length) return calls.map(() => []);
    const [{ tenantId }] = edited;
    const versions = await tx.find(CallVersion, {
      where: { tenantId, callId: In(edited.map(({ id }) => id)) },
      order: { callId: 'ASC', version: 'ASC' },
    });
    const members = await tx.findBy(Member, { tenantId, id: In(versions.map(({ replacedBy }) => replacedBy)) });
    const names = new Map(members.map(({ id, name }) => [id, name]));
    return calls.map((call) => {
      const replaced = versions.filter(({ callId }) => callId === call.id);
      const texts = [
        ...replaced.map((version) => this.openOrNull(call, () => openVersion(this.seal, version))),
        this.openOrNull(call, () => this.currentOf(call)),
      ];
      return replaced.map(({ replacedBy, replacedAt }, nth) => ({
        editorId: replacedBy,
        editorName: names.get(replacedBy) ?? null,
        editedAt: replacedAt,
        changes: changesBetween(texts[nth], texts[nth + 1]),
      }));
    });
  }

  /** Adds to an outcome who edited the call, and what. The outcome of a call that nobody edited stays the same. */
  async annotate(tx: Tx, call: ToolCall, outcome: CallOutcome): Promise<CallOutcome> {
    const edit = call.editedBy.length ? await this.describe(tx, call) : null;
    if (!edit) return outcome;
    if ('result' in outcome && outcome.result) {
      const content = [...outcome.result.content, { type: 'text' as const, text: edit.text }];
      return { ...outcome, edit, result: { ...outcome.result, content } };
    }
    return 'reason' in outcome ? { ...outcome, edit, reason: `${outcome.reason} ${edit.text}` } : { ...outcome, edit };
  }

  /** All edits together: from what the caller requested to the current arguments. Null: they can no longer be read. */
  private async describe(tx: Tx, call: ToolCall): Promise<CallEdit | null> {
    const { tenantId, id: callId } = call;
    const first = await tx.findOneByOrFail(CallVersion, { tenantId, callId, version: 1 });
    const versions = this.openBoth(first, call);
    if (!versions) return null;
    const [requested, current] = versions;
    const members = await tx.findBy(Member, { tenantId, id: In(call.editedBy) });
    const editedBy = [...new Set(call.editedBy)].map(
      (id) => members.find((member) => member.id === id)?.name ?? 'A former member',
    );
    const names = new Intl.ListFormat('en').format(editedBy);
    const changes = describeArgumentChanges(findArgumentChanges(requested, current));
    const text = changes
      ? `${names} edited the arguments of this call: ${changes}.`
      : `${names} edited the arguments of this call and restored them.`;
    return { editedBy, arguments: current, text };
  }

  /** An outcome is recorded and returned even if the arguments cannot be read, for example after a lost master key. */
  private openBoth(first: CallVersion, call: ToolCall): [requested: JsonObject, current: JsonObject] | null {
    try {
      return [JSON.parse(openVersion(this.seal, first)) as JsonObject, JSON.parse(this.currentOf(call)) as JsonObject];
    } catch (error) {
      this.log.error({ err: error, callId: call.id }, 'edited arguments of a call could not be decrypted');
      return null;
    }
  }

  /** One call that cannot be read must not hide the others of a list. */
  private openOrNull({ id: callId }: ToolCall, open: () => string): string | null {
    try {
      return open();
    } catch (error) {
      this.log.warn({ err: error, callId }, 'arguments of a call could not be decrypted');
      return null;
    }
  }

  private currentOf(call: ToolCall): string {
    return openArguments(this.seal, call).canonical;
  }
}

const changesBetween = (before: string | null, after: string | null): ArgumentChange[] | null =>
  before === null || after === null
    ? null
    : findArgumentChanges(JSON.parse(before) as JsonObject, JSON.parse(after) as JsonObject);
