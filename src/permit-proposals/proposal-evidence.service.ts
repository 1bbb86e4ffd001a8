import { Injectable } from '@nestjs/common';
import { MembersService } from '../access/members.service.js';
import { ApprovalStepsService } from '../approvals/approval-steps.service.js';
import { Approval } from '../approvals/approval.entity.js';
import { ToolsService } from '../connections/tools.service.js';
import type { CallReview } from '../gate/call-review.entity.js';
import { CallReviewsService } from '../gate/call-reviews.service.js';
import { DatabaseService } from '../platform/database/database.service.js';
import { Problem } from '../platform/errors/problem.js';
import { ConfigurationPartsRegistry } from '../policies/configuration-parts-registry.service.js';
import type { PermitObstacle, PermittedCall } from '../policies/narrow-permits.service.js';
import { toEvaluatedTool } from '../policies/replay-decisions.service.js';
import { systemPrincipal } from '../principal/principal.js';
import type { PermitProposal } from './permit-proposal.entity.js';

export type ProposedCall = Pick<
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

/** Loads the calls behind proposals, and says whether a permit may be proposed for them at all. */
@Injectable()
export class ProposalEvidenceService {
  constructor(
    private readonly database: DatabaseService,
    private readonly callReviews: CallReviewsService,
    private readonly steps: ApprovalStepsService,
    private readonly tools: ToolsService,
    private readonly members: MembersService,
    private readonly parts: ConfigurationPartsRegistry,
  ) {}

  /** The newest of the calls. They are equal in everything that counts. */
  async load(tenantId: string, proposed: ProposedCall): Promise<PermittedCall | PermitObstacle> {
    const { configurationId, tool: name, stepName, approvalIds, isSameSurface, isUntainted } = proposed;
    const principal = systemPrincipal(tenantId, 'permit proposals');
    const { approval, step, tool, groups } = await this.database.tenant(principal, async (tx) => {
      const { connectionIds, groupIds } = await this.parts.load(tx, tenantId, configurationId);
      const offered = await this.tools.list(principal, { configurationId, connectionIds, tx });
      return {
        approval: await tx.findOneBy(Approval, { tenantId, id: approvalIds[0] }),
        step: await this.steps.find(tx, tenantId, stepName),
        tool: offered.find((one) => one.name === name),
        groups:
          proposed.principalKind === 'agent'
            ? groupIds
            : await this.members.listGroupIds(principal, proposed.principalId, tx),
      };
    });
    if (!tool || tool.definitionHash !== proposed.definitionHash || tool.isPendingReview)
      return { obstacle: `${name} is no longer offered as it was when the calls were approved.` };
    // one approval is all the evidence that these steps accept for one call, so ten are none for all later calls
    if (step?.quorum !== 1) return { obstacle: `The step "${stepName}" needs more than one approval.` };
    const review = approval && (await this.findReview(approval));
    if (!review) return { obstacle: 'The calls are no longer in the ledger.' };
    const { caller, arguments: canonical } = review;
    return {
      call: {
        principal: { type: proposed.principalKind === 'agent' ? 'Agent' : 'Member', id: proposed.principalId },
        groups,
        tool: name,
        surface: (caller as { surface: string }).surface,
        tainted: review.tainted,
        requestedAt: new Date(),
        canonical,
      },
      tool: toEvaluatedTool(tool),
      isSameSurface,
      isUntainted,
      step: stepName,
    };
  }

  /** Null: the call was removed after its retention. */
  private async findReview(approval: Approval): Promise<CallReview | null> {
    try {
      return await this.callReviews.getOf(approval);
    } catch (error) {
      if (error instanceof Problem) return null;
      throw error;
    }
  }
}
