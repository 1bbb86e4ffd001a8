import { Args, Field, InputType, Int, Mutation, Query, Resolver } from '@nestjs/graphql';
import { IsBoolean } from 'class-validator';
import { Allow, Authenticate } from '../../principal/allow.decorator.js';
import { CurrentPrincipal } from '../../principal/current-principal.decorator.js';
import type { Principal } from '../../principal/principal.js';
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

  @Query(() => Boolean, { description: 'Whether spend reports show pseudonyms instead of names.' })
  @Authenticate('session', 'admin-token')
  @Allow('spend:read')
  spendPseudonymsShown(@CurrentPrincipal() principal: Principal) {
    return this.pseudonyms.areShown(principal);
  }

  @Mutation(() => Boolean, {
    description:
      'Sets whether spend reports and exports show pseudonyms instead of names, including to analysts. Your own usage is not affected. Requires a session.',
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
      'Generates new pseudonyms for all people and returns their number. Old pseudonyms become invalid. Requires a session.',
  })
  @Allow('spend:manage')
  regenerateSpendPseudonyms(@CurrentPrincipal() principal: Principal) {
    return this.pseudonyms.regenerate(principal);
  }
}
