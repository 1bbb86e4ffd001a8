import { Injectable } from '@nestjs/common';
import { AuditService } from '../../audit/audit.service.js';
import { sha256 } from '../../platform/crypto/digest.js';
import { newId } from '../../platform/crypto/ids.js';
import { SealService } from '../../platform/crypto/seal.service.js';
import type { Tx } from '../../platform/database/tx.js';
import { conflict, notFound } from '../../platform/errors/general.error.js';
import { OutboxService } from '../../platform/events/outbox.service.js';
import type { Principal } from '../../principal/principal.js';
import type { ChangeDescription } from './administration-change.port.js';
import { ProposedChange, type ProposedChangeState } from './proposed-change.entity.js';

export const proposedChangeDays = 7;
/** Of one administrator: every proposed change notifies the others. */
const maxOpenChanges = 100;

type ClosedState = Exclude<ProposedChangeState, 'open'>;
interface Closing {
  decidedBy?: string;
  note?: string | null;
}

/** Stores proposed changes, with their events, in the transaction of the caller. */
@Injectable()
export class ProposedChangeStore {
  constructor(
    private readonly audit: AuditService,
    private readonly outbox: OutboxService,
    private readonly seal: SealService,
  ) {}

  /** The same change of the same administrator is stored once while it is open: a retry finds it. */
  async insert(
    tx: Tx,
    principal: Principal & { memberId: string },
    kind: string,
    input: unknown,
    description: ChangeDescription,
  ): Promise<ProposedChange> {
    const { tenantId, memberId } = principal;
    const text = JSON.stringify(input);
    const present = await this.findSame(tx, { tenantId, kind, proposedBy: memberId }, description, text);
    if (present) return present;
    if ((await tx.countBy(ProposedChange, { tenantId, proposedBy: memberId, state: 'open' })) >= maxOpenChanges)
      throw conflict(`An administrator has at most ${maxOpenChanges} open proposed changes. Withdraw one first.`);
    const id = newId();
    const { areas, title, subject, fields } = description;
    const now = new Date();
    const change = tx.create(ProposedChange, {
      tenantId,
      id,
      kind,
      areas: [...areas],
      title,
      subjectType: subject.type,
      subjectId: subject.id,
      subjectName: subject.name ?? null,
      fields,
      basis: basisOf(description),
      input: this.seal.seal(text, inputLocation(id)),
      reason: null,
      state: 'open',
      proposedBy: memberId,
      isByToken: !principal.sessionId,
      proposedAt: now,
      expiresAt: new Date(now.getTime() + proposedChangeDays * 86_400_000),
      decidedBy: null,
      decidedAt: null,
      decisionNote: null,
    });
    await tx.insert(ProposedChange, change);
    await this.record(tx, principal, change, 'proposed', { basis: change.basis.toString('hex') });
    await this.outbox.write(tx, tenantId, 'change.proposed', { changeId: id });
    return change;
  }

  /** Locked, so that only one of several decisions at the same time applies. */
  async lock(tx: Tx, tenantId: string, id: string): Promise<ProposedChange> {
    const change = await tx.findOne(ProposedChange, {
      where: { tenantId, id },
      lock: { mode: 'pessimistic_write' },
    });
    if (!change) throw notFound('There is no such proposed change.');
    return change;
  }

  async readInput(tx: Tx, tenantId: string, id: string): Promise<unknown> {
    const row = await tx.findOne(ProposedChange, {
      where: { tenantId, id },
      select: { tenantId: true, id: true, input: true },
    });
    return row?.input ? JSON.parse(this.seal.open(row.input, inputLocation(id)).toString()) : null;
  }

  /** Erases the input. */
  async close(
    tx: Tx,
    principal: Principal,
    change: ProposedChange,
    state: ClosedState,
    { decidedBy, note = null }: Closing = {},
  ): Promise<ProposedChange> {
    const { tenantId, id } = change;
    const closed = { state, decidedBy: decidedBy ?? null, decidedAt: new Date(), decisionNote: note };
    const { affected } = await tx.update(ProposedChange, { tenantId, id, state: 'open' }, { ...closed, input: null });
    if (affected !== 1) throw new Error(`proposed change ${id} is not open`);
    Object.assign(change, closed);
    await this.record(tx, principal, change, state, {
      proposedBy: change.proposedBy,
      basis: change.basis.toString('hex'),
      ...(note ? { note } : {}),
    });
    if (decidedBy !== change.proposedBy) await this.outbox.write(tx, tenantId, 'change.closed', { changeId: id });
    return change;
  }

  async setReason(tx: Tx, principal: Principal, change: ProposedChange, reason: string): Promise<ProposedChange> {
    const { tenantId, id } = change;
    await tx.update(ProposedChange, { tenantId, id }, { reason });
    Object.assign(change, { reason });
    await this.record(tx, principal, change, 'explained', { reason });
    return change;
  }

  private async findSame(
    tx: Tx,
    of: { tenantId: string; kind: string; proposedBy: string },
    description: ChangeDescription,
    text: string,
  ): Promise<ProposedChange | null> {
    const basis = basisOf(description);
    const open = await tx.findBy(ProposedChange, { ...of, state: 'open', basis });
    for (const change of open)
      if (change.expiresAt > new Date() && JSON.stringify(await this.readInput(tx, of.tenantId, change.id)) === text)
        return change;
    return null;
  }

  private record(
    tx: Tx,
    principal: Principal,
    { id, title, kind, areas, subjectType, subjectId }: ProposedChange,
    event: string,
    detail: Record<string, unknown>,
  ): Promise<void> {
    return this.audit.record(tx, principal, {
      kind: `change.${event}`,
      subject: { type: 'proposed_change', id, name: title },
      detail: { change: kind, areas, of: { type: subjectType, id: subjectId }, ...detail },
    });
  }
}

/** Covers what the second administrator sees and the state that it is based on. */
export const basisOf = ({ title, subject, fields, basis }: ChangeDescription): Buffer =>
  sha256(
    JSON.stringify([
      title,
      subject.type,
      subject.id,
      fields.map((field) => [field.label, field.before, field.after]),
      basis,
    ]),
  );

const inputLocation = (row: string) => ({ table: 'proposed_changes', column: 'input', row });
