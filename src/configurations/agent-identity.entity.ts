import { Field, GraphQLISODateTime, ID, ObjectType } from '@nestjs/graphql';
import { Column, Entity, PrimaryColumn } from 'typeorm';

@ObjectType({
  description: 'A named caller of a configuration. It owns the tasks that were sent with any of its keys.',
})
@Entity('agent_identities')
export class AgentIdentity {
  @PrimaryColumn('uuid')
  tenantId: string;

  @Field(() => ID)
  @PrimaryColumn('uuid')
  id: string;

  @Field(() => ID)
  @Column('uuid')
  configurationId: string;

  @Field()
  @Column('text')
  name: string;

  @Field(() => ID, {
    description:
      'The member responsible for the agent. While the member is not active, the keys of the agent are refused.',
  })
  @Column('uuid')
  responsibleMemberId: string;

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description: 'When it was paused. Since then all of its keys are refused and its tasks wait.',
  })
  @Column('timestamptz', { nullable: true })
  pausedAt: Date | null;

  @Field(() => GraphQLISODateTime)
  @Column('timestamptz')
  createdAt: Date;
}
