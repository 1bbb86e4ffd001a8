import { Injectable, type OnModuleInit } from '@nestjs/common';
import { IsNull } from 'typeorm';
import { AdministrationService } from '../access/administration/administration.service.js';
import {
  authorsOf,
  type ChangeDescription,
  distinctNameOf,
} from '../access/administration/administration-change.port.js';
import { AccessChangeNotifier } from '../access/independence/access-change-notifier.service.js';
import { MemberRemovalHookRegistry } from '../access/member-removal-hook-registry.service.js';
import { Member } from '../access/member.entity.js';
import { MembersService } from '../access/members.service.js';
import { requireSession } from '../access/sessions.service.js';
import { AuditService } from '../audit/audit.service.js';
import { newId } from '../platform/crypto/ids.js';
import { DatabaseService } from '../platform/database/database.service.js';
import type { Tx } from '../platform/database/tx.js';
import { conflict, forbidden, invalidRequest, notFound } from '../platform/errors/general.error.js';
import type { Principal } from '../principal/principal.js';
import type { ApprovalPerson } from './approval-person.entity.js';
import { ApprovalStepsService } from './approval-steps.service.js';
import { Substitution } from './substitution.entity.js';
import type { NameSubstituteInput } from './substitution.input.js';
import { openSubstitutionsOf, possibleSubstitutes } from './substitutions.sql.js';

const maxOpen = 20;
const maxLengthMs = 366 * 24 * 60 * 60 * 1000;
const maxChoices = 50;
const minSearchLength = 3;
const maxChoicesByName = 10;

/** As it is stored while it is proposed. */
interface NewSubstitution {
  memberId: string;
  substituteId: string;
  startsAt: string;
  endsAt: string;
}

/** Members name who decides in their place while they are away. Administrators do it for others. */
@Injectable()
export class SubstitutionsService implements OnModuleInit {
  private readonly submitForOther: (principal: Principal, input: NewSubstitution) => Promise<Substitution>;

  constructor(
    private readonly database: DatabaseService,
    private readonly audit: AuditService,
    private readonly changes: AccessChangeNotifier,
    private readonly members: MembersService,
    private readonly steps: ApprovalStepsService,
    private readonly memberRemovalHookRegistry: MemberRemovalHookRegistry,
    administration: AdministrationService,
  ) {
    this.submitForOther = administration.register<NewSubstitution, Substitution>({
      kind: 'substitution.create',
      permission: 'members:manage',
      describe: (tx, principal, input) => this.describe(tx, principal, input),
      apply: (tx, principal, input) => this.createIn(tx, principal, input),
    });
  }

  onModuleInit(): void {
    this.memberRemovalHookRegistry.register((tx, principal, memberId) => this.endAllOf(tx, principal, memberId));
  }

  /** Current and future ones. */
  list(principal: Principal, memberId?: string | null): Promise<Substitution[]> {
    const ofId = requireOwnOrManaged(principal, memberId);
    return this.database.tenant(principal, (tx) => tx.run(openSubstitutionsOf, [principal.tenantId, [ofId]]));
  }

  /** Administrators see all members. Approvers find a few by name, so that they cannot list everyone. */
  listPossible(principal: Principal, search: string, memberId?: string | null): Promise<ApprovalPerson[]> {
    const ofId = requireOwnOrManaged(principal, memberId);
    const seesAll = principal.permissions.has('members:manage');
    const text = search.trim();
    return this.database.tenant(principal, async (tx) => {
      if (!seesAll && !(await this.isApprover(tx, principal.tenantId, ofId)))
        throw forbidden('Only approvers and administrators can search for substitutes.');
      if (!seesAll && text.length < minSearchLength) return [];
      return tx.run(possibleSubstitutes, [principal.tenantId, ofId, text, seesAll ? maxChoices : maxChoicesByName]);
    });
  }

  /** Of any step, or of its escalation group. */
  private async isApprover(tx: Tx, tenantId: string, memberId: string): Promise<boolean> {
    const steps = await this.steps.listIn(tx, tenantId);
    const groupIds = steps.flatMap(({ approverGroupId, escalationGroupId, escalatesAfterSeconds }) =>
      escalatesAfterSeconds === null ? [approverGroupId] : [approverGroupId, escalationGroupId],
    );
    for (const groupId of new Set(groupIds))
      if ((await this.members.listApprovers(tx, tenantId, groupId)).some(({ id }) => id === memberId)) return true;
    return false;
  }

  /**
   * Members decide themselves who replaces them. A substitute whom an administrator names for somebody else decides like
   * a new approver: that throws `change-proposed` if approver groups need a second administrator. It does not matter
   * whether the member approves already, because they may later.
   */
  async create(principal: Principal, input: NameSubstituteInput): Promise<Substitution> {
    const memberId = requireOwnOrManaged(principal, input.memberId);
    const { substituteId, startsAt, endsAt } = input;
    const named = { memberId, substituteId, startsAt: startsAt.toISOString(), endsAt: endsAt.toISOString() };
    return memberId === principal.memberId
      ? this.database.tenant(principal, (tx) => this.createIn(tx, principal, named))
      : this.submitForOther(principal, named);
  }

