import { Args, Mutation, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import { Approval } from '../approvals/approval.entity.js';
import { Allow, Authenticate } from '../principal/allow.decorator.js';
import { CurrentPrincipal } from '../principal/current-principal.decorator.js';
import type { Principal } from '../principal/principal.js';
import { CallEditsService } from './call-edits.service.js';
import { CallReview } from './call-review.entity.js';
import { CallReviewsService } from './call-reviews.service.js';
import {
  ApprovalPasskeyRequest,
  DecideApprovalInput,
  OverrideApprovalInput,
  RequestApprovalPasskeyInput,
} from './decide-approval.input.js';
import { CallEditResult, EditCallInput } from './edit-call.input.js';

/** Adds the tool call to an approval: the approvals module does not know calls. */
@Resolver(() => Approval)
@Authenticate('session')
export class ApprovalCallResolver {
  constructor(
    private readonly callReviews: CallReviewsService,
    private readonly callEdits: CallEditsService,
  ) {}

  @ResolveField(() => CallReview, { description: 'The tool call to decide on.' })
  @Allow('approvals:decide')
  call(@Parent() approval: Approval) {
    return this.callReviews.getOf(approval);
  }

  @Mutation(() => ApprovalPasskeyRequest, {
    description:
      'For approvals that require a passkey: what the passkey has to sign for this decision on exactly this call. Decides nothing.',
  })
  @Allow('approvals:decide')
  async requestApprovalPasskey(
    @CurrentPrincipal() principal: Principal,
    @Args('input') input: RequestApprovalPasskeyInput,
  ): Promise<ApprovalPasskeyRequest> {
    return { options: JSON.stringify(await this.callReviews.requestPasskey(principal, input)) };
  }

  @Mutation(() => Approval, {
    description:
      'Approves or denies a call, once. The result is "void" if the call would no longer run as requested; then nothing was approved.',
  })
  @Allow('approvals:decide')
  decideApproval(@CurrentPrincipal() principal: Principal, @Args('input') input: DecideApprovalInput) {
    return this.callReviews.decide(principal, input);
  }

  @ResolveField(() => Boolean, {
    description: 'Whether the step lets the members who can decide edit the arguments of the call now.',
  })
  @Allow('approvals:decide')
  isEditable(@CurrentPrincipal() principal: Principal, @Parent() approval: Approval) {
    return this.callEdits.isEditable(principal, approval);
  }

  @Query(() => CallEditResult, {
    description: 'What editing the arguments of a pending call would lead to. Changes nothing.',
  })
  @Allow('approvals:decide')
  previewCallEdit(@CurrentPrincipal() principal: Principal, @Args('input') input: EditCallInput) {
    return this.callEdits.preview(principal, input);
  }

  @Mutation(() => CallEditResult, {
    description:
      'Edits the arguments of a pending call, if its step allows it. The policies decide on the edited call, votes so far are void, and you become a requester: others have to approve it.',
  })
  @Allow('approvals:decide')
  editCall(@CurrentPrincipal() principal: Principal, @Args('input') input: EditCallInput) {
    return this.callEdits.edit(principal, input);
  }

  @Mutation(() => Approval, {
    description:
      'Approves a pending step in place of its approvers, with break-glass rights that were granted before the call was requested. Never by a requester. Notifies all administrators and the approvers, and has to be reviewed by another member. The result is "void" if the call would no longer run as requested. Requires a session in which you confirmed your identity within the last ten minutes.',
  })
  @Allow('approvals:decide')
  overrideApproval(@CurrentPrincipal() principal: Principal, @Args('input') input: OverrideApprovalInput) {
    return this.callReviews.override(principal, input);
  }
}
