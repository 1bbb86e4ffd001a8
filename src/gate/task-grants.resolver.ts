import { Int, Mutation, Parent, ResolveField, Resolver } from '@nestjs/graphql';
import { ApprovalPeopleService } from '../approvals/approval-people.service.js';
import { ApprovalPerson } from '../approvals/approval-person.entity.js';
import { Approval } from '../approvals/approval.entity.js';
import { IdArgument } from '../platform/graphql/id-argument.decorator.js';
import { RequestLoader } from '../platform/graphql/request-loader.js';
import { Allow, Authenticate } from '../principal/allow.decorator.js';
import { CurrentPrincipal } from '../principal/current-principal.decorator.js';
import type { Principal } from '../principal/principal.js';
import { TaskGrantListingService } from './task-grant-listing.service.js';
import { TaskGrant } from './task-grant.entity.js';

@Resolver(() => TaskGrant)
@Authenticate('session', 'admin-token')
@Allow()
export class TaskGrantsResolver {
  constructor(
    private readonly grants: TaskGrantListingService,
    private readonly people: ApprovalPeopleService,
  ) {}

  @ResolveField(() => [ApprovalPerson], { description: 'The members who approved the grant, with their names.' })
  approvedBy(@Parent() { tenantId, voters }: TaskGrant) {
    return Promise.all(voters.map((id) => this.people.load(tenantId, id)));
  }

  @ResolveField(() => Boolean, { description: 'Whether you can revoke the grant.' })
  viewerCanRevoke(@CurrentPrincipal() principal: Principal, @Parent() grant: TaskGrant) {
    return this.grants.canRevoke(principal, grant);
  }

  @Mutation(() => TaskGrant, { description: 'Revokes a grant: later calls need their own approval again.' })
  @Authenticate('session')
  @Allow('approvals:decide')
  revokeTaskGrant(@CurrentPrincipal() principal: Principal, @IdArgument() id: string) {
    return this.grants.revoke(principal, id);
  }
}

/** Adds the grant of its call to an approval. */
@Resolver(() => Approval)
@Authenticate('session')
@Allow('approvals:decide')
export class ApprovalGrantResolver {
  private readonly grantLoader: RequestLoader<Principal, TaskGrant | null>;

  constructor(private readonly grants: TaskGrantListingService) {
    this.grantLoader = new RequestLoader((principal, callIds) => grants.findByCalls(principal, callIds));
  }

  @ResolveField(() => TaskGrant, { nullable: true, description: 'The grant for the task that an approver proposed.' })
  taskGrant(@CurrentPrincipal() principal: Principal, @Parent() { callId }: Approval) {
    return this.grantLoader.load(principal, callId);
  }

  @ResolveField(() => Int, {
    nullable: true,
    description: 'How many further calls the first approver can propose to allow in the task. Null: none.',
  })
  taskGrantMaxUses(@Parent() approval: Approval) {
    return this.grants.offeredUses(approval);
  }
}
