import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DatabaseService } from '../../platform/database/database.service.js';
import type { Tx } from '../../platform/database/tx.js';
import { forbidden, notFound } from '../../platform/errors/general.error.js';
import { Problem } from '../../platform/errors/problem.js';
import type { Page, PageArgs } from '../../platform/graphql/connection.js';
import { newestFirstPage } from '../../platform/graphql/newest-first.js';
import { QueueService } from '../../platform/queue/queue.service.js';
import { permissionsOfRoles } from '../../principal/permissions.js';
import { type Principal, systemPrincipal } from '../../principal/principal.js';
import { confirmationNotIndependent } from '../access.error.js';
import { IndependenceService } from '../independence/independence.service.js';
import { Member } from '../member.entity.js';
import { requireFresh, requireSession } from '../sessions.service.js';
import { proposedChangeClosed } from './administration.error.js';
import { lockActiveMembers, lockAdministration } from './administration.sql.js';
import { expiredChanges } from './administration.system.sql.js';
import type { AnyChangeKind, ChangeDescription } from './administration-change.port.js';
import { ChangeKindRegistry } from './change-kind-registry.service.js';
import { basisOf, ProposedChangeStore } from './proposed-change-store.service.js';
import { ProposedChange, type ProposedChangeState } from './proposed-change.entity.js';
import { TwoPersonArea } from './two-person-area.entity.js';

const sweepSeconds = 300;
const sweepBatch = 200;

/** Decisions of the second administrator, in a session, on changes that another one proposed. */
@Injectable()
export class ProposedChangesService implements OnModuleInit {
  constructor(
    private readonly database: DatabaseService,
    private readonly queue: QueueService,
    private readonly kinds: ChangeKindRegistry,
    private readonly store: ProposedChangeStore,
    private readonly independence: IndependenceService,
  ) {}

  onModuleInit(): void {
    this.queue.every('proposed-changes.expire', sweepSeconds, () => this.expire());
  }

  /** Newest first. */
  list(principal: Principal, args: PageArgs, state?: ProposedChangeState | null): Promise<Page<ProposedChange>> {
    requireSession(principal);
    const { tenantId } = principal;
    return this.database.tenant(principal, (tx) => {
      const query = tx.createQueryBuilder(ProposedChange, 'change').where('change.tenantId = :tenantId', { tenantId });
      if (state) query.andWhere('change.state = :state', { state });
      return newestFirstPage(query, args);
    });
  }

  async get(principal: Principal, id: string): Promise<ProposedChange> {
    const { tenantId } = requireSession(principal);
    const change = await this.database.tenant(principal, (tx) => tx.findOneBy(ProposedChange, { tenantId, id }));
    if (!change) throw notFound('There is no such proposed change.');
    return change;
  }

  /** For each change, in their order: why this administrator cannot confirm it, or null. */
  confirmationRefusals(principal: Principal, changes: readonly ProposedChange[]): Promise<(string | null)[]> {
    const { memberId, tenantId, permissions } = requireSession(principal);
    return this.database.tenant(principal, async (tx) => {
      const proposers = changes.map(({ proposedBy }) => proposedBy);
      const independent = await this.independence.areEachIndependent(tx, tenantId, memberId, proposers);
      return changes.map((change, nth) => {
        const { state, expiresAt, kind, proposedBy } = change;
        const permission = this.kinds.find(kind)?.permission;
        if (state !== 'open' || expiresAt <= new Date()) return 'This change is closed.';
        if (!permission || !permissions.has(permission)) return 'Your roles do not permit this change.';
        if (needsOnePerson(change)) return null;
        if (proposedBy === memberId) return 'You proposed this change, so another administrator has to confirm it.';
        return independent[nth] ? null : dependentReason;
      });
    });
  }

