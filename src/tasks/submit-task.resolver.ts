import { Args, Field, ID, InputType, Mutation, Resolver } from '@nestjs/graphql';
import { IsOptional, IsString, IsUUID, Matches, MinLength } from 'class-validator';
import { Config } from '../platform/config/config.js';
import { Allow, Authenticate } from '../principal/allow.decorator.js';
import { CurrentPrincipal } from '../principal/current-principal.decorator.js';
import type { Principal } from '../principal/principal.js';
import { MemberTasksService } from './member-tasks.service.js';
import { textPart } from './messages.port.js';
import { RateLimitsService } from './rate-limits.service.js';
import { Task } from './task.entity.js';

@InputType()
class SubmitTaskInput {
  @Field(() => ID)
  @IsUUID()
  configurationId: string;

  @Field({ description: 'What is to be done, in words.' })
  @IsString()
  @MinLength(1)
  @Matches(/^[^\0\p{Cs}]*$/u, { message: '$property has characters that cannot be stored' })
  text: string;

  @Field(() => String, {
    nullable: true,
    description:
      'Your name for the task: the same again returns the same task, and with that of a task which waits for information the text continues it. Left out: one is made.',
  })
  @IsOptional()
  @Matches(/^(?!\.{1,2}$)[A-Za-z0-9._:-]{1,128}$/, {
    message: '$property has to be 1 to 128 characters of A-Z a-z 0-9 . _ : - and not "." or ".."',
  })
  externalId?: string | null;
}

/** A person hands a task over in the console, as through every other door. */
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
      'Hands a task over in your own name, under the same policies, approvals and limits as through every other door. For configurations that one of your groups may use; in a session only.',
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
