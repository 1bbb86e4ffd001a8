import {
  Args,
  ArgsType,
  Field,
  ID,
  InputType,
  Mutation,
  ObjectType,
  Parent,
  Query,
  ResolveField,
  Resolver,
} from '@nestjs/graphql';
import { IsBoolean, IsOptional, IsUUID, Length, Matches } from 'class-validator';
import { PageArgs, Paginated } from '../platform/graphql/connection.js';
import { IdArgument } from '../platform/graphql/id-argument.decorator.js';
import { RequestLoader } from '../platform/graphql/request-loader.js';
import { Allow, AllowAdminToken, Authenticate } from '../principal/allow.decorator.js';
import { CurrentPrincipal } from '../principal/current-principal.decorator.js';
import type { Principal } from '../principal/principal.js';
import { Task, TaskStateName, type TaskState } from './task.entity.js';
import { TaskQuarantineService } from './task-quarantine.service.js';
import { TaskQuestionsService } from './task-questions.service.js';
import { TaskSearchService } from './task-search.service.js';
import { TimelineEntry } from './timeline.js';
import { ReadableTasksService } from './readable-tasks.service.js';

@ObjectType()
export class TaskConnection extends Paginated(Task) {}

@ObjectType()
export class TaskSearchResult {
  @Field(() => [Task], { description: 'The matching tasks, newest first.' })
  nodes: Task[];

  @Field(() => ID, {
    nullable: true,
    description:
      'Tasks older than this one were not searched. To continue, repeat the search with this id as "before". Null if all were searched.',
  })
  searchedUntil: string | null;
}

@ArgsType()
class TasksArgs extends PageArgs {
  @Field(() => TaskStateName, { nullable: true })
  @IsOptional()
  state?: TaskState | null;

  @Field(() => ID, { nullable: true })
  @IsOptional()
  @IsUUID()
  configurationId?: string | null;

  @Field(() => Boolean, {
    nullable: true,
    description: 'True: quarantined tasks. False: all others.',
  })
  @IsOptional()
  @IsBoolean()
  isQuarantined?: boolean | null;
}

@InputType()
class SearchTasksInput {
  @Field({ description: 'The words to search for, or an id. A task matches if it contains all of the words.' })
  @Length(1, 120)
  @Matches(/^[^\0\p{Cs}]*\S[^\0\p{Cs}]*$/u, { message: '$property has no characters to search for' })
  text: string;

  @Field(() => TaskStateName, { nullable: true })
  @IsOptional()
  state?: TaskState | null;

  @Field(() => ID, { nullable: true })
  @IsOptional()
  @IsUUID()
  configurationId?: string | null;

  @Field(() => Boolean, { nullable: true })
  @IsOptional()
  @IsBoolean()
  isQuarantined?: boolean | null;

  @Field(() => ID, { nullable: true, description: '"searchedUntil" of an earlier search.' })
  @IsOptional()
  @IsUUID()
  before?: string | null;
}

@InputType()
class CancelTaskInput {
  @Field(() => ID)
  @IsUUID()
  id: string;
}

@InputType()
class RetryQuarantinedTaskInput {
  @Field(() => ID)
  @IsUUID()
  id: string;
}

@Resolver(() => Task)
@Authenticate('session', 'admin-token')
export class TasksResolver {
  private readonly timelineLoader: RequestLoader<Principal, TimelineEntry[]>;
  private readonly questionLoader: RequestLoader<Principal, string | null>;

  constructor(
    private readonly readableTasks: ReadableTasksService,
    private readonly quarantine: TaskQuarantineService,
    private readonly searches: TaskSearchService,
    questions: TaskQuestionsService,
  ) {
    this.questionLoader = new RequestLoader(({ tenantId }, ids) => questions.list(tenantId, ids));
    this.timelineLoader = new RequestLoader((principal, ids) => readableTasks.timelines(principal, ids));
  }

  @Query(() => TaskConnection, {
    description: 'All tasks if you have the permission "tasks:read", otherwise those you submitted. Newest first.',
  })
  @Allow()
  tasks(
    @CurrentPrincipal() principal: Principal,
    @Args() { state, configurationId, isQuarantined, ...page }: TasksArgs,
  ) {
    return this.readableTasks.list(principal, page, { state, configurationId, isQuarantined });
  }

  @Query(() => Task)
  @Allow()
  task(@CurrentPrincipal() principal: Principal, @IdArgument() id: string) {
    return this.readableTasks.get(principal, id);
  }

  @Query(() => TaskSearchResult, {
    description:
      'Searches the tasks that "tasks" lists by their id, the id that the caller chose, the text they were submitted with, and the name of the caller. One request searches at most 2,000 tasks and returns about 100.',
  })
  @Allow()
  searchTasks(@CurrentPrincipal() principal: Principal, @Args('input') input: SearchTasksInput) {
    return this.searches.search(principal, input);
  }

  @ResolveField(() => String, {
    nullable: true,
    description:
      'The first line of the text that the task was submitted with, at most 200 characters. Null if there is no text.',
  })
  @Allow()
  question(@CurrentPrincipal() principal: Principal, @Parent() { id }: Task) {
    return this.questionLoader.load(principal, id);
  }

  @ResolveField(() => [TimelineEntry], {
    description: 'The history of the task in order: states, messages, turns and calls, without arguments.',
  })
  @Allow()
  timeline(@CurrentPrincipal() principal: Principal, @Parent() task: Task) {
    return this.timelineLoader.load(principal, task.id);
  }

  @AllowAdminToken()
  @Mutation(() => Task, {
    description:
      'Cancels an open task and withdraws its pending approvals. You can cancel your own tasks, or any task with "configurations:manage".',
  })
  @Allow()
  cancelTask(@CurrentPrincipal() principal: Principal, @Args('input') { id }: CancelTaskInput) {
    return this.readableTasks.cancel(principal, id);
  }

  @Mutation(() => Task, {
    description:
      'Releases a task from quarantine and retries the step that ended two processes of the server. If the step ends two more, the task is quarantined again.',
  })
  @Allow('configurations:manage')
  retryQuarantinedTask(@CurrentPrincipal() principal: Principal, @Args('input') { id }: RetryQuarantinedTaskInput) {
    return this.quarantine.retry(principal, id);
  }
}