  /**
   * Applies the change as shown, in one transaction, if the affected settings have not changed since the proposal.
   * Otherwise the change is outdated, and nothing is applied. A retry after a lost response returns the confirmed change.
   */
  async confirm(principal: Principal, id: string): Promise<ProposedChange> {
    const { memberId } = requireFresh(principal);
    const change = await this.get(principal, id);
    if (isConfirmedBy(change, memberId)) return change;
    requireOpen(change);
    const kind = this.kinds.find(change.kind);
    if (!kind) throw notFound(`This server does not know changes of the kind "${change.kind}".`);
    const { closed, finish } = await this.confirmPrepared(principal, change, kind);
    await finish();
    return closed;
  }

  private async confirmPrepared(principal: Principal, { id, proposedBy }: ProposedChange, kind: AnyChangeKind) {
    const { tenantId, memberId } = requireFresh(principal);
    const input = await this.database.tenant(principal, (tx) => this.store.readInput(tx, tenantId, id));
    if (input === null) throw proposedChangeClosed('The change was closed in the meantime.');
    const prepared: unknown = kind.prepareToApply
      ? await this.prepareToApply(principal, id, kind, input)
      : await kind.prepare?.(principal, input);
    return this.database.tenant(principal, async (tx) => {
      await tx.execute(lockAdministration, [tenantId]);
      const change = await this.store.lock(tx, tenantId, id);
      const nothing = async () => undefined;
      if (isConfirmedBy(change, memberId)) return { closed: change, finish: nothing };
      requireOpen(change);
      const people = await tx.run(lockActiveMembers, [tenantId, [memberId, proposedBy]]);
      const mayChange = (member: string) =>
        people.find(({ id: known, roles }) => known === member && permissionsOfRoles(roles).has(kind.permission));
      if (!mayChange(memberId)) throw forbidden('Your roles do not permit this change.');
      const proposer = (await heldRightsSince(tx, change)) ? mayChange(proposedBy) : undefined;
      const fault = proposer
        ? await this.findChange(tx, principal, change, kind, input, prepared)
        : 'The administrator who proposed it no longer has the permission for this change, or lost it in between.';
      const isIndependent =
        needsOnePerson(change) || (await this.independence.areIndependent(tx, tenantId, memberId, proposedBy));
      if (!isIndependent) throw confirmationNotIndependent(dependentReason);
      if (fault !== null || !proposer) {
        const closed = await this.store.close(tx, principal, change, 'outdated', { note: fault });
        return { closed, finish: nothing };
      }
      const chain = memberId === proposedBy ? [] : [{ kind: 'member' as const, id: proposedBy, name: proposer.name }];
      const result: unknown = await kind.apply(tx, { ...principal, chain }, input, prepared);
      const closed = await this.store.close(tx, principal, change, 'confirmed', { decidedBy: memberId });
      return { closed, finish: async () => void (await kind.finish?.(principal, result)) };
    });
  }

  /** Nothing is requested from other systems on behalf of somebody who cannot confirm the change. */
  private async prepareToApply(
    principal: Principal,
    id: string,
    kind: AnyChangeKind,
    input: unknown,
  ): Promise<unknown> {
    const [refusal] = await this.confirmationRefusals(principal, [await this.get(principal, id)]);
    return refusal === null ? kind.prepareToApply!(principal, input) : undefined; // the transaction refuses it
  }

  /** Any other administrator, with a reason. */
  async decline(principal: Principal, id: string, reason: string): Promise<ProposedChange> {
    const { memberId } = requireSession(principal);
    return this.decide(principal, id, async (tx, change) => {
      if (change.proposedBy === memberId) throw forbidden('You proposed this change. Withdraw it instead.');
      this.requirePermission(principal, change);
      return this.store.close(tx, principal, change, 'declined', { decidedBy: memberId, note: reason.trim() });
    });
  }

  async withdraw(principal: Principal, id: string): Promise<ProposedChange> {
    const { memberId } = requireSession(principal);
    return this.decide(principal, id, async (tx, change) => {
      requireProposer(change, memberId);
      return this.store.close(tx, principal, change, 'withdrawn', { decidedBy: memberId });
    });
  }

