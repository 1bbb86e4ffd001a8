import { Args, Mutation, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import { RequestLoader } from '../platform/graphql/request-loader.js';
import { Allow, Authenticate } from '../principal/allow.decorator.js';
import { CurrentPrincipal } from '../principal/current-principal.decorator.js';
import type { Principal } from '../principal/principal.js';
import { ApprovalStep } from './approval-step.entity.js';
import { SaveApprovalStepInput } from './approval-step.input.js';
import { ApprovalStepsService } from './approval-steps.service.js';
import { ApprovalStepChangesService } from './approval-step-changes.service.js';
import { PasskeyWarningsService } from './passkey-warnings.service.js';

@Resolver(() => ApprovalStep)
export class ApprovalStepsResolver {
  private readonly warningLoader: RequestLoader<Principal, string | null, ApprovalStep>;

  constructor(
    private readonly steps: ApprovalStepsService,
    private readonly changes: ApprovalStepChangesService,
    passkeyWarnings: PasskeyWarningsService,
  ) {
    this.warningLoader = new RequestLoader((principal, steps) => passkeyWarnings.findOfEach(principal, steps));
  }

  @Query(() => [ApprovalStep], { description: 'The approval steps that policies can refer to with @approval.' })
  @Authenticate('session', 'admin-token')
  @Allow('policies:read')
  approvalSteps(@CurrentPrincipal() principal: Principal) {
    return this.steps.list(principal);
  }

  @ResolveField(() => String, {
    nullable: true,
    description: 'Why calls that need this step would be denied at once: too few approvers have a passkey.',
  })
  @Authenticate('session', 'admin-token')
  @Allow('policies:read')
  passkeyWarning(@CurrentPrincipal() principal: Principal, @Parent() step: ApprovalStep) {
    return this.warningLoader.load(principal, step);
  }

  @Mutation(() => ApprovalStep, {
    description:
      'Creates or replaces an approval step. If the step changes, calls that wait for it are denied and have to be requested again.',
  })
  @Authenticate('session')
  @Allow('policies:manage')
  saveApprovalStep(@CurrentPrincipal() principal: Principal, @Args('input') input: SaveApprovalStepInput) {
    return this.changes.save(principal, input);
  }
}
