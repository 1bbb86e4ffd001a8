import { Field, GraphQLISODateTime, ID, ObjectType } from '@nestjs/graphql';
import { Column, Entity, PrimaryColumn } from 'typeorm';

@ObjectType({
  description:
    'The organization-wide setting that lets members review calls of the person who invited them or reset their password. One administrator proposes it, another confirms it.',
})
@Entity('introduced_reviewers')
export class IntroducedReviewers {
  @PrimaryColumn('uuid')
  tenantId: string;

  @Field(() => ID)
  @Column('uuid')
  proposedBy: string;

  @Field(() => GraphQLISODateTime)
  @Column('timestamptz')
  proposedAt: Date;

  @Field(() => ID)
  @Column('uuid')
  confirmedBy: string;

  @Field(() => GraphQLISODateTime)
  @Column('timestamptz')
  confirmedAt: Date;
}
