import { Field, GraphQLISODateTime, ID, ObjectType } from '@nestjs/graphql';
import { Column, PrimaryColumn } from 'typeorm';

/** A credential that a person creates for a program. It is shown once and stored as a hash. */
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

  @Field({ description: 'The first characters of the token, to recognize it.' })
  @Column('text')
  hint: string;

  @Field(() => ID)
  @Column('uuid')
  createdBy: string;

  @Field(() => GraphQLISODateTime)
  @Column('timestamptz')
  createdAt: Date;

  @Field(() => GraphQLISODateTime, { nullable: true, description: 'Last use, to the minute.' })
  @Column('timestamptz', { nullable: true })
  usedAt: Date | null;

  @Field(() => GraphQLISODateTime, { nullable: true })
  @Column('timestamptz', { nullable: true })
  revokedAt: Date | null;
}
