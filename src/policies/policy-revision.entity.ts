import { Field, GraphQLISODateTime, ID, Int, ObjectType } from '@nestjs/graphql';
import { Column, Entity, PrimaryColumn } from 'typeorm';

@ObjectType({
  description: 'A published policy text. Revisions are numbered per configuration; the highest one decides.',
})
@Entity('policy_revisions')
export class PolicyRevision {
  @PrimaryColumn('uuid')
  tenantId: string;

  @Field(() => ID)
  @PrimaryColumn('uuid')
  configurationId: string;

  @Field(() => Int)
  @PrimaryColumn('int')
  revision: number;

  @Field({ description: 'Cedar.' })
  @Column('text')
  text: string;

  @Column('bytea')
  textHash: Buffer;

  @Field(() => ID, {
    nullable: true,
    description: 'The member; null where the product published what a configuration starts with.',
  })
  @Column('uuid', { nullable: true })
  publishedBy: string | null;

  @Field({ description: 'The name of who published it, then.' })
  @Column('text')
  publisher: string;

  @Field(() => GraphQLISODateTime)
  @Column('timestamptz')
  publishedAt: Date;
}
