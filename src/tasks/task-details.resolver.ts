import { Parent, ResolveField, Resolver } from '@nestjs/graphql';
import { ConfigurationNames } from '../configurations/configuration-names.service.js';
import { CallsService } from '../gate/calls.service.js';
import { ToolCall } from '../gate/tool-call.entity.js';
import { Allow, Authenticate } from '../principal/allow.decorator.js';
import { Task } from './task.entity.js';

/** What belongs to a task that was shown to whoever asks. */
@Resolver(() => Task)
@Authenticate('session', 'admin-token')
@Allow()
export class TaskDetailsResolver {
  constructor(
    private readonly callsService: CallsService,
    private readonly configurations: ConfigurationNames,
  ) {}

  @ResolveField(() => [ToolCall], { description: 'Its rows of the ledger, oldest first; the first 500.' })
  calls(@Parent() task: Task) {
    return this.callsService.ofTask(task.tenantId, task.id);
  }

  @ResolveField(() => String, { nullable: true, description: 'The name of the configuration; null: it is gone.' })
  configurationName(@Parent() { tenantId, configurationId }: Task) {
    return this.configurations.of(tenantId, configurationId);
  }
}
