import { Injectable } from '@nestjs/common';
import type { Tx } from '../platform/database/tx.js';
import { AccessChangeNotifier } from '../access/independence/access-change-notifier.service.js';
import { type Independence, IndependenceService } from '../access/independence/independence.service.js';
import { IntroducedReviewersService } from '../access/independence/introduced-reviewers.service.js';
import { type Approver, MembersService } from '../access/members.service.js';
import { ApprovalStepsService } from './approval-steps.service.js';
import type { Approval } from './approval.entity.js';
import { type EligibilityFacts, eligibleDeciders, isSelfApproved, remainingDeciders } from './tier.js';

/**
 * The members who act in the calls of these approvals, in their order: the person or the member responsible for the
 * agent, the chain, and everyone who knows a credential that was used. The set can grow: a member may reveal a key of
 * the agent after the request.
 */
export type RequestersSource = (tx: Tx, approvals: readonly Approval[]) => Promise<string[][]>;
/** Why the call would no longer run as requested, or null. */
export type CallRevalidator = (tx: Tx, approval: Approval) => Promise<string | null>;

/** An approval before it is requested: its deciders are not stored yet. */
export type NewApproval = Omit<Approval, 'deciders' | 'selfApproved'>;

/** The facts about who can decide on an approval now. */
export interface ApprovalAssessment extends EligibilityFacts {
  approval: NewApproval & Partial<Approval>;
  /** Members who act in the call or know a credential that was used. */
  acting: string[];
  /** Members who suspended or reactivated a requester or an approver since the call was requested. */
  statusChangers: string[];
  independence: Independence;
  /** Two administrators accept reviewers whom a requester introduced. */
  acceptsIntroduced: boolean;
  /** All active members of the step's group, including those who joined later. */
  group: readonly Approver[];
}

/** Determines who can decide on an approval, and whether its call would still run as requested. */
@Injectable()
export class ApprovalEligibilityService {
  private loadRequesters: RequestersSource = async (_tx, approvals) => approvals.map(() => []);
  private revalidateCall: CallRevalidator = async () => null;

  constructor(
    private readonly members: MembersService,
    private readonly independence: IndependenceService,
    private readonly introducedReviewers: IntroducedReviewersService,
    private readonly changes: AccessChangeNotifier,
    private readonly steps: ApprovalStepsService,
  ) {}

  registerCallSources(loadRequesters: RequestersSource, revalidateCall: CallRevalidator): void {
    this.loadRequesters = loadRequesters;
    this.revalidateCall = revalidateCall;
  }

  /** Before a decision: until the transaction ends, no account, membership or credential changes. */
  blockAccessChanges(tx: Tx, tenantId: string): Promise<void> {
    return this.changes.blockChanges(tx, tenantId);
  }

  /** Who can decide on a call that is requested now. Stored with the approval, because no one is added later. */
  async assessRequest(
    tx: Tx,
    approval: NewApproval,
  ): Promise<Pick<Approval, 'requesters' | 'deciders' | 'selfApproved'>> {
    const [assessment] = await this.assessNew(tx, [approval]);
    const deciders = eligibleDeciders(assessment);
    return { requesters: [...assessment.requesters], deciders, selfApproved: isSelfApproved(deciders, assessment) };
  }

  /** The requesters of a new approval are the members who act in the call. */
  assessNew(tx: Tx, approvals: readonly NewApproval[]): Promise<ApprovalAssessment[]> {
    return this.assess(
      tx,
      approvals,
      approvals.map(({ requesters }) => requesters),
    );
  }

  async deciders(tx: Tx, approval: Approval): Promise<string[]> {
    return (await this.decidersOfEach(tx, [approval]))[0];
  }

  /** For approvals of one tenant, in their order. */
  async decidersOfEach(tx: Tx, approvals: readonly Approval[]): Promise<string[][]> {
    const assessments = await this.assessStored(tx, approvals);
    return assessments.map((one, nth) => remainingDecidersOf(approvals[nth], one));
  }

  async assessStored(tx: Tx, approvals: readonly Approval[]): Promise<ApprovalAssessment[]> {
    return this.assess(tx, approvals, await this.loadRequesters(tx, approvals));
  }

  /** Whether the approval would lack a second, independent person if this member decided. */
  async isSelfApproved(tx: Tx, approval: Approval, memberId: string): Promise<boolean> {
    const [assessment] = await this.assessStored(tx, [approval]);
    return isSelfApproved([memberId], assessment);
  }

  /** Whether no requester of the call is this member or could use their account. */
  async isIndependentOfRequesters(tx: Tx, approval: Approval, memberId: string): Promise<boolean> {
    const [{ requesters, acceptsIntroduced }] = await this.assessStored(tx, [approval]);
    if (requesters.includes(memberId)) return false;
    if (acceptsIntroduced) return true;
    const independence = await this.independence.load(tx, approval.tenantId, [...requesters, memberId]);
    return independence.isIndependent(memberId, requesters);
  }

