import { Field, GraphQLISODateTime, ID, ObjectType } from '@nestjs/graphql';
import { Column, Entity, PrimaryColumn } from 'typeorm';

@ObjectType({
  description:
    'A named caller of a configuration. Its keys share it: a task sent with one of them belongs to the identity.',
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
    description: 'Who answers for what the agent does. While they are not active, its keys are refused.',
  })
  @Column('uuid')
  responsibleMemberId: string;

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description: 'Since when all of its keys are refused; its tasks wait.',
  })
  @Column('timestamptz', { nullable: true })
  pausedAt: Date | null;

  @Field(() => GraphQLISODateTime)
  @Column('timestamptz')
  createdAt: Date;
}
