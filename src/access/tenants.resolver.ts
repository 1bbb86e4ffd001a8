import { Args, Field, InputType, Mutation, Query, Resolver } from '@nestjs/graphql';
import { IsText } from '../platform/graphql/is-text.decorator.js';
import { Allow, AllowAdminToken, Authenticate } from '../principal/allow.decorator.js';
import { CurrentPrincipal } from '../principal/current-principal.decorator.js';
import type { Principal } from '../principal/principal.js';
import { Tenant } from './tenant.entity.js';
import { TenantsService } from './tenants.service.js';

@InputType()
export class RenameTenantInput {
  @Field()
  @IsText(120)
  name: string;
}

@Resolver(() => Tenant)
@Authenticate('session', 'admin-token')
export class TenantsResolver {
  constructor(private readonly service: TenantsService) {}

  @Query(() => Tenant, { description: 'Your organization.' })
  @Allow()
  tenant(@CurrentPrincipal() principal: Principal) {
    return this.service.get(principal);
  }

  @Mutation(() => Tenant, { description: 'Requires a session.' })
  @Allow('organization:manage')
  renameTenant(@CurrentPrincipal() principal: Principal, @Args('input') { name }: RenameTenantInput) {
    return this.service.rename(principal, name);
  }

  @AllowAdminToken()
  @Mutation(() => Tenant, {
    description: 'Blocks the next call of every agent, product and machine of the organization. Tasks wait.',
  })
  @Allow('organization:manage')
  pauseTenant(@CurrentPrincipal() principal: Principal) {
    return this.service.pause(principal);
  }

  @Mutation(() => Tenant, { description: 'Ends the pause; tasks continue. Requires a session.' })
  @Allow('organization:manage')
  resumeTenant(@CurrentPrincipal() principal: Principal) {
    return this.service.resume(principal);
  }
}
