import { Args, ArgsType, Field, ID, ObjectType, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import { IsEnum, IsOptional, IsUUID } from 'class-validator';
import { PageArgs, Paginated } from '../platform/graphql/connection.js';
import { IdArgument } from '../platform/graphql/id-argument.decorator.js';
import { RequestLoader } from '../platform/graphql/request-loader.js';
import { Allow, Authenticate } from '../principal/allow.decorator.js';
import { CurrentPrincipal } from '../principal/current-principal.decorator.js';
import type { Principal } from '../principal/principal.js';
import { Approval, type ApprovalState, approvalStates } from './approval.entity.js';
import { ApprovalCandidate } from './approval-candidate.entity.js';
import { ApprovalPeopleService } from './approval-people.service.js';
import { ApprovalPerson } from './approval-person.js';
import { DecidableApprovalsService } from './decidable-approvals.service.js';
import { type ApprovalFilter, ApprovalInboxService } from './approval-inbox.service.js';
import { ApprovalsService } from './approvals.service.js';

@ObjectType()
export class ApprovalConnection extends Paginated(Approval) {}

@ArgsType()
class ApprovalFilterArgs implements ApprovalFilter {
  @Field(() => approvalStates, { nullable: true })
  @IsOptional()
  @IsEnum(approvalStates)
  state?: ApprovalState | null;

  @Field(() => Boolean, { nullable: true, description: 'True: pending approvals. False: all others.' })
  @IsOptional()
  isPending?: boolean | null;

  @Field(() => ID, { nullable: true })
  @IsOptional()
  @IsUUID()
  taskId?: string | null;

  @Field(() => ID, { nullable: true })
  @IsOptional()
  @IsUUID()
  callId?: string | null;
}

/** Only for people in a session: admin tokens can neither read approvals nor decide. */
@Resolver(() => Approval)
@Authenticate('session')
export class ApprovalsResolver {
  private readonly earlierLoader: RequestLoader<Principal, Approval[], Approval>;

  constructor(
    private readonly service: ApprovalsService,
    private readonly inbox: ApprovalInboxService,
    private readonly people: ApprovalPeopleService,
    private readonly decidable: DecidableApprovalsService,
  ) {
    this.earlierLoader = new RequestLoader((principal, approvals) => inbox.listEarlierOfEach(principal, approvals));
  }

  @Query(() => ApprovalConnection, {
    description:
      'Approvals that you requested, decided or can decide, newest first. Auditors and administrators see all approvals.',
  })
  @Allow('approvals:decide')
  approvals(@CurrentPrincipal() principal: Principal, @Args() page: PageArgs, @Args() filter: ApprovalFilterArgs) {
    return this.inbox.list(principal, page, filter);
  }

  @Query(() => ApprovalConnection, {
    description: 'Approvals that you can decide now, newest first. Considers the 200 that expire first.',
  })
  @Allow('approvals:decide')
  approvalsToDecide(@CurrentPrincipal() principal: Principal, @Args() page: PageArgs) {
    return this.decidable.list(principal, page);
  }

  @Query(() => Approval)
  @Allow('approvals:decide')
  approval(@CurrentPrincipal() principal: Principal, @IdArgument() id: string) {
    return this.service.get(principal, id);
  }

  @ResolveField(() => Boolean, { description: 'Whether you can decide now.' })
  viewerCanDecide(@CurrentPrincipal() principal: Principal, @Parent() approval: Approval) {
    return this.inbox.canDecide(principal, approval);
  }

  @ResolveField(() => [ApprovalPerson], { description: 'The requesters, with their names.' })
  requestedBy(@Parent() approval: Approval) {
    return this.people.requesters(approval);
  }

  @ResolveField(() => [ApprovalCandidate], {
    description:
      'Everyone named by the approval step, at most 50, eligible members first, with the reason for each who cannot decide. Empty once the approval is closed.',
  })
  candidates(@CurrentPrincipal() principal: Principal, @Parent() approval: Approval) {
    return this.inbox.candidates(principal, approval);
  }

  @ResolveField(() => ApprovalPerson, { nullable: true, description: 'The member who decided, with their name.' })
  decider(@Parent() approval: Approval) {
    return this.people.decider(approval);
  }

  @ResolveField(() => [ApprovalPerson], { description: 'The members whose approvals count so far, with their names.' })
  approvedBy(@Parent() approval: Approval) {
    return this.people.approvedBy(approval);
  }

  @ResolveField(() => String, { nullable: true, description: 'The name of the group whose members can decide.' })
  approverGroupName(@Parent() approval: Approval) {
    return this.people.groupName(approval);
  }

  @ResolveField(() => [Approval], {
    description: 'The last 20 decisions on the same tool of the same configuration that you can see, newest first.',
  })
  earlier(@CurrentPrincipal() principal: Principal, @Parent() approval: Approval) {
    return this.earlierLoader.load(principal, approval);
  }
}
