import { Field, GraphQLISODateTime, ID, Int, ObjectType } from '@nestjs/graphql';
import { Column, Entity, PrimaryColumn } from 'typeorm';

@ObjectType({ description: 'An unpublished policy text. It has no effect on calls and may have errors.' })
@Entity('policy_drafts')
export class PolicyDraft {
  @PrimaryColumn('uuid')
  tenantId: string;

  @Field(() => ID)
  @PrimaryColumn('uuid')
  configurationId: string;

  @Field()
  @Column('text')
  text: string;

  @Field(() => Int, { description: 'The revision that was published when the draft was saved.' })
  @Column('int')
  basedOn: number;

  @Field(() => ID, { nullable: true })
  @Column('uuid', { nullable: true })
  savedBy: string | null;

  @Field()
  @Column('text')
  saver: string;

  @Field(() => GraphQLISODateTime)
  @Column('timestamptz')
  savedAt: Date;
}
