import { Field, GraphQLISODateTime, ID, Int, ObjectType } from '@nestjs/graphql';

@ObjectType({
  description:
    'A background job that is not run again by itself, because processes ended while it ran. A retry releases it.',
})
export class QuarantinedJob {
  @Field(() => ID)
  id: string;

  @Field({ description: 'What it does, such as `knowledge.sync`.' })
  task: string;

  @Field(() => ID, { nullable: true, description: 'The integration that it works for, if it works for one.' })
  connectionId: string | null;

  @Field(() => ID, { nullable: true, description: 'The source of configuration files that it reads, if it reads one.' })
  sourceId: string | null;

  @Field(() => Int, { description: 'Processes that ended while it ran, since it last came to an end.' })
  lostProcesses: number;

  @Field(() => GraphQLISODateTime)
  quarantinedAt: Date;
}
