import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AccessChanges } from '../access/independence/access-changes.service.js';
import { type Independence, IndependenceService } from '../access/independence/independence.service.js';
import { IntroducedReviewersSetting } from '../access/independence/introduced-reviewers.service.js';
import { type Approver, MembersService } from '../access/members.service.js';
import { ApprovalStepsService } from './approval-steps.service.js';
import type { Approval } from './approval.entity.js';
import { type Candidates, eligibleDeciders, isNotFourEyes, remainingDeciders } from './tier.js';

/**
 * Who acts in the calls of these approvals, in their order: the person or agent, the chain, and everybody who knows a credential
 * that was used. Somebody may have revealed a key of an agent since it asked.
 */
export type RequestersSource = (tx: EntityManager, approvals: readonly Approval[]) => Promise<string[][]>;
/** Why the call would not run as asked any more, or null. */
export type Reviewer = (tx: EntityManager, approval: Approval) => Promise<string | null>;

/** An approval as it is to be requested: nobody is stored as its decider yet. */
export type NewApproval = Omit<Approval, 'deciders' | 'notFourEyes'>;

/** An approval, judged by who may act as whom now. */
export interface Judged extends Candidates {
  approval: NewApproval & Partial<Approval>;
  /** Who acts, and knows the credentials that were used. */
  acting: string[];
  /** Who suspended or reactivated somebody on either side since the call was requested. */
  statusChangers: string[];
  independence: Independence;
  /** Two administrators accept reviewers whom a requester introduced. */
  acceptsIntroduced: boolean;
  /** All active members of the step's group, with those who joined later. */
  group: readonly Approver[];
}

/** Who may decide on an approval, and whether there is still the same to decide. */
@Injectable()
export class Eligibility {
  private requestersNow: RequestersSource = async (_tx, approvals) => approvals.map(() => []);
  private reviewer: Reviewer = async () => null;

  constructor(
    private readonly members: MembersService,
    private readonly independence: IndependenceService,
    private readonly introducedReviewers: IntroducedReviewersSetting,
    private readonly changes: AccessChanges,
    private readonly steps: ApprovalStepsService,
  ) {}

  consult(requestersNow: RequestersSource, reviewer: Reviewer): void {
    this.requestersNow = requestersNow;
    this.reviewer = reviewer;
  }

  /** Before a decision: until the transaction ends, nobody gains or loses an account, a membership or a credential. */
  exclude(tx: EntityManager, tenantId: string): Promise<void> {
    return this.changes.exclude(tx, tenantId);
  }

  /** Who may decide a call that is requested now: stored with it, since nobody is added later. */
  async whenRequested(
    tx: EntityManager,
    approval: NewApproval,
  ): Promise<Pick<Approval, 'requesters' | 'deciders' | 'notFourEyes'>> {
    const [judged] = await this.judgeNew(tx, [approval]);
    const deciders = eligibleDeciders(judged);
    return { requesters: [...judged.requesters], deciders, notFourEyes: isNotFourEyes(deciders, judged) };
  }

  /** Their requesters are those who act. */
  judgeNew(tx: EntityManager, approvals: readonly NewApproval[]): Promise<Judged[]> {
    return this.judge(
      tx,
      approvals,
      approvals.map(({ requesters }) => requesters),
    );
  }

  async deciders(tx: EntityManager, approval: Approval): Promise<string[]> {
    return (await this.decidersOfEach(tx, [approval]))[0];
  }

  /** Of approvals of one tenant; in their order. */
  async decidersOfEach(tx: EntityManager, approvals: readonly Approval[]): Promise<string[][]> {
    const judged = await this.judgeStored(tx, approvals);
    return judged.map((one, nth) => remaining(approvals[nth], one));
  }

  async judgeStored(tx: EntityManager, approvals: readonly Approval[]): Promise<Judged[]> {
    return this.judge(tx, approvals, await this.requestersNow(tx, approvals));
  }

  /** Whether the approval would carry one signature only, if this member decided. */
  async isNotFourEyes(tx: EntityManager, approval: Approval, memberId: string): Promise<boolean> {
    const [judged] = await this.judgeStored(tx, [approval]);
    return isNotFourEyes([memberId], judged);
  }

