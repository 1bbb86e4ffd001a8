import { Field, GraphQLISODateTime, ID, Int, ObjectType } from '@nestjs/graphql';
import { Column, Entity, PrimaryColumn } from 'typeorm';

@ObjectType({
  description: 'A published policy text. Revisions are numbered per configuration; the highest one is in effect.',
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

  @Field({ description: 'Cedar policies.' })
  @Column('text')
  text: string;

  @Column('bytea')
  textHash: Buffer;

  @Field(() => ID, {
    nullable: true,
    description: 'The member who published the text; null for default policies.',
  })
  @Column('uuid', { nullable: true })
  publishedBy: string | null;

  @Field({ description: 'The name of the publisher at that time.' })
  @Column('text')
  publisher: string;

  @Field(() => GraphQLISODateTime)
  @Column('timestamptz')
  publishedAt: Date;

  @Field(() => String, { nullable: true, description: 'Why the publisher changed the policies.' })
  @Column('text', { nullable: true })
  note: string | null;
}
