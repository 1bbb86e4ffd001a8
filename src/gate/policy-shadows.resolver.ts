import { Args, Mutation, Query, Resolver } from '@nestjs/graphql';
import { IdArgument } from '../platform/graphql/id-argument.decorator.js';
import { Allow, Authenticate } from '../principal/allow.decorator.js';
import { CurrentPrincipal } from '../principal/current-principal.decorator.js';
import type { Principal } from '../principal/principal.js';
import { PolicyShadow } from './policy-shadow.entity.js';
import { StartPolicyShadowInput, StopPolicyShadowInput } from './policy-shadow.input.js';
import { PolicyShadowsService } from './policy-shadows.service.js';

/** In a session only: a text with conditions on arguments would reveal them. */
@Resolver(() => PolicyShadow)
@Authenticate('session')
export class PolicyShadowsResolver {
  constructor(private readonly shadows: PolicyShadowsService) {}

  @Query(() => PolicyShadow, {
    nullable: true,
    description: 'The shadow that runs, or the last one. Null: none was started.',
  })
  @Allow('audit:read')
  policyShadow(@CurrentPrincipal() principal: Principal, @IdArgument('configurationId') id: string) {
    return this.shadows.find(principal, id);
  }

  @Mutation(() => PolicyShadow, {
    description:
      'Tries a text on every new call of the configuration, without enforcing it. Replaces an earlier shadow and its results. Ends when a revision is published.',
  })
  @Allow('policies:manage')
  startPolicyShadow(
    @CurrentPrincipal() principal: Principal,
    @Args('input') { configurationId, text }: StartPolicyShadowInput,
  ) {
    return this.shadows.start(principal, configurationId, text);
  }

  @Mutation(() => PolicyShadow, { nullable: true, description: 'Stops the shadow. Its results stay visible.' })
  @Allow('policies:manage')
  stopPolicyShadow(
    @CurrentPrincipal() principal: Principal,
    @Args('input') { configurationId }: StopPolicyShadowInput,
  ) {
    return this.shadows.stop(principal, configurationId);
  }
}
