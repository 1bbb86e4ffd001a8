import { Int, Parent, ResolveField, Resolver } from '@nestjs/graphql';
import { Approval, isClosed } from '../approvals/approval.entity.js';
import { RequestLoader } from '../platform/graphql/request-loader.js';
import { Allow, Authenticate } from '../principal/allow.decorator.js';
import { CurrentPrincipal } from '../principal/current-principal.decorator.js';
import type { Principal } from '../principal/principal.js';
import { Task } from '../tasks/task.entity.js';
import { ReadableTasksService } from '../tasks/readable-tasks.service.js';

/** Links an approval to the request that led to it. */
@Resolver(() => Approval)
@Authenticate('session')
@Allow('approvals:decide')
export class ApprovalTaskResolver {
  private readonly taskLoader: RequestLoader<Principal, Task | null>;

  private readonly countLoader: RequestLoader<Principal, number>;

  constructor(tasks: ReadableTasksService) {
    this.countLoader = new RequestLoader((principal, ids) => tasks.countUnfinished(principal, ids));
    this.taskLoader = new RequestLoader((principal, ids) => tasks.findEach(principal, ids));
  }

  @ResolveField(() => Task, {
    nullable: true,
    description: 'The task that the call is part of; null if there is none, or you may not see it.',
  })
  task(@CurrentPrincipal() principal: Principal, @Parent() { taskId }: Approval) {
    return taskId === null ? null : this.taskLoader.load(principal, taskId);
  }

  @ResolveField(() => Int, {
    description:
      'How many unfinished tasks the open approval blocks: the task of the call, and those that delegated it.',
  })
  blockedTaskCount(@CurrentPrincipal() principal: Principal, @Parent() { taskId, state }: Approval) {
    return taskId === null || isClosed(state) ? 0 : this.countLoader.load(principal, taskId);
  }
}
