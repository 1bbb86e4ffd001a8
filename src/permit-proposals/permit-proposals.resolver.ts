import {
  Args,
  Field,
  GraphQLISODateTime,
  ID,
  Mutation,
  ObjectType,
  Parent,
  Query,
  ResolveField,
  Resolver,
} from '@nestjs/graphql';
import { Paginated } from '../platform/graphql/connection.js';
import { RequestLoader } from '../platform/graphql/request-loader.js';
import { Allow, Authenticate } from '../principal/allow.decorator.js';
import { CurrentPrincipal } from '../principal/current-principal.decorator.js';
import type { Principal } from '../principal/principal.js';
import { PermitProposal } from './permit-proposal.entity.js';
import { AddProposedPermitInput, DismissPermitProposalInput, PermitProposalsArgs } from './permit-proposals.input.js';
import { PermitProposalsService } from './permit-proposals.service.js';
import { ProposalNamesService } from './proposal-names.service.js';

@ObjectType()
export class PermitProposalConnection extends Paginated(PermitProposal) {}

@ObjectType()
export class ProposedPermit {
  @Field(() => String, {
    nullable: true,
    description:
      'The permit as a Cedar policy, with the values of the arguments. Null if the proposal no longer applies.',
  })
  text: string | null;

  @Field(() => String, { nullable: true, description: 'Why the proposal no longer applies.' })
  obstacle: string | null;
}

@ObjectType({ description: 'An approval behind a proposal.' })
export class IdenticalApproval {
  @Field(() => ID)
  id: string;

  @Field(() => GraphQLISODateTime)
  decidedAt: Date;

  @Field(() => String, { nullable: true, description: 'Null if the member was erased.' })
  deciderName: string | null;
}

/** In a session only: the conditions of a permit reveal arguments. */
@Resolver(() => PermitProposal)
@Authenticate('session')
@Allow('policies:read')
export class PermitProposalsResolver {
  private readonly permitLoader: RequestLoader<Principal, ProposedPermit, PermitProposal>;

  constructor(
    private readonly proposals: PermitProposalsService,
    private readonly names: ProposalNamesService,
  ) {
    this.permitLoader = new RequestLoader((principal, of) => proposals.describePermits(principal, of));
  }

  @Query(() => PermitProposalConnection, {
    description:
      'Permits that are suggested because the same call was approved ten times in a row, newest first. For administrators and auditors.',
  })
  permitProposals(@CurrentPrincipal() principal: Principal, @Args() args: PermitProposalsArgs) {
    return this.proposals.list(principal, args);
  }

  @ResolveField(() => ProposedPermit)
  permit(@CurrentPrincipal() principal: Principal, @Parent() proposal: PermitProposal) {
    return this.permitLoader.load(principal, proposal);
  }

  @ResolveField(() => String, { nullable: true, description: 'Null if the configuration was removed.' })
  configurationName(@Parent() proposal: PermitProposal) {
    return this.names.configurationName(proposal);
  }

  @ResolveField(() => String, { nullable: true, description: 'Null if the agent or member was removed.' })
  principalName(@CurrentPrincipal() principal: Principal, @Parent() proposal: PermitProposal) {
    return this.names.principalName(principal, proposal);
  }

  @ResolveField(() => [IdenticalApproval], { description: 'The ten approvals, newest first.' })
  approvals(@CurrentPrincipal() principal: Principal, @Parent() proposal: PermitProposal) {
    return this.names.approvals(principal, proposal);
  }

  @Mutation(() => PermitProposal, {
    description:
      'Adds the permit to the policy draft of the configuration. It has no effect until someone publishes the draft.',
  })
  @Allow('policies:manage')
  addProposedPermit(@CurrentPrincipal() principal: Principal, @Args('input') { id }: AddProposedPermitInput) {
    return this.proposals.addToDraft(principal, id);
  }

  @Mutation(() => PermitProposal, { description: 'Stops suggesting a permit for this call.' })
  @Allow('policies:manage')
  dismissPermitProposal(@CurrentPrincipal() principal: Principal, @Args('input') { id }: DismissPermitProposalInput) {
    return this.proposals.dismiss(principal, id);
  }
}
