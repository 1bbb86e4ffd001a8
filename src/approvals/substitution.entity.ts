import { Field, GraphQLISODateTime, ID, ObjectType } from '@nestjs/graphql';
import { Column, Entity, PrimaryColumn } from 'typeorm';

@ObjectType({ description: 'A period in which one member decides in place of another.' })
@Entity('substitutions')
export class Substitution {
  @PrimaryColumn('uuid')
  tenantId: string;

  @Field(() => ID)
  @PrimaryColumn('uuid')
  id: string;

  @Field(() => ID, { description: 'The member who is replaced.' })
  @Column('uuid')
  memberId: string;

  @Field(() => ID)
  @Column('uuid')
  substituteId: string;

  @Field(() => GraphQLISODateTime)
  @Column('timestamptz')
  startsAt: Date;

  @Field(() => GraphQLISODateTime)
  @Column('timestamptz')
  endsAt: Date;

  @Field(() => ID, { description: 'The member, or the administrator who named the substitute.' })
  @Column('uuid')
  createdBy: string;

  @Field(() => GraphQLISODateTime)
  @Column('timestamptz')
  createdAt: Date;

  /** Ended before its time. */
  @Column('timestamptz', { nullable: true })
  endedAt: Date | null;
}
