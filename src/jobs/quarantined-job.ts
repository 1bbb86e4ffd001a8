import { Field, GraphQLISODateTime, ID, Int, ObjectType } from '@nestjs/graphql';

@ObjectType({
  description:
    'A background job that no longer runs automatically, because processes crashed while it ran. A retry releases it.',
})
export class QuarantinedJob {
  @Field(() => ID)
  id: string;

  @Field({ description: 'The task name, such as `knowledge.sync`.' })
  task: string;

  @Field(() => ID, { nullable: true, description: 'The integration that the job belongs to, if any.' })
  connectionId: string | null;

  @Field(() => ID, { nullable: true, description: 'The source of configuration files that the job reads, if any.' })
  sourceId: string | null;

  @Field(() => Int, { description: 'Processes that crashed while it ran, since it last finished.' })
  lostProcesses: number;

  @Field(() => GraphQLISODateTime)
  quarantinedAt: Date;
}
