import { Field, GraphQLISODateTime, ID, Int, ObjectType } from '@nestjs/graphql';
import { Column, Entity, PrimaryColumn } from 'typeorm';

@ObjectType({
  description:
    'A named bundle of connections, policies and a model, with the groups that may use it. Agents use it over A2A with keys of its agent identities.',
})
@Entity('configurations')
export class Configuration {
  @PrimaryColumn('uuid')
  tenantId: string;

  @Field(() => ID)
  @PrimaryColumn('uuid')
  id: string;

  @Field({ description: 'The name in the agent card.' })
  @Column('text')
  name: string;

  @Field({ description: 'The description in the agent card.' })
  @Column('text')
  description: string;

  @Field(() => ID, {
    nullable: true,
    description:
      'A connection that provides a model. Null selects the operator’s model (MODEL_BASE_URL), or else the built-in agent, which uses no language model.',
  })
  @Column('uuid', { nullable: true })
  modelConnectionId: string | null;

  @Field({
    description:
      'Over MCP, the tools, resources and prompts of its only connection keep their original names, without "<connection>__". Policies, approvals and the audit log still use the full names.',
  })
  @Column('boolean')
  unprefixed: boolean;

  @Field(() => Int, { description: 'Increases with every change except a pause.' })
  @Column('int')
  revision: number;

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description: 'When it was paused. Since then every call through it is refused and tasks wait.',
  })
  @Column('timestamptz', { nullable: true })
  pausedAt: Date | null;

  @Field(() => GraphQLISODateTime)
  @Column('timestamptz')
  createdAt: Date;
}
