import { Field, GraphQLISODateTime, ID, Int, ObjectType } from '@nestjs/graphql';
import { Column, Entity, PrimaryColumn } from 'typeorm';

@ObjectType({
  description:
    'A named bundle of connections, policies and a model, and the groups that may use it. Agents reach it over A2A with keys of its agent identities.',
})
@Entity('configurations')
export class Configuration {
  @PrimaryColumn('uuid')
  tenantId: string;

  @Field(() => ID)
  @PrimaryColumn('uuid')
  id: string;

  @Field({ description: 'What the agent card calls it.' })
  @Column('text')
  name: string;

  @Field({ description: 'What the agent card says it is for.' })
  @Column('text')
  description: string;

  @Field(() => ID, {
    nullable: true,
    description:
      'A connection that offers a model; null: the model that the operator has set (MODEL_BASE_URL), or else the built-in one, which is no language model.',
  })
  @Column('uuid', { nullable: true })
  modelConnectionId: string | null;

  @Field({
    description:
      'Over MCP its one connection’s tools, resources and prompts keep the names that the connected system gave them, without "<connection>__". Policies, approvals and records name them in full all the same.',
  })
  @Column('boolean')
  unprefixed: boolean;

  @Field(() => Int, { description: 'Counts changes of all of this but a pause.' })
  @Column('int')
  revision: number;

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description: 'Since when every call through it is refused; tasks wait.',
  })
  @Column('timestamptz', { nullable: true })
  pausedAt: Date | null;

  @Field(() => GraphQLISODateTime)
  @Column('timestamptz')
  createdAt: Date;
}
