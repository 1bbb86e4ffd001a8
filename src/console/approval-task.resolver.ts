import { Parent, ResolveField, Resolver } from '@nestjs/graphql';
import { Approval } from '../approvals/approval.entity.js';
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

  constructor(tasks: ReadableTasksService) {
    this.taskLoader = new RequestLoader((principal, ids) => tasks.findEach(principal, ids));
  }

  @ResolveField(() => Task, {
    nullable: true,
    description: 'The task that the call is part of; null if there is none, or you may not see it.',
  })
  task(@CurrentPrincipal() principal: Principal, @Parent() { taskId }: Approval) {
    return taskId === null ? null : this.taskLoader.load(principal, taskId);
  }
}