  /** Why what waits is not what would be asked for now, or null. */
  async change(tx: EntityManager, approval: Approval): Promise<string | null> {
    return (await this.stepChange(tx, approval)) ?? (await this.reviewer(tx, approval));
  }

  /** Why a vote does not count any more, or null. */
  async lapse(tx: EntityManager, approval: Approval): Promise<string | null> {
    const changed = await this.stepChange(tx, approval);
    if (changed) return changed;
    const counts = (await this.deciders(tx, approval)).includes(approval.decidedBy!);
    return counts ? null : 'The member who approved may not decide on this call any more.';
  }

  private async judge(
    tx: EntityManager,
    approvals: readonly (NewApproval & Partial<Approval>)[],
    actingNow: readonly string[][],
  ): Promise<Judged[]> {
    const [{ tenantId }] = approvals;
    const answering = approvals.flatMap(({ answerableId }) => answerableId ?? []);
    const active = await this.members.activeAmong(tx, tenantId, answering);
    const isAlone = (await this.members.countActive(tx, tenantId)) === 1;
    const groups = await this.approversByGroup(tx, tenantId, approvals);
    const approverIds = [...groups.values()].flatMap((group) => group.map(({ id }) => id));
    const independence = await this.independence.of(tx, tenantId, [...approverIds, ...actingNow.flat(), ...answering]);
    const acceptsIntroduced = await this.introducedReviewers.isInEffect(tx, tenantId);
    const statusChanges = await this.statusChanges(tx, tenantId, approvals);
    return approvals.map((approval, nth) => {
      const { tier, byAgent, answerableId, approverGroupId, createdAt, requesters: then, deciders = [] } = approval;
      const acting = actingNow[nth];
      const answerable = [...new Set([...then, ...independence.requesters(acting)])];
      const concerned = [...answerable, ...deciders];
      const statusChangers = statusChanges
        .filter(({ memberId, at }) => at > createdAt && concerned.includes(memberId))
        .map(({ changedBy }) => changedBy);
      const requesters = [...new Set([...answerable, ...statusChangers])];
      const group = groups.get(approverGroupId)!;
      return {
        approval,
        tier,
        byAgent,
        answerableId: answerableId !== null && active.has(answerableId) ? answerableId : null,
        requesters,
        approvers: group.flatMap(({ id, since }) => (since < createdAt ? [id] : [])),
        isIndependent: (id) =>
          acceptsIntroduced ? !requesters.includes(id) : independence.isIndependent(id, requesters),
        isAlone,
        acting,
        statusChangers,
        independence,
        acceptsIntroduced,
        group,
      };
    });
  }

  private async statusChanges(
    tx: EntityManager,
    tenantId: string,
    approvals: readonly (NewApproval & Partial<Approval>)[],
  ) {
    const stored = approvals.filter(({ deciders }) => deciders);
    if (!stored.length) return [];
    const since = new Date(Math.min(...stored.map(({ createdAt }) => createdAt.getTime())));
    const concerned = stored.flatMap(({ requesters, deciders = [] }) => [...requesters, ...deciders]);
    return this.independence.statusChanges(tx, tenantId, since, [...new Set(concerned)]);
  }

  private async approversByGroup(tx: EntityManager, tenantId: string, approvals: readonly NewApproval[]) {
    const found = new Map<string | null, Approver[]>();
    for (const groupId of new Set(approvals.map(({ approverGroupId }) => approverGroupId)))
      found.set(groupId, await this.members.approvers(tx, tenantId, groupId));
    return found;
  }

  private async stepChange(
    tx: EntityManager,
    { tenantId, stepName, tier, approverGroupId }: Approval,
  ): Promise<string | null> {
    const step = await this.steps.find(tx, tenantId, stepName);
    const isSame = step?.tier === tier && step.approverGroupId === approverGroupId;
    return isSame ? null : `The approval step "${stepName}" was changed.`;
  }
}

export const remaining = ({ deciders, notFourEyes }: Approval, judged: Judged): string[] =>
  remainingDeciders(deciders, { ...judged, needsIndependence: !notFourEyes });
