import { Field, GraphQLISODateTime, ID, ObjectType } from '@nestjs/graphql';
import { Column, Entity, PrimaryColumn } from 'typeorm';

@ObjectType({
  description: 'A member with break-glass rights approved a call in place of its approvers. Another member reviews it.',
})
@Entity('approval_overrides')
export class ApprovalOverride {
  @PrimaryColumn('uuid')
  tenantId: string;

  @Field(() => ID)
  @PrimaryColumn('uuid')
  approvalId: string;

  @Column('uuid')
  memberId: string;

  @Field({ description: 'Why the call could not wait for its approvers.' })
  @Column('text')
  reason: string;

  @Field(() => GraphQLISODateTime)
  @Column('timestamptz')
  at: Date;

  @Column('uuid', { nullable: true })
  reviewedBy: string | null;

  @Field(() => GraphQLISODateTime, { nullable: true, description: 'Null: the review is open.' })
  @Column('timestamptz', { nullable: true })
  reviewedAt: Date | null;

  @Field(() => String, { nullable: true, description: 'What the reviewer concluded.' })
  @Column('text', { nullable: true })
  reviewNote: string | null;
}
