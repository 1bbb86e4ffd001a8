import { Args, Field, GraphQLISODateTime, ID, InputType, Mutation, ObjectType, Query, Resolver } from '@nestjs/graphql';
import { IsDate, IsUUID } from 'class-validator';
import { PageArgs, Paginated } from '../platform/graphql/connection.js';
import { IsText } from '../platform/graphql/is-text.decorator.js';
import { Allow, AllowAdminToken, Authenticate } from '../principal/allow.decorator.js';
import { CurrentPrincipal } from '../principal/current-principal.decorator.js';
import type { Principal } from '../principal/principal.js';
import { AdminToken } from './admin-token.entity.js';
import { AdminTokensService } from './admin-tokens.service.js';

@ObjectType()
export class AdminTokenConnection extends Paginated(AdminToken) {}

@ObjectType({ description: 'A newly created token.' })
export class CreatedAdminToken {
  @Field(() => AdminToken)
  adminToken: AdminToken;

  @Field({ description: 'Shown only once.' })
  token: string;
}

@InputType()
export class CreateAdminTokenInput {
  @Field()
  @IsText(80)
  name: string;

  @Field(() => GraphQLISODateTime, { description: 'At most one year from now.' })
  @IsDate()
  expiresAt: Date;
}

@InputType()
export class RevokeAdminTokenInput {
  @Field(() => ID)
  @IsUUID()
  adminTokenId: string;
}

@Resolver(() => AdminToken)
@Authenticate('session', 'admin-token')
@Allow('organization:manage')
export class AdminTokensResolver {
  constructor(private readonly service: AdminTokensService) {}

  @Query(() => AdminTokenConnection, { description: 'Newest first, including revoked and expired ones.' })
  adminTokens(@CurrentPrincipal() principal: Principal, @Args() page: PageArgs) {
    return this.service.list(principal, page);
  }

  @Mutation(() => CreatedAdminToken, { description: 'Requires a session: a token cannot create another token.' })
  createAdminToken(@CurrentPrincipal() principal: Principal, @Args('input') input: CreateAdminTokenInput) {
    return this.service.create(principal, input);
  }

  @AllowAdminToken('itself')
  @Mutation(() => AdminToken, { description: 'Requires a session or the token itself.' })
  revokeAdminToken(@CurrentPrincipal() principal: Principal, @Args('input') { adminTokenId }: RevokeAdminTokenInput) {
    return this.service.revoke(principal, adminTokenId);
  }
}
