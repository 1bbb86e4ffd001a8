import { Args, Field, ID, InputType, Mutation, Resolver } from '@nestjs/graphql';
import { IsOptional, IsString, IsUUID, Matches, MinLength } from 'class-validator';
import { Config } from '../platform/config/config.js';
import { Allow, Authenticate } from '../principal/allow.decorator.js';
import { CurrentPrincipal } from '../principal/current-principal.decorator.js';
import type { Principal } from '../principal/principal.js';
import { MemberTasksService } from './member-tasks.service.js';
import { textPart } from './messages.port.js';
import { RateLimitsService } from '../limits/rate-limits.service.js';
import { Task } from './task.entity.js';

@InputType()
class SubmitTaskInput {
  @Field(() => ID)
  @IsUUID()
  configurationId: string;

  @Field({ description: 'The task, in plain text.' })
  @IsString()
  @MinLength(1)
  @Matches(/^[^\0\p{Cs}]*$/u, { message: '$property has characters that cannot be stored' })
  text: string;

  @Field(() => String, {
    nullable: true,
    description:
      'Your own id for the task. Repeating an id returns the existing task, or continues it with the text if it waits for information. Generated if omitted.',
  })
  @IsOptional()
  @Matches(/^(?!\.{1,2}$)[A-Za-z0-9._:-]{1,128}$/, {
    message: '$property has to be 1 to 128 characters of A-Z a-z 0-9 . _ : - and not "." or ".."',
  })
  externalId?: string | null;
}

/** Submits a task from the console, with the same rules as every other protocol. */
@Resolver(() => Task)
@Authenticate('session')
@Allow()
export class SubmitTaskResolver {
  constructor(
    private readonly tasks: MemberTasksService,
    private readonly limits: RateLimitsService,
    private readonly config: Config,
  ) {}

  @Mutation(() => Task, {
    description:
      'Submits a task in your own name, with the same policies, approvals and limits as every other interface. The configuration has to be available to one of your groups. Requires a session.',
  })
  async submitTask(
    @CurrentPrincipal() principal: Principal,
    @Args('input') { configurationId, text, externalId }: SubmitTaskInput,
  ) {
    this.limits.consume(principal, 'sends');
    const parts = [textPart(text, '/input/text', this.config.limits)];
    return (await this.tasks.submit(principal, { id: externalId ?? undefined, configurationId, parts })).task;
  }
}
