import { Args, Mutation, Query, Resolver } from '@nestjs/graphql';
import { Allow, Authenticate } from '../principal/allow.decorator.js';
import { CurrentPrincipal } from '../principal/current-principal.decorator.js';
import type { Principal } from '../principal/principal.js';
import { ApprovalStep } from './approval-step.entity.js';
import { SaveApprovalStepInput } from './approval-step.input.js';
import { ApprovalStepsService } from './approval-steps.service.js';
import { ApprovalsService } from './approvals.service.js';

@Resolver(() => ApprovalStep)
export class ApprovalStepsResolver {
  constructor(
    private readonly steps: ApprovalStepsService,
    private readonly approvals: ApprovalsService,
  ) {}

  @Query(() => [ApprovalStep], { description: 'The steps that a policy may name in @approval.' })
  @Authenticate('session', 'admin-token')
  @Allow('policies:read')
  approvalSteps(@CurrentPrincipal() principal: Principal) {
    return this.steps.list(principal);
  }

  @Mutation(() => ApprovalStep, {
    description:
      'Creates or replaces a step. Calls that wait for its former form are denied and have to be asked for again.',
  })
  @Authenticate('session')
  @Allow('policies:manage')
  saveApprovalStep(@CurrentPrincipal() principal: Principal, @Args('input') input: SaveApprovalStepInput) {
    return this.approvals.saveStep(principal, input);
  }
}
