import { Args, Int, Mutation, ObjectType, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import { Paginated } from '../../platform/graphql/connection.js';
import { IdArgument } from '../../platform/graphql/id-argument.decorator.js';
import { Allow, Authenticate } from '../../principal/allow.decorator.js';
import { CurrentPrincipal } from '../../principal/current-principal.decorator.js';
import type { Principal } from '../../principal/principal.js';
import { DocumentAccess } from './document-access.object.js';
import { DocumentAccessService } from './document-access.service.js';
import { SourceRoster } from './roster.entity.js';
import {
  AssignSourceAccountInput,
  ResetSourceAccountInput,
  SourceAccountsArgs,
  SourceAccountView,
  SourceAudienceGap,
} from './source-account.object.js';
import { SourceAccountsService } from './source-accounts.service.js';
import { SourceRostersService } from './source-rosters.service.js';

@ObjectType()
export class SourceAccountConnection extends Paginated(SourceAccountView) {}

@Resolver(() => SourceRoster)
@Authenticate('session', 'admin-token')
export class SourcePermissionsResolver {
  constructor(
    private readonly access: DocumentAccessService,
    private readonly accounts: SourceAccountsService,
    private readonly rosters: SourceRostersService,
  ) {}

  @Query(() => SourceRoster, {
    nullable: true,
    description: 'The permissions of a source, as last read. Null: the source has no permissions.',
  })
  @Allow('knowledge:manage')
  sourceRoster(@CurrentPrincipal() principal: Principal, @IdArgument('connectionId') connectionId: string) {
    return this.rosters.find(principal, connectionId);
  }

  @Query(() => SourceAccountConnection, { description: 'Accounts of a source, ordered by their ids in the source.' })
  @Allow('knowledge:manage')
  sourceAccounts(@CurrentPrincipal() principal: Principal, @Args() args: SourceAccountsArgs) {
    return this.accounts.list(principal, args);
  }

  @Query(() => DocumentAccess, { description: 'Why a member can or cannot read a document.' })
  @Allow('knowledge:manage')
  documentAccess(
    @CurrentPrincipal() principal: Principal,
    @IdArgument('documentId') documentId: string,
    @IdArgument('memberId') memberId: string,
  ) {
    return this.access.explain(principal, documentId, memberId);
  }

  @Mutation(() => SourceAccountView, {
    description:
      'Assigns an account of a source to a member, who can then find what the account may read. Refused if the account has the verified email address of another member. Requires a session.',
  })
  @Allow('knowledge:manage')
  assignSourceAccount(@CurrentPrincipal() principal: Principal, @Args('input') input: AssignSourceAccountInput) {
    return this.accounts.assign(principal, input);
  }

  @Mutation(() => SourceAccountView, {
    description: 'Removes the assignment of an account, so that its email address decides again. Requires a session.',
  })
  @Allow('knowledge:manage')
  resetSourceAccount(@CurrentPrincipal() principal: Principal, @Args('input') input: ResetSourceAccountInput) {
    return this.accounts.reset(principal, input);
  }

  @ResolveField(() => Int, { description: 'Number of accounts that belong to no member and grant no access.' })
  @Allow('knowledge:manage')
  unmatchedAccountCount(@CurrentPrincipal() principal: Principal, @Parent() { connectionId }: SourceRoster) {
    return this.accounts.countUnmatched(principal, connectionId);
  }

  @ResolveField(() => [SourceAudienceGap], {
    description: 'Audiences whose documents cannot be found by anyone, at most 100.',
  })
  @Allow('knowledge:manage')
  closedAudiences(@CurrentPrincipal() principal: Principal, @Parent() { connectionId }: SourceRoster) {
    return this.accounts.listClosedAudiences(principal, connectionId);
  }
}
