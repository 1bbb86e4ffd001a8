import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { GroupMember } from '../access/group-member.entity.js';
import type { ApprovalStep } from '../approvals/approval-step.entity.js';
import { ApprovalStepsService } from '../approvals/approval-steps.service.js';
import { Approval } from '../approvals/approval.entity.js';
import { ConfigurationsService } from '../configurations/configurations.service.js';
import { type OfferedTool, ToolsService } from '../connections/tools.service.js';
import { findConnectionChangeReason } from '../gate/call-evaluation.service.js';
import type { CallReview } from '../gate/call-review.entity.js';
import { CallReviewsService } from '../gate/call-reviews.service.js';
import { ToolCall } from '../gate/tool-call.entity.js';
import { DatabaseService } from '../platform/database/database.service.js';
import { Problem } from '../platform/errors/problem.js';
import type { Tx } from '../platform/database/tx.js';
import type { PermitObstacle, PermittedCall } from '../policies/narrow-permits.service.js';
import { toEvaluatedTool } from '../policies/replay-decisions.service.js';
import { systemPrincipal } from '../principal/principal.js';
import type { PermitProposal } from './permit-proposal.entity.js';

type ProposalSubject = Pick<
  PermitProposal,
  | 'configurationId'
  | 'tool'
  | 'principalKind'
  | 'principalId'
  | 'definitionHash'
  | 'stepName'
  | 'approvalIds'
  | 'isSameSurface'
  | 'isUntainted'
>;

/** What the database knows about proposed calls. */
interface ProposalFacts {
  /** The newest approval of each call, by id. */
  approvals: Map<string, Approval>;
  /** By id. */
  calls: Map<string, ToolCall>;
  steps: Map<string, ApprovalStep>;
  configurations: Map<string, { tools: readonly OfferedTool[]; groupIds: string[] }>;
  memberGroups: Map<string, string[]>;
}

/** Loads the calls behind proposals, and says why no permit may be proposed for them. */
@Injectable()
export class ProposalEvidenceService {
  constructor(
    private readonly database: DatabaseService,
    private readonly callReviews: CallReviewsService,
    private readonly steps: ApprovalStepsService,
    private readonly tools: ToolsService,
    private readonly configurations: ConfigurationsService,
  ) {}

  /** The newest call of each proposal, in their order: the others are equal in everything that counts. */
  async loadEach(tenantId: string, proposed: readonly ProposalSubject[]): Promise<(PermittedCall | PermitObstacle)[]> {
    if (!proposed.length) return [];
    const facts = await this.database.tenant({ tenantId }, (tx) => this.loadFacts(tx, tenantId, proposed));
    return Promise.all(proposed.map((one) => this.toPermittedCall(one, facts)));
  }

  async load(tenantId: string, proposed: ProposalSubject): Promise<PermittedCall | PermitObstacle> {
    return (await this.loadEach(tenantId, [proposed]))[0];
  }

  private async loadFacts(tx: Tx, tenantId: string, proposed: readonly ProposalSubject[]): Promise<ProposalFacts> {
    const approvalIds = proposed.map(({ approvalIds: [newest] }) => newest);
    const approvals = await tx.findBy(Approval, { tenantId, id: In(approvalIds) });
    const calls = await tx.find(ToolCall, {
      where: { tenantId, id: In(approvals.map(({ callId }) => callId)) },
      select: { tenantId: true, id: true, connectionId: true, connectionRevision: true },
    });
    const memberIds = proposed.flatMap((one) => (one.principalKind === 'member' ? [one.principalId] : []));
    const memberships = memberIds.length ? await tx.findBy(GroupMember, { tenantId, memberId: In(memberIds) }) : [];
    return {
      approvals: new Map(approvals.map((approval) => [approval.id, approval])),
      calls: new Map(calls.map((call) => [call.id, call])),
      steps: new Map((await this.steps.listIn(tx, tenantId)).map((step) => [step.name, step])),
      configurations: await this.loadConfigurations(tx, tenantId, proposed),
      memberGroups: new Map(
        [...Map.groupBy(memberships, ({ memberId }) => memberId)].map(([id, own]) => [
          id,
          own.map(({ groupId }) => groupId),
        ]),
      ),
    };
  }

  private async loadConfigurations(
    tx: Tx,
    tenantId: string,
    proposed: readonly ProposalSubject[],
  ): Promise<ProposalFacts['configurations']> {
    const principal = systemPrincipal(tenantId, 'permit proposals');
    const ids = [...new Set(proposed.map(({ configurationId }) => configurationId))];
    const bundles = await this.configurations.findBundles(tx, tenantId, ids);
    const fingerprints = await this.configurations.toolsFingerprintsOf(tx, tenantId, ids);
    const loaded: ProposalFacts['configurations'] = new Map();
    for (const [configurationId, { connectionIds, groupIds }] of bundles) {
      const toolsFingerprint = fingerprints.get(configurationId);
      const tools = await this.tools.list(principal, { configurationId, connectionIds, toolsFingerprint, tx });
      loaded.set(configurationId, { tools, groupIds });
    }
    return loaded;
  }

  private async toPermittedCall(
    {
      configurationId,
      tool: name,
      principalKind,
      principalId,
      definitionHash,
      stepName,
      approvalIds,
      isSameSurface,
      isUntainted,
    }: ProposalSubject,
    { approvals, calls, steps, configurations, memberGroups }: ProposalFacts,
  ): Promise<PermittedCall | PermitObstacle> {
    const configuration = configurations.get(configurationId);
    const tool = configuration?.tools.find((offered) => offered.name === name);
    if (!configuration || !tool || tool.definitionHash !== definitionHash || tool.isPendingReview)
      return { obstacle: `${name} is no longer offered as it was when the calls were approved.` };
    const obstacle = stepObstacle(steps.get(stepName));
    if (obstacle) return { obstacle };
    const approval = approvals.get(approvalIds[0]);
    const requested = approval && calls.get(approval.callId);
    const review = requested && (await this.findReview(approval));
    if (!review) return { obstacle: 'The calls are no longer in the ledger.' };
    const changed = findConnectionChangeReason(requested, tool);
    if (changed) return { obstacle: changed };
    const canonical = this.callReviews.findArguments(review);
    if (canonical === null) return { obstacle: 'The arguments of the calls cannot be decrypted.' };
    return {
      call: {
        principal: { type: principalKind === 'agent' ? 'Agent' : 'Member', id: principalId },
        // an agent has the groups of its configuration
        groups: principalKind === 'agent' ? configuration.groupIds : (memberGroups.get(principalId) ?? []),
        tool: name,
        surface: (review.caller as { surface: string }).surface,
        tainted: review.tainted,
        requestedAt: new Date(),
        canonical,
      },
      tool: toEvaluatedTool(tool),
      step: stepName,
      isSameSurface,
      isUntainted,
    };
  }

  /** Null: the call was removed after its retention. Calls are loaded together. */
  private async findReview(approval: Approval): Promise<CallReview | null> {
    try {
      return await this.callReviews.getOf(approval);
    } catch (error) {
      if (error instanceof Problem) return null;
      throw error;
    }
  }
}

/** Where one approval is not enough for a single call, ten of them are no ground for all later calls. */
function stepObstacle(step: ApprovalStep | undefined): string | null {
  if (!step) return 'The approval step no longer exists.';
  if (step.requiresPasskey) return `Decisions in the step "${step.name}" need a passkey.`;
  return step.quorum > 1 ? `The step "${step.name}" needs more than one approval.` : null;
}
