import { Args, Mutation, Resolver } from '@nestjs/graphql';
import { Approval } from '../approvals/approval.entity.js';
import { Allow, Authenticate } from '../principal/allow.decorator.js';
import { CurrentPrincipal } from '../principal/current-principal.decorator.js';
import type { Principal } from '../principal/principal.js';
import { RecordApprovalViewInput } from './approval-view.input.js';
import { ApprovalViewsService } from './approval-views.service.js';

@Resolver(() => Approval)
@Authenticate('session')
export class ApprovalViewsResolver {
  constructor(private readonly approvalViews: ApprovalViewsService) {}

  @Mutation(() => Boolean, {
    description:
      'Records that you have the arguments of a call in front of you. Returns true the first time. Nothing is recorded if you cannot decide on the approval.',
  })
  @Allow('approvals:decide')
  recordApprovalView(@CurrentPrincipal() principal: Principal, @Args('input') input: RecordApprovalViewInput) {
    return this.approvalViews.record(principal, input.id, input.argumentsHash);
  }
}
