import { Field, GraphQLISODateTime, ID, ObjectType } from '@nestjs/graphql';
import { Column, Entity, PrimaryColumn } from 'typeorm';

@ObjectType({ description: 'A statement that only the member can sign in to their account.' })
@Entity('vouches')
export class MemberVouch {
  @PrimaryColumn('uuid')
  tenantId: string;

  @Field(() => ID)
  @PrimaryColumn('uuid')
  id: string;

  @Field(() => ID)
  @Column('uuid')
  memberId: string;

  @Field(() => ID, { nullable: true, description: 'The member who vouched; null: the operator of the server.' })
  @Column('uuid', { nullable: true })
  madeBy: string | null;

  @Field(() => GraphQLISODateTime)
  @Column('timestamptz')
  at: Date;
}
