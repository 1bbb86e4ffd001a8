import { Field, GraphQLISODateTime, ID, ObjectType } from '@nestjs/graphql';
import { Column, Entity, PrimaryColumn } from 'typeorm';

@ObjectType({ description: 'The right of a member to override pending approvals in an emergency.' })
@Entity('break_glass_rights')
export class BreakGlassRight {
  @PrimaryColumn('uuid')
  tenantId: string;

  @Field(() => ID)
  @PrimaryColumn('uuid')
  memberId: string;

  @Field(() => ID)
  @Column('uuid')
  grantedBy: string;

  @Field(() => GraphQLISODateTime, { description: 'The right covers only calls that were requested later.' })
  @Column('timestamptz')
  grantedAt: Date;
}
