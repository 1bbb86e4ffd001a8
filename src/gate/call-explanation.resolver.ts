import { Args, Query, Resolver } from '@nestjs/graphql';
import { Allow, Authenticate } from '../principal/allow.decorator.js';
import { CurrentPrincipal } from '../principal/current-principal.decorator.js';
import type { Principal } from '../principal/principal.js';
import { CallExplanation, ExplainCallArgs } from './call-explanation.object.js';
import { CallExplanationService } from './call-explanation.service.js';

@Resolver(() => CallExplanation)
@Authenticate('session', 'admin-token')
@Allow('policies:read')
export class CallExplanationResolver {
  constructor(private readonly explanations: CallExplanationService) {}

  @Query(() => CallExplanation, {
    description:
      'What the gate would decide now on a call of a member or an agent: the verdict, the policies that determine it, and who could approve. Runs nothing, records nothing and counts nothing.',
  })
  explainCall(@CurrentPrincipal() principal: Principal, @Args() args: ExplainCallArgs) {
    return this.explanations.explain(principal, args);
  }
}
