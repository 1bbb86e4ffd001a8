import { Field, GraphQLISODateTime, ID, ObjectType } from '@nestjs/graphql';
import { Column, PrimaryColumn } from 'typeorm';

/** What a program presents, and a person has made: shown once, kept as a hash. */
@ObjectType({ isAbstract: true })
export abstract class IssuedToken {
  @PrimaryColumn('uuid')
  tenantId: string;

  @Field(() => ID)
  @PrimaryColumn('uuid')
  id: string;

  @Field()
  @Column('text')
  name: string;

  @Column('bytea', { select: false })
  tokenHash: Buffer;

  @Field({ description: 'How it begins, to recognise it by.' })
  @Column('text')
  hint: string;

  @Field(() => ID)
  @Column('uuid')
  createdBy: string;

  @Field(() => GraphQLISODateTime)
  @Column('timestamptz')
  createdAt: Date;

  @Field(() => GraphQLISODateTime, { nullable: true, description: 'The last use, to the minute.' })
  @Column('timestamptz', { nullable: true })
  usedAt: Date | null;

  @Field(() => GraphQLISODateTime, { nullable: true })
  @Column('timestamptz', { nullable: true })
  revokedAt: Date | null;
}
