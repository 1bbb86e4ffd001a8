import { Parent, ResolveField, Resolver } from '@nestjs/graphql';
import { ConfigurationNamesService } from '../configurations/configuration-names.service.js';
import { CallsService } from '../gate/calls.service.js';
import { TaskGrantListingService } from '../gate/task-grant-listing.service.js';
import { TaskGrant } from '../gate/task-grant.entity.js';
import { ToolCall } from '../gate/tool-call.entity.js';
import { RequestLoader } from '../platform/graphql/request-loader.js';
import { Allow, Authenticate } from '../principal/allow.decorator.js';
import { CurrentPrincipal } from '../principal/current-principal.decorator.js';
import type { Principal } from '../principal/principal.js';
import { Task } from './task.entity.js';

/** Related data of a task that the caller may already see. */
@Resolver(() => Task)
@Authenticate('session', 'admin-token')
@Allow()
export class TaskDetailsResolver {
  private readonly callLoader: RequestLoader<Principal, ToolCall[]>;
  private readonly grantLoader: RequestLoader<Principal, TaskGrant[]>;

  constructor(
    callsService: CallsService,
    taskGrantListing: TaskGrantListingService,
    private readonly configurations: ConfigurationNamesService,
  ) {
    this.grantLoader = new RequestLoader((principal, ids) => taskGrantListing.listByTasks(principal, ids));
    this.callLoader = new RequestLoader((principal, ids) => callsService.listByTasks(principal, ids));
  }

  @ResolveField(() => [ToolCall], { description: 'The first 500 tool calls of the task, oldest first.' })
  calls(@CurrentPrincipal() principal: Principal, @Parent() { id }: Task) {
    return this.callLoader.load(principal, id);
  }

  @ResolveField(() => [TaskGrant], {
    description: 'The further calls of a tool that approvers allowed in the task, oldest first.',
  })
  taskGrants(@CurrentPrincipal() principal: Principal, @Parent() { id }: Task) {
    return this.grantLoader.load(principal, id);
  }

  @ResolveField(() => String, { nullable: true, description: 'The name of the configuration; null if it was removed.' })
  configurationName(@Parent() { tenantId, configurationId }: Task) {
    return this.configurations.load(tenantId, configurationId);
  }
}
