import { Args, ID, Query, Resolver } from '@nestjs/graphql';
import { Allow, Authenticate } from '../principal/allow.decorator.js';
import { CurrentPrincipal } from '../principal/current-principal.decorator.js';
import type { Principal } from '../principal/principal.js';
import { ApprovalAssertion } from './approval-assertion.entity.js';
import { ApprovalPasskeysService } from './approval-passkeys.service.js';

@Resolver(() => ApprovalAssertion)
@Authenticate('session')
export class ApprovalAssertionsResolver {
  constructor(private readonly service: ApprovalPasskeysService) {}

  @Query(() => [ApprovalAssertion], {
    description: 'The evidence of the passkeys that signed decisions on an approval, oldest first.',
  })
  @Allow('audit:read')
  approvalAssertions(
    @CurrentPrincipal() principal: Principal,
    @Args('approvalId', { type: () => ID }) approvalId: string,
  ) {
    return this.service.list(principal, approvalId);
  }
}