  /** Why the pending approval no longer matches what would be requested now, or null. */
  async findChange(tx: Tx, approval: Approval): Promise<string | null> {
    return (await this.findStepChange(tx, approval)) ?? (await this.revalidateCall(tx, approval));
  }

  /** Why the approvals of the members no longer count, or null. */
  async findLapse(tx: Tx, approval: Approval): Promise<string | null> {
    const changed = await this.findStepChange(tx, approval);
    if (changed) return changed;
    const deciders = await this.deciders(tx, approval);
    const counts = approval.approvedBy.every((id) => deciders.includes(id));
    return counts ? null : 'A member who approved this call can no longer decide on it.';
  }

  private async assess(
    tx: Tx,
    approvals: readonly (NewApproval & Partial<Approval>)[],
    actingNow: readonly string[][],
  ): Promise<ApprovalAssessment[]> {
    const [{ tenantId }] = approvals;
    const responsibleIds = approvals.flatMap(({ responsibleId }) => responsibleId ?? []);
    const active = await this.members.filterActive(tx, tenantId, responsibleIds);
    const hasSingleMember = (await this.members.countActive(tx, tenantId)) === 1;
    const groups = await this.approversByGroup(tx, tenantId, approvals);
    const approverIds = [...groups.values()].flatMap((group) => group.map(({ id }) => id));
    const independence = await this.independence.load(tx, tenantId, [
      ...approverIds,
      ...actingNow.flat(),
      ...responsibleIds,
    ]);
    const acceptsIntroduced = await this.introducedReviewers.isInEffect(tx, tenantId);
    const statusChanges = await this.statusChanges(tx, tenantId, approvals);
    return approvals.map((approval, nth) => {
      const { tier, byAgent, responsibleId, approverGroupId, createdAt, deciders = [] } = approval;
      const acting = actingNow[nth];
      const callRequesters = [...approval.requesters, ...independence.requesters(acting)];
      const concerned = [...callRequesters, ...deciders];
      const statusChangers = statusChanges
        .filter(({ memberId, at }) => at > createdAt && concerned.includes(memberId))
        .map(({ changedBy }) => changedBy);
      const requesters = [...new Set([...callRequesters, ...statusChangers])];
      const group = groups.get(approverGroupId)!;
      return {
        approval,
        tier,
        byAgent,
        responsibleId: responsibleId !== null && active.has(responsibleId) ? responsibleId : null,
        requesters,
        approvers: group.flatMap(({ id, since }) => (since < createdAt ? [id] : [])),
        isIndependent: (id) =>
          acceptsIntroduced ? !requesters.includes(id) : independence.isIndependent(id, requesters),
        hasSingleMember,
        acting,
        statusChangers,
        independence,
        acceptsIntroduced,
        group,
      };
    });
  }

  private async statusChanges(tx: Tx, tenantId: string, approvals: readonly (NewApproval & Partial<Approval>)[]) {
    const stored = approvals.filter(({ deciders }) => deciders);
    if (!stored.length) return [];
    const since = new Date(Math.min(...stored.map(({ createdAt }) => createdAt.getTime())));
    const concerned = stored.flatMap(({ requesters, deciders = [] }) => [...requesters, ...deciders]);
    return this.independence.statusChanges(tx, tenantId, since, [...new Set(concerned)]);
  }

  private async approversByGroup(tx: Tx, tenantId: string, approvals: readonly NewApproval[]) {
    const found = new Map<string | null, Approver[]>();
    for (const groupId of new Set(approvals.map(({ approverGroupId }) => approverGroupId)))
      found.set(groupId, await this.members.listApprovers(tx, tenantId, groupId));
    return found;
  }

  private async findStepChange(
    tx: Tx,
    { tenantId, stepName, tier, approverGroupId, quorum }: Approval,
  ): Promise<string | null> {
    const step = await this.steps.find(tx, tenantId, stepName);
    const isSame = step?.tier === tier && step.approverGroupId === approverGroupId && step.quorum === quorum;
    return isSame ? null : `The approval step "${stepName}" was changed.`;
  }
}

/** Of the members who can decide, those who have not approved yet. */
export const undecided = ({ approvedBy }: Approval, deciders: readonly string[]): string[] =>
  deciders.filter((id) => !approvedBy.includes(id));

export const remainingDecidersOf = ({ deciders, selfApproved }: Approval, assessment: ApprovalAssessment): string[] =>
  remainingDeciders(deciders, { ...assessment, needsIndependence: !selfApproved });
