import {
  Args,
  ArgsType,
  Field,
  ID,
  InputType,
  Int,
  Mutation,
  Parent,
  Query,
  ResolveField,
  Resolver,
} from '@nestjs/graphql';
import { IsOptional, IsUUID } from 'class-validator';
import { type Page, PageArgs, nestedPage, type NestedPage } from '../../platform/graphql/connection.js';
import { RequestLoader } from '../../platform/graphql/request-loader.js';
import { Allow, AllowAdminToken, Authenticate } from '../../principal/allow.decorator.js';
import { CurrentPrincipal } from '../../principal/current-principal.decorator.js';
import type { Principal } from '../../principal/principal.js';
import { GrantsService } from '../grants.service.js';
import type { NamedGrant } from '../grants.service.js';
import { OauthClient } from '../client.entity.js';
import { ConnectedProductsService } from './connected-products.service.js';
import { OauthGrantConnection } from './grant.object.js';

@ArgsType()
export class OauthGrantsArgs extends PageArgs {
  @Field(() => ID, { nullable: true, description: 'Only grants of this member.' })
  @IsOptional()
  @IsUUID()
  memberId?: string;

  @Field(() => ID, { nullable: true, description: 'Only grants to this client.' })
  @IsOptional()
  @IsUUID()
  clientId?: string;
}

@InputType()
export class RevokeOauthGrantInput {
  @Field(() => ID)
  @IsUUID()
  grantId: string;
}

@InputType()
export class RevokeOauthGrantsInput {
  @Field(() => ID)
  @IsUUID()
  memberId: string;

  @Field(() => ID)
  @IsUUID()
  clientId: string;
}

@Resolver(() => OauthClient)
@Authenticate('session', 'admin-token')
@Allow('organization:manage')
export class GrantsResolver {
  private readonly grantsOf: RequestLoader<Principal, Page<NamedGrant>, NestedPage>;

  constructor(
    private readonly grantsService: GrantsService,
    private readonly products: ConnectedProductsService,
  ) {
    this.grantsOf = new RequestLoader((principal, pages) => grantsService.pagesOfClients(principal, pages));
  }

  @Query(() => OauthGrantConnection, { description: 'Live grants of members to products, newest first.' })
  oauthGrants(@CurrentPrincipal() principal: Principal, @Args() { memberId, clientId, ...page }: OauthGrantsArgs) {
    return this.grantsService.listPage(principal, { memberId, clientId }, page);
  }

  @AllowAdminToken()
  @Mutation(() => ID, { description: 'Ends one grant. The next request with its tokens is refused.' })
  async revokeOauthGrant(@CurrentPrincipal() principal: Principal, @Args('input') { grantId }: RevokeOauthGrantInput) {
    await this.products.revoke(principal, grantId);
    return grantId;
  }

  @AllowAdminToken()
  @Mutation(() => Int, {
    description:
      'Ends all grants of one member to one product, which then has to ask for consent again. Returns the number of ended grants.',
  })
  revokeOauthGrants(
    @CurrentPrincipal() principal: Principal,
    @Args('input') { memberId, clientId }: RevokeOauthGrantsInput,
  ) {
    return this.products.revokeAll(principal, memberId, clientId);
  }

  @ResolveField(() => OauthGrantConnection, { description: 'Newest first.' })
  grants(@CurrentPrincipal() principal: Principal, @Parent() { id }: OauthClient, @Args() page: PageArgs) {
    return this.grantsOf.load(principal, nestedPage(id, page));
  }
}
