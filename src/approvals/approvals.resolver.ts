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
import { ApprovalPerson, ApprovalVote } from './approval-person.entity.js';
import { DecidableApprovalsService } from './decidable-approvals.service.js';
import { type ApprovalFilter, ApprovalInboxService } from './approval-inbox.service.js';
import { ApprovalSequenceService } from './approval-sequence.service.js';
import { ApprovalsService } from './approvals.service.js';
import { SequenceStep } from './sequence-step.entity.js';

@ObjectType()
export class ApprovalConnection extends Paginated(Approval) {}

@ArgsType()
class ApprovalFilterArgs implements ApprovalFilter {
  @Field(() => approvalStates, { nullable: true })
  @IsOptional()
  @IsEnum(approvalStates)
  state?: ApprovalState | null;

  @Field(() => Boolean, {
    nullable: true,
    description: 'True: approvals that are open for decisions. False: closed ones.',
  })
  @IsOptional()
  isPending?: boolean | null;

  @Field(() => ID, { nullable: true })
  @IsOptional()
  @IsUUID()
  taskId?: string | null;

  @Field(() => Boolean, { nullable: true, description: 'Lists the approvals that wait longest first.' })
  @IsOptional()
  oldestFirst?: boolean | null;
  @Field(() => ID, { nullable: true })
  @IsOptional()
  @IsUUID()
  callId?: string | null;
}

/** Only for people in a session: admin tokens can neither read approvals nor decide. */
@Resolver(() => Approval)
@Authenticate('session')
export class ApprovalsResolver {
  private readonly stepsLoader: RequestLoader<Principal, SequenceStep[], Approval>;
  private readonly earlierLoader: RequestLoader<Principal, Approval[], Approval>;

  constructor(
    private readonly service: ApprovalsService,
    private readonly inbox: ApprovalInboxService,
    private readonly people: ApprovalPeopleService,
    private readonly decidable: DecidableApprovalsService,
    private readonly sequence: ApprovalSequenceService,
  ) {
    this.stepsLoader = new RequestLoader((principal, approvals) => sequence.stepsOfEach(principal, approvals));
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

  @ResolveField(() => ApprovalPerson, {
    nullable: true,
    description: 'The approver in whose place a substitute decided, with their name.',
  })
  deciderFor(@Parent() approval: Approval) {
    return this.people.deciderFor(approval);
  }

  @ResolveField(() => [ApprovalVote], { description: 'The members whose approvals count so far, with their names.' })
  approvedBy(@Parent() approval: Approval) {
    return this.people.approvedBy(approval);
  }

  @ResolveField(() => [SequenceStep], { description: 'All steps of the call, in the order in which they are decided.' })
  steps(@CurrentPrincipal() principal: Principal, @Parent() approval: Approval) {
    return this.stepsLoader.load(principal, approval);
  }

  @ResolveField(() => ID, {
    nullable: true,
    description: 'After an edit: the approval that the call waits for instead of this one.',
  })
  successorId(@CurrentPrincipal() principal: Principal, @Parent() approval: Approval) {
    return this.sequence.successorIdOf(principal, approval);
  }

  @ResolveField(() => String, { nullable: true, description: 'The name of the group whose members can decide.' })
  approverGroupName(@Parent() approval: Approval) {
    return this.people.groupName(approval);
  }

  @ResolveField(() => String, { nullable: true, description: 'The name of the escalation group.' })
  escalationGroupName(@Parent() approval: Approval) {
    return this.people.escalationGroupName(approval);
  }

  @ResolveField(() => [Approval], {
    description: 'The last 20 decisions on the same tool of the same configuration that you can see, newest first.',
  })
  earlier(@CurrentPrincipal() principal: Principal, @Parent() approval: Approval) {
    return this.earlierLoader.load(principal, approval);
  }
}