  private async describe(
    tx: Tx,
    { tenantId }: Principal,
    { memberId, substituteId, startsAt, endsAt }: NewSubstitution,
  ): Promise<ChangeDescription> {
    requirePossible({ memberId, substituteId, startsAt, endsAt });
    const [member, substitute] = [await getActive(tx, tenantId, memberId), await getActive(tx, tenantId, substituteId)];
    return {
      areas: ['approver_groups'],
      title: `Name ${substitute.name} as the substitute of ${member.name}`,
      subject: { type: 'member', id: memberId, name: member.name },
      fields: [
        { label: `Substitute of ${distinctNameOf(member)}`, before: null, after: distinctNameOf(substitute) },
        { label: 'Start (UTC)', before: null, after: startsAt },
        { label: 'End (UTC)', before: null, after: endsAt },
      ],
    };
  }

  private async createIn(tx: Tx, principal: Principal, named: NewSubstitution): Promise<Substitution> {
    const { tenantId } = principal;
    const { memberId, substituteId } = named;
    const createdAt = new Date();
    const { startsAt, endsAt } = requirePossible(named);
    await getActive(tx, tenantId, memberId);
    const substitute = await getActive(tx, tenantId, substituteId);
    if ((await tx.run(openSubstitutionsOf, [tenantId, [memberId]])).length >= maxOpen)
      throw conflict(`A member has at most ${maxOpen} current and future substitutes. End one first.`);
    const ids = { tenantId, id: newId(), memberId, substituteId };
    const values = { ...ids, startsAt, endsAt, createdBy: authorsOf(principal)[0], createdAt, endedAt: null };
    await tx.insert(Substitution, values);
    await this.record(tx, principal, 'created', values, { substitute: substitute.name });
    return tx.create(Substitution, values);
  }

  async end(principal: Principal, id: string): Promise<Substitution> {
    const { tenantId } = principal;
    requireSession(principal);
    return this.database.tenant(principal, async (tx) => {
      const substitution = await tx.findOneBy(Substitution, { tenantId, id });
      const isOwn = substitution?.memberId === principal.memberId;
      if (!substitution || (!isOwn && !principal.permissions.has('members:manage')))
        throw notFound('There is no such substitution.');
      if (substitution.endedAt) return substitution;
      return this.endIn(tx, principal, substitution);
    });
  }

  /** Those in which the member is replaced, and those in which they are the substitute. */
  private async endAllOf(tx: Tx, principal: Principal, memberId: string): Promise<void> {
    const open = { tenantId: principal.tenantId, endedAt: IsNull() };
    const where = [
      { ...open, memberId },
      { ...open, substituteId: memberId },
    ];
    for (const substitution of await tx.find(Substitution, { where, order: { id: 'ASC' } }))
      await this.endIn(tx, principal, substitution);
  }

  private async endIn(tx: Tx, principal: Principal, substitution: Substitution): Promise<Substitution> {
    const { tenantId, id } = substitution;
    const endedAt = new Date();
    await tx.update(Substitution, { tenantId, id }, { endedAt });
    await this.record(tx, principal, 'ended', substitution);
    return Object.assign(substitution, { endedAt });
  }

  private async record(
    tx: Tx,
    principal: Principal,
    event: 'created' | 'ended',
    { id, memberId, substituteId, startsAt, endsAt }: Omit<Substitution, 'endedAt'>,
    more: object = {},
  ): Promise<void> {
    await this.audit.record(tx, principal, {
      kind: `substitution.${event}`,
      subject: { type: 'substitution', id },
      detail: { memberId, substituteId, startsAt: startsAt.toISOString(), endsAt: endsAt.toISOString(), ...more },
    });
    await this.changes.publish(tx, principal.tenantId);
  }
}

/** The member whose substitutes are concerned: by default the principal. */
function requireOwnOrManaged(principal: Principal, memberId: string | null | undefined): string {
  const { memberId: own } = requireSession(principal);
  if (memberId && memberId !== own && !principal.permissions.has('members:manage'))
    throw forbidden('This needs the permission "members:manage".');
  return memberId ?? own;
}

/** The period from now on. */
function requirePossible({ memberId, substituteId, ...period }: NewSubstitution): { startsAt: Date; endsAt: Date } {
  const startsAt = new Date(Math.max(Date.now(), Date.parse(period.startsAt)));
  const endsAt = new Date(period.endsAt);
  requirePossiblePeriod(startsAt, endsAt);
  if (substituteId === memberId)
    throw invalidRequest('A member cannot be their own substitute.', {
      errors: [{ pointer: '/input/substituteId', detail: 'must be another member' }],
    });
  return { startsAt, endsAt };
}

function requirePossiblePeriod(startsAt: Date, endsAt: Date): void {
  const detail =
    endsAt <= startsAt
      ? 'must be later than the start, and in the future'
      : endsAt.getTime() - startsAt.getTime() > maxLengthMs && 'must be at most one year after the start';
  if (detail) throw invalidRequest('The period is not possible.', { errors: [{ pointer: '/input/endsAt', detail }] });
}

async function getActive(tx: Tx, tenantId: string, id: string): Promise<Member> {
  const member = await tx.findOneBy(Member, { tenantId, id, status: 'active' });
  if (!member) throw notFound('There is no such active member.');
  return member;
}