  /** The reason is part of what the second administrator reads, so it cannot be replaced. */
  async explain(principal: Principal, id: string, reason: string): Promise<ProposedChange> {
    const { memberId } = requireSession(principal);
    return this.decide(principal, id, async (tx, change) => {
      requireProposer(change, memberId);
      if (change.reason !== null) throw proposedChangeClosed('The change already has a reason.');
      return this.store.setReason(tx, principal, change, reason.trim());
    });
  }

  async expire(): Promise<void> {
    const due = await this.database.systemPool.run(expiredChanges, [sweepBatch]);
    for (const { tenantId, id } of due) {
      const principal = systemPrincipal(tenantId, 'administration');
      await this.database.tenant(principal, async (tx) => {
        const change = await this.store.lock(tx, tenantId, id);
        if (change.state === 'open') await this.store.close(tx, principal, change, 'expired');
      });
    }
  }

  private decide(
    principal: Principal,
    id: string,
    apply: (tx: Tx, change: ProposedChange) => Promise<ProposedChange>,
  ): Promise<ProposedChange> {
    return this.database.tenant(principal, async (tx) => {
      const change = await this.store.lock(tx, principal.tenantId, id);
      requireOpen(change);
      return apply(tx, change);
    });
  }

  private requirePermission({ permissions }: Principal, { kind }: ProposedChange): void {
    const permission = this.kinds.find(kind)?.permission;
    if (permission && !permissions.has(permission)) throw forbidden('Your roles do not permit this change.');
  }

  private async requiresSecond(tx: Tx, { tenantId }: ProposedChange, { areas }: ChangeDescription): Promise<boolean> {
    const enabled = await tx.findBy(TwoPersonArea, { tenantId });
    return enabled.some(({ area }) => areas.includes(area));
  }

  /** Why the change is no longer what was shown, or null. */
  private async findChange(
    tx: Tx,
    principal: Principal,
    change: ProposedChange,
    kind: AnyChangeKind,
    input: unknown,
    prepared: unknown,
  ): Promise<string | null> {
    try {
      const description = await kind.describe(tx, principal, input, prepared);
      if (!description) return 'There is nothing left to change.';
      if (needsOnePerson(change) && (await this.requiresSecond(tx, change, description)))
        return 'A second administrator has been required for this change since. Submit it again.';
      return basisOf(description).equals(change.basis) ? null : 'What the change was based on has changed since.';
    } catch (error) {
      if (error instanceof Problem && error.status < 500) return error.message;
      throw error;
    }
  }
}

/** A program proposed it, and the organization requires no second administrator for it. */
const needsOnePerson = ({ isByToken, areas }: ProposedChange): boolean => isByToken && !areas.length;

const dependentReason =
  'You are not independent of the administrator who proposed this change: one of you introduced the other, or the same person introduced both of you.';

/** A proposal does not survive that its author was removed or demoted, even if they are an administrator again. */
async function heldRightsSince(tx: Tx, { tenantId, proposedBy, proposedAt }: ProposedChange): Promise<boolean> {
  const member = await tx.findOneBy(Member, { tenantId, id: proposedBy });
  return !!member && member.joinedAt <= proposedAt && (!member.adminSince || member.adminSince <= proposedAt);
}

const isConfirmedBy = ({ state, decidedBy }: ProposedChange, memberId: string): boolean =>
  state === 'confirmed' && decidedBy === memberId;

function requireOpen({ state, expiresAt }: ProposedChange): void {
  if (state !== 'open') throw proposedChangeClosed(`The change is ${state}.`);
  if (expiresAt <= new Date()) throw proposedChangeClosed('The change has expired.');
}

function requireProposer({ proposedBy }: ProposedChange, memberId: string): void {
  if (proposedBy !== memberId) throw forbidden('Only the administrator who proposed the change can do this.');
}
