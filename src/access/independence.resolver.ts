import { Args, Mutation, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import { Allow, Authenticate } from '../principal/allow.decorator.js';
import { CurrentPrincipal } from '../principal/current-principal.decorator.js';
import { IdArgument } from '../platform/graphql/id-argument.decorator.js';
import type { Principal } from '../principal/principal.js';
import { Member } from './member.entity.js';
import { MemberInput } from './members.input.js';
import { MembersService } from './members.service.js';
import { IntroducedReviewers } from './administration/introduced-reviewers.entity.js';
import { IntroducedReviewersService } from './administration/introduced-reviewers.service.js';
import { MemberIndependence } from './independence/member-independence.js';
import { MemberIndependenceService } from './independence/member-independence.service.js';
import { MemberVouch } from './independence/vouch.entity.js';
import { VouchesService } from './independence/vouches.service.js';

@Resolver(() => IntroducedReviewers)
@Authenticate('session')
export class IndependenceResolver {
  constructor(
    private readonly members: MembersService,
    private readonly independence: MemberIndependenceService,
    private readonly vouches: VouchesService,
    private readonly setting: IntroducedReviewersService,
  ) {}

  @Query(() => MemberIndependence, {
    description: 'Who introduced a member, who vouched for them, and whom they depend on.',
  })
  @Allow('members:manage')
  memberIndependence(@CurrentPrincipal() principal: Principal, @IdArgument() id: string) {
    return this.independence.get(principal, id);
  }

  @Query(() => IntroducedReviewers, { nullable: true, description: 'Null: off.' })
  @Allow('organization:manage')
  introducedReviewers(@CurrentPrincipal() principal: Principal) {
    return this.setting.find(principal);
  }

  @ResolveField(() => Member, { nullable: true })
  proposer(@CurrentPrincipal() principal: Principal, @Parent() { proposedBy }: IntroducedReviewers) {
    return this.members.load(principal, proposedBy);
  }

  @ResolveField(() => Member, { nullable: true })
  confirmer(@CurrentPrincipal() principal: Principal, @Parent() { confirmedBy }: IntroducedReviewers) {
    return this.members.load(principal, confirmedBy);
  }

  @Mutation(() => MemberVouch, {
    description:
      'States that you know this person and that nobody else can sign in to their account. They may then review calls of the person who introduced them. Requires a session in which you confirmed your identity within the last ten minutes.',
  })
  @Allow()
  vouchForMember(@CurrentPrincipal() principal: Principal, @Args('input') { memberId }: MemberInput) {
    return this.vouches.vouch(principal, memberId);
  }

  @Mutation(() => IntroducedReviewers, {
    description:
      'Proposes that members may review calls of the person who introduced them. Fails with "change-proposed": it takes effect when another administrator confirms the proposed change. Requires a session in which you confirmed your identity within the last ten minutes.',
  })
  @Allow('organization:manage')
  proposeIntroducedReviewers(@CurrentPrincipal() principal: Principal) {
    return this.setting.propose(principal);
  }

  @Mutation(() => Boolean, {
    description: 'Turns the setting off. One administrator is enough. Returns false if it was off.',
  })
  @Allow('organization:manage')
  withdrawIntroducedReviewers(@CurrentPrincipal() principal: Principal) {
    return this.setting.withdraw(principal);
  }
}
