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

  @Field(() => ID, { nullable: true, description: 'Null: proposed but not in effect.' })
  @Column('uuid', { nullable: true })
  confirmedBy: string | null;

  @Field(() => GraphQLISODateTime, { nullable: true })
  @Column('timestamptz', { nullable: true })
  confirmedAt: Date | null;
}
