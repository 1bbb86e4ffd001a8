import { Args, Field, ID, InputType, Mutation, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import { IsUUID, MaxLength } from 'class-validator';
import { Member } from '../access/member.entity.js';
import { MembersService } from '../access/members.service.js';
import { RequestLoader } from '../platform/graphql/request-loader.js';
import { Allow, Authenticate } from '../principal/allow.decorator.js';
import { CurrentPrincipal } from '../principal/current-principal.decorator.js';
import type { Principal } from '../principal/principal.js';
import { maxDenialReasonLength } from './approval-decision.port.js';
import { ApprovalOverride } from './approval-override.entity.js';
import { ApprovalOverridesService } from './approval-overrides.service.js';
import { ApprovalPeopleService } from './approval-people.service.js';
import { ApprovalPerson } from './approval-person.entity.js';
import { Approval } from './approval.entity.js';
import { BreakGlassRight } from './break-glass-right.entity.js';
import { BreakGlassRightsService } from './break-glass-rights.service.js';

@InputType()
class BreakGlassInput {
  @Field(() => ID)
  @IsUUID()
  memberId: string;
}

@InputType()
class ReviewOverrideInput {
  @Field(() => ID)
  @IsUUID()
  approvalId: string;

  @Field({ description: 'What you found: whether the override was justified, and what follows from it.' })
  @MaxLength(maxDenialReasonLength)
  note: string;
}

/** Break-glass rights and reviews of overrides, only for people in a session. The gate overrides the approval of a call. */
@Resolver(() => BreakGlassRight)
@Authenticate('session')
export class BreakGlassResolver {
  constructor(
    private readonly rights: BreakGlassRightsService,
    private readonly overrides: ApprovalOverridesService,
    private readonly members: MembersService,
  ) {}

  @Query(() => [BreakGlassRight], { description: 'Members who can override pending approvals in an emergency.' })
  @Allow('members:manage')
  breakGlassRights(@CurrentPrincipal() principal: Principal) {
    return this.rights.list(principal);
  }

  @ResolveField(() => Member, { nullable: true })
  @Allow('members:manage')
  member(@CurrentPrincipal() principal: Principal, @Parent() { memberId }: BreakGlassRight) {
    return this.members.load(principal, memberId);
  }

  @ResolveField(() => Member, { nullable: true })
  @Allow('members:manage')
  granter(@CurrentPrincipal() principal: Principal, @Parent() { grantedBy }: BreakGlassRight) {
    return this.members.load(principal, grantedBy);
  }

  @Mutation(() => BreakGlassRight, {
    description:
      'Lets another member override pending approvals of calls that are requested from now on. Requires a session in which you confirmed your identity within the last ten minutes.',
  })
  @Allow('members:manage')
  grantBreakGlassRight(@CurrentPrincipal() principal: Principal, @Args('input') { memberId }: BreakGlassInput) {
    return this.rights.grant(principal, memberId);
  }

  @Mutation(() => Boolean, { description: 'Takes effect immediately. Returns false if the member had no such right.' })
  @Allow('members:manage')
  revokeBreakGlassRight(@CurrentPrincipal() principal: Principal, @Args('input') { memberId }: BreakGlassInput) {
    return this.rights.revoke(principal, memberId);
  }

  @Query(() => [Approval], {
    description: 'Overridden approvals that you can see and whose review is open, oldest first, at most 100.',
  })
  @Allow('approvals:decide')
  overridesToReview(@CurrentPrincipal() principal: Principal) {
    return this.overrides.listOpen(principal);
  }

  @Mutation(() => Approval, { description: 'Closes the review of an override, with a note.' })
  @Allow('approvals:decide')
  reviewOverride(@CurrentPrincipal() principal: Principal, @Args('input') { approvalId, note }: ReviewOverrideInput) {
    return this.overrides.review(principal, approvalId, note);
  }
}

@Resolver(() => Approval)
@Authenticate('session')
@Allow('approvals:decide')
export class ApprovalOverrideFieldsResolver {
  private readonly possibleLoader: RequestLoader<Principal, boolean, Approval>;

  constructor(private readonly overrides: ApprovalOverridesService) {
    this.possibleLoader = new RequestLoader((principal, approvals) => overrides.canOverrideEach(principal, approvals));
  }

  @ResolveField(() => ApprovalOverride, { nullable: true, description: 'Null: the approval was not overridden.' })
  override(@Parent() approval: Approval) {
    return this.overrides.find(approval);
  }

  @ResolveField(() => Boolean, { description: 'Whether you could override the approval now with break-glass rights.' })
  viewerCanOverride(@CurrentPrincipal() principal: Principal, @Parent() approval: Approval) {
    return this.possibleLoader.load(principal, approval);
  }
}

@Resolver(() => ApprovalOverride)
@Authenticate('session')
@Allow('approvals:decide')
export class ApprovalOverrideResolver {
  private readonly refusalLoader: RequestLoader<Principal, string | null, ApprovalOverride>;

  constructor(
    overrides: ApprovalOverridesService,
    private readonly people: ApprovalPeopleService,
  ) {
    this.refusalLoader = new RequestLoader((principal, shown) => overrides.reviewRefusals(principal, shown));
  }

  @ResolveField(() => ApprovalPerson)
  by(@Parent() { tenantId, memberId }: ApprovalOverride) {
    return this.people.load(tenantId, memberId);
  }

  @ResolveField(() => ApprovalPerson, { nullable: true })
  reviewer(@Parent() { tenantId, reviewedBy }: ApprovalOverride) {
    return reviewedBy && this.people.load(tenantId, reviewedBy);
  }

  @ResolveField(() => String, { nullable: true, description: 'Why you cannot review it; null if you can.' })
  reviewRefusal(@CurrentPrincipal() principal: Principal, @Parent() override: ApprovalOverride) {
    return override.reviewedAt ? 'The review is closed.' : this.refusalLoader.load(principal, override);
  }
}
