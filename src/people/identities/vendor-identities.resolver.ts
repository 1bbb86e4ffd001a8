import { Args, ArgsType, Field, ID, InputType, Int, Mutation, ObjectType, Query, Resolver } from '@nestjs/graphql';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsEnum,
  IsInt,
  IsOptional,
  IsUUID,
  Max,
  Min,
  ValidateNested,
} from 'class-validator';
import { PageArgs, Paginated } from '../../platform/graphql/connection.js';
import { IsText } from '../../platform/graphql/is-text.decorator.js';
import { Allow, AllowAdminToken, Authenticate } from '../../principal/allow.decorator.js';
import { CurrentPrincipal } from '../../principal/current-principal.decorator.js';
import type { Principal } from '../../principal/principal.js';
import { VendorIdentitiesService } from './vendor-identities.service.js';
import { type IdentityState, identityStates, SpendIdentity } from './identity.entity.js';

const maxIdentitiesPerRequest = 200;
const maxIdentityId = 2 ** 31 - 1;

@ObjectType()
export class SpendIdentityConnection extends Paginated(SpendIdentity) {}

@ArgsType()
export class SpendIdentitiesArgs extends PageArgs {
  @Field(() => ID, { nullable: true })
  @IsOptional()
  @IsUUID()
  connectionId?: string | null;

  @Field(() => identityStates, { nullable: true })
  @IsOptional()
  @IsEnum(identityStates)
  state?: IdentityState | null;

  @Field(() => String, { nullable: true, description: 'Part of the key or the name.' })
  @IsOptional()
  @IsText(120)
  search?: string | null;
}

@InputType()
export class SpendMatchInput {
  @Field(() => Int)
  @IsInt()
  @Min(1)
  @Max(maxIdentityId)
  identityId: number;

  @Field(() => ID)
  @IsUUID()
  personId: string;
}

@InputType()
export class MatchSpendIdentitiesInput {
  @Field(() => [SpendMatchInput], {
    description: `At most ${maxIdentitiesPerRequest}. Either all are matched or none.`,
  })
  @Type(() => SpendMatchInput)
  @ValidateNested({ each: true })
  @ArrayMinSize(1)
  @ArrayMaxSize(maxIdentitiesPerRequest)
  matches: SpendMatchInput[];
}

@InputType()
export class SpendIdentitiesInput {
  @Field(() => [Int], { description: `At most ${maxIdentitiesPerRequest}.` })
  @IsInt({ each: true })
  @Min(1, { each: true })
  @Max(maxIdentityId, { each: true })
  @ArrayMinSize(1)
  @ArrayMaxSize(maxIdentitiesPerRequest)
  identityIds: number[];
}

@Resolver(() => SpendIdentity)
@Authenticate('session', 'admin-token')
@Allow('spend:manage')
export class VendorIdentitiesResolver {
  constructor(private readonly identities: VendorIdentitiesService) {}

  @Query(() => SpendIdentityConnection, {
    description: 'Vendor identities in order of first appearance, with suggestions for unmatched ones.',
  })
  spendIdentities(
    @CurrentPrincipal() principal: Principal,
    @Args() { connectionId, state, search, ...page }: SpendIdentitiesArgs,
  ) {
    return this.identities.list(principal, page, { connectionId, state, search });
  }

  @AllowAdminToken()
  @Mutation(() => [SpendIdentity], {
    description:
      'Matches identities to people. The whole history of an identity moves to the person, and so do other identities with the same key. Rejected if the key is an alias of someone else.',
  })
  matchSpendIdentities(
    @CurrentPrincipal() principal: Principal,
    @Args('input') { matches }: MatchSpendIdentitiesInput,
  ) {
    return this.identities.match(principal, matches);
  }

  @AllowAdminToken()
  @Mutation(() => [SpendIdentity], {
    description: 'Removes identities and their history from their people. Rules do not match them again.',
  })
  unmatchSpendIdentities(
    @CurrentPrincipal() principal: Principal,
    @Args('input') { identityIds }: SpendIdentitiesInput,
  ) {
    return this.identities.unmatch(principal, identityIds);
  }

  @AllowAdminToken()
  @Mutation(() => [SpendIdentity], {
    description: 'Excludes identities from matching. Their usage still counts in totals.',
  })
  ignoreSpendIdentities(
    @CurrentPrincipal() principal: Principal,
    @Args('input') { identityIds }: SpendIdentitiesInput,
  ) {
    return this.identities.ignore(principal, identityIds);
  }

  @AllowAdminToken()
  @Mutation(() => [SpendIdentity], {
    description: 'Reverts "ignored" and "unmatched". Rules can match the identities again.',
  })
  reopenSpendIdentities(
    @CurrentPrincipal() principal: Principal,
    @Args('input') { identityIds }: SpendIdentitiesInput,
  ) {
    return this.identities.reopen(principal, identityIds);
  }
}
