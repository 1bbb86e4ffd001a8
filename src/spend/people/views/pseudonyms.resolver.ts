import { Args, Field, InputType, Int, Mutation, Query, Resolver } from '@nestjs/graphql';
import { IsBoolean } from 'class-validator';
import { Allow, Authenticate } from '../../../principal/allow.decorator.js';
import { CurrentPrincipal } from '../../../principal/current-principal.decorator.js';
import type { Principal } from '../../../principal/principal.js';
import { PseudonymsService } from './pseudonyms.service.js';

@InputType()
export class SetSpendPseudonymsShownInput {
  @Field()
  @IsBoolean()
  areShown: boolean;
}

@Resolver()
@Authenticate('session')
export class PseudonymsResolver {
  constructor(private readonly pseudonyms: PseudonymsService) {}

  @Query(() => Boolean, { description: 'Whether reports of spend call people by pseudonyms instead of their names.' })
  @Authenticate('session', 'admin-token')
  @Allow('spend:read')
  spendPseudonymsShown(@CurrentPrincipal() principal: Principal) {
    return this.pseudonyms.areShown(principal);
  }

  @Mutation(() => Boolean, {
    description:
      'Whether reports and exports of spend call people by pseudonyms, to analysts as well. Everybody sees their own figures as before. In a session only.',
  })
  @Allow('spend:manage')
  setSpendPseudonymsShown(
    @CurrentPrincipal() principal: Principal,
    @Args('input') { areShown }: SetSpendPseudonymsShownInput,
  ) {
    return this.pseudonyms.setShown(principal, areShown);
  }

  @Mutation(() => Int, {
    description:
      'Draws new pseudonyms for everybody, and says for how many. The old ones lead nowhere. In a session only.',
  })
  @Allow('spend:manage')
  regenerateSpendPseudonyms(@CurrentPrincipal() principal: Principal) {
    return this.pseudonyms.regenerate(principal);
  }
}
