import { Args, Field, ID, InputType, Mutation, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import { ArrayMaxSize, IsBoolean, IsOptional, IsUUID, Length } from 'class-validator';
import { basedOnField, contentVersionOf } from '../../platform/graphql/version.js';
import { Allow, Authenticate } from '../../principal/allow.decorator.js';
import { CurrentPrincipal } from '../../principal/current-principal.decorator.js';
import type { Principal } from '../../principal/principal.js';
import { viewSettings, SpendView } from './view.entity.js';
import { AnalystViewsService } from './analyst-views.service.js';

@InputType()
export class SetSpendViewInput {
  @Field(() => ID)
  @IsUUID()
  memberId: string;

  @Field({ defaultValue: false })
  @IsBoolean()
  seesEverybody: boolean;

  @Field(() => [ID], { defaultValue: [], description: 'Spend groups, not cost centres. Empty: only totals.' })
  @IsUUID(undefined, { each: true })
  @ArrayMaxSize(500)
  groupIds: string[];

  @Field(() => String, basedOnField)
  @IsOptional()
  @Length(1, 40)
  basedOn?: string | null;
}

@Resolver(() => SpendView)
@Authenticate('session', 'admin-token')
export class AnalystViewsResolver {
  constructor(private readonly views: AnalystViewsService) {}

  @Query(() => [SpendView], { description: 'All analysts by name, with the people whose individual usage they see.' })
  @Allow('spend:manage')
  spendViews(@CurrentPrincipal() principal: Principal) {
    return this.views.list(principal);
  }

  @Query(() => SpendView, {
    nullable: true,
    description:
      'Whose individual usage you see. Null if you are not an analyst. Access to individual usage is audited.',
  })
  @Allow('spend:read')
  mySpendView(@CurrentPrincipal() principal: Principal) {
    return this.views.findOwn(principal);
  }

  @ResolveField(() => String, { description: 'Changes with each update.' })
  @Allow('spend:read')
  version(@Parent() view: SpendView): string {
    return contentVersionOf(viewSettings(view));
  }

  @Mutation(() => SpendView, {
    description: 'Replaces the access of an analyst to individual usage. Requires a session.',
  })
  @Authenticate('session')
  @Allow('spend:manage')
  setSpendView(@CurrentPrincipal() principal: Principal, @Args('input') input: SetSpendViewInput) {
    return this.views.set(principal, input);
  }
}
