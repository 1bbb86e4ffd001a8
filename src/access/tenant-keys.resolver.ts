import { Args, Field, GraphQLISODateTime, ID, InputType, Mutation, ObjectType, Query, Resolver } from '@nestjs/graphql';
import { ArrayNotEmpty, IsDate, IsIn, IsOptional, IsUUID } from 'class-validator';
import { PageArgs, Paginated } from '../platform/graphql/connection.js';
import { IsText } from '../platform/graphql/is-text.decorator.js';
import { Allow, AllowAdminToken, Authenticate } from '../principal/allow.decorator.js';
import { CurrentPrincipal } from '../principal/current-principal.decorator.js';
import type { Principal } from '../principal/principal.js';
import { type KeyScope, KeyScopeEnum, keyScopes, TenantKey } from './tenant-key.entity.js';
import { TenantKeysService } from './tenant-keys.service.js';

@ObjectType()
export class TenantKeyConnection extends Paginated(TenantKey) {}

@ObjectType({ description: 'A newly created key.' })
export class CreatedTenantKey {
  @Field(() => TenantKey)
  tenantKey: TenantKey;

  @Field({ description: 'Shown only once.' })
  key: string;
}

@InputType()
export class CreateTenantKeyInput {
  @Field()
  @IsText(80)
  name: string;

  @Field(() => [KeyScopeEnum])
  @ArrayNotEmpty()
  @IsIn(keyScopes, { each: true })
  scopes: KeyScope[];

  @Field(() => GraphQLISODateTime, { nullable: true })
  @IsOptional()
  @IsDate()
  expiresAt?: Date | null;
}

@InputType()
export class RevokeTenantKeyInput {
  @Field(() => ID)
  @IsUUID()
  tenantKeyId: string;
}

@Resolver(() => TenantKey)
@Authenticate('session', 'admin-token')
@Allow('keys:manage')
export class TenantKeysResolver {
  constructor(private readonly service: TenantKeysService) {}

  @Query(() => TenantKeyConnection, { description: 'Newest first, including revoked and expired ones.' })
  tenantKeys(@CurrentPrincipal() principal: Principal, @Args() page: PageArgs) {
    return this.service.list(principal, page);
  }

  @Mutation(() => CreatedTenantKey, { description: 'Requires a session.' })
  createTenantKey(@CurrentPrincipal() principal: Principal, @Args('input') input: CreateTenantKeyInput) {
    return this.service.create(principal, input);
  }

  @AllowAdminToken()
  @Mutation(() => TenantKey)
  revokeTenantKey(@CurrentPrincipal() principal: Principal, @Args('input') { tenantKeyId }: RevokeTenantKeyInput) {
    return this.service.revoke(principal, tenantKeyId);
  }
}
