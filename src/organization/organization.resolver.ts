import { Args, Mutation, Query, Resolver } from '@nestjs/graphql';
import { JsonScalar } from '../platform/graphql/json.scalar.js';
import { Allow, AllowAdminToken, Authenticate } from '../principal/allow.decorator.js';
import { CurrentPrincipal } from '../principal/current-principal.decorator.js';
import type { Principal } from '../principal/principal.js';
import { ApplyOrganizationInput, OrganizationDocumentsArgs, PlanOrganizationInput } from './organization.input.js';
import { OrganizationPlanObject } from './organization.object.js';
import { OrganizationService } from './organization.service.js';
import { readDocuments } from './read-documents.js';

@Resolver()
@Authenticate('session', 'admin-token')
@Allow('organization:manage')
export class OrganizationResolver {
  constructor(private readonly service: OrganizationService) {}

  @Query(() => [JsonScalar], {
    description:
      'The organization as documents, one for each object, without defaults. Credentials are named, not contained.',
  })
  organizationDocuments(@CurrentPrincipal() principal: Principal, @Args() args: OrganizationDocumentsArgs) {
    return this.service.export(principal, args);
  }

  @Query(() => OrganizationPlanObject, { description: 'What applying the documents would change. Changes nothing.' })
  organizationPlan(
    @CurrentPrincipal() principal: Principal,
    @Args('input') { documents, ...options }: PlanOrganizationInput,
  ) {
    return this.service.plan(principal, readDocuments(documents), options);
  }

  @AllowAdminToken('other changes are proposed')
  @Mutation(() => OrganizationPlanObject, {
    description:
      'Makes the changes of a plan in one transaction, or none of them. With an admin token, changes that need a session are proposed instead, all together: the mutation fails with "change-proposed", and an administrator confirms them.',
  })
  applyOrganization(
    @CurrentPrincipal() principal: Principal,
    @Args('input') { documents, ...input }: ApplyOrganizationInput,
  ) {
    return this.service.apply(principal, { ...input, documents: readDocuments(documents) });
  }
}
