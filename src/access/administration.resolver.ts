import { Args, Mutation, ObjectType, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import { Paginated } from '../platform/graphql/connection.js';
import { IdArgument } from '../platform/graphql/id-argument.decorator.js';
import { RequestLoader } from '../platform/graphql/request-loader.js';
import { Allow, Authenticate } from '../principal/allow.decorator.js';
import { CurrentPrincipal } from '../principal/current-principal.decorator.js';
import type { Principal } from '../principal/principal.js';
import {
  ProposedChangeInput,
  ProposedChangeReasonInput,
  ProposedChangesArgs,
  SetTwoPersonAdministrationInput,
} from './administration/administration.input.js';
import { ProposedChange } from './administration/proposed-change.entity.js';
import { ProposedChangesService } from './administration/proposed-changes.service.js';
import { TwoPersonAdministration } from './administration/two-person-administration.object.js';
import { TwoPersonAdministrationService } from './administration/two-person-administration.service.js';
import { Member } from './member.entity.js';
import { MembersService } from './members.service.js';

@ObjectType()
export class ProposedChangeConnection extends Paginated(ProposedChange) {}

/** Only for people in a session: admin tokens neither read nor decide proposed changes. */
@Resolver(() => ProposedChange)
@Authenticate('session')
@Allow('organization:manage')
export class AdministrationResolver {
  private readonly refusalLoader: RequestLoader<Principal, string | null, ProposedChange>;

  constructor(
    private readonly changes: ProposedChangesService,
    private readonly settings: TwoPersonAdministrationService,
    private readonly members: MembersService,
  ) {
    this.refusalLoader = new RequestLoader((principal, shown) => changes.confirmationRefusals(principal, shown));
  }

  @Query(() => TwoPersonAdministration)
  twoPersonAdministration(@CurrentPrincipal() principal: Principal) {
    return this.settings.get(principal);
  }

  @Query(() => ProposedChangeConnection, { description: 'Newest first.' })
  proposedChanges(@CurrentPrincipal() principal: Principal, @Args() { state, ...page }: ProposedChangesArgs) {
    return this.changes.list(principal, page, state);
  }

  @Query(() => ProposedChange)
  proposedChange(@CurrentPrincipal() principal: Principal, @IdArgument() id: string) {
    return this.changes.get(principal, id);
  }

  @ResolveField(() => Member, { nullable: true, description: 'Null if the member was erased.' })
  proposer(@CurrentPrincipal() principal: Principal, @Parent() { proposedBy }: ProposedChange) {
    return this.members.load(principal, proposedBy);
  }

  @ResolveField(() => Member, { nullable: true })
  decider(@CurrentPrincipal() principal: Principal, @Parent() { decidedBy }: ProposedChange) {
    return decidedBy && this.members.load(principal, decidedBy);
  }

  @ResolveField(() => String, { nullable: true, description: 'Why you cannot confirm it; null if you can.' })
  confirmationRefusal(@CurrentPrincipal() principal: Principal, @Parent() change: ProposedChange) {
    return this.refusalLoader.load(principal, change);
  }

  @Mutation(() => TwoPersonAdministration, {
    description:
      'Requires a second administrator for changes in an area, or no longer. Requiring one takes effect immediately; no longer requiring one has to be confirmed. Requires a session in which you confirmed your identity within the last ten minutes.',
  })
  setTwoPersonAdministration(
    @CurrentPrincipal() principal: Principal,
    @Args('input') { area, isEnabled }: SetTwoPersonAdministrationInput,
  ) {
    return this.settings.set(principal, area, isEnabled);
  }

  @Mutation(() => ProposedChange, {
    description:
      'Applies a change proposed by an administrator who is independent of you. The result is "outdated", and nothing is applied, if the affected settings have changed since the proposal. Requires a session in which you confirmed your identity within the last ten minutes.',
  })
  confirmProposedChange(@CurrentPrincipal() principal: Principal, @Args('input') { id }: ProposedChangeInput) {
    return this.changes.confirm(principal, id);
  }

  @Mutation(() => ProposedChange, { description: 'Rejects a change that another administrator proposed.' })
  declineProposedChange(
    @CurrentPrincipal() principal: Principal,
    @Args('input') { id, reason }: ProposedChangeReasonInput,
  ) {
    return this.changes.decline(principal, id, reason);
  }

  @Mutation(() => ProposedChange, { description: 'Withdraws a change that you proposed.' })
  withdrawProposedChange(@CurrentPrincipal() principal: Principal, @Args('input') { id }: ProposedChangeInput) {
    return this.changes.withdraw(principal, id);
  }

  @Mutation(() => ProposedChange, {
    description: 'Says why you propose a change. The reason cannot be replaced.',
  })
  explainProposedChange(
    @CurrentPrincipal() principal: Principal,
    @Args('input') { id, reason }: ProposedChangeReasonInput,
  ) {
    return this.changes.explain(principal, id, reason);
  }
}
