import { Field, GraphQLISODateTime, ID, ObjectType } from '@nestjs/graphql';
import { Column, Entity, PrimaryColumn } from 'typeorm';

@ObjectType({ description: 'A browser in which a member is signed in.' })
@Entity('sessions')
export class Session {
  @PrimaryColumn('uuid')
  tenantId: string;

  @Field(() => ID)
  @PrimaryColumn('uuid')
  id: string;

  @Column('bytea', { select: false })
  tokenHash: Buffer;

  @Field(() => ID)
  @Column('uuid')
  memberId: string;

  @Field(() => String, { nullable: true, description: 'What the browser says it is.' })
  @Column('text', { nullable: true })
  userAgent: string | null;

  @Field(() => GraphQLISODateTime)
  @Column('timestamptz')
  createdAt: Date;

  @Field(() => GraphQLISODateTime, { description: 'The last use, to the minute.' })
  @Column('timestamptz')
  usedAt: Date;

  @Field(() => GraphQLISODateTime, { nullable: true, description: 'When the person last proved in it who they are.' })
  @Column('timestamptz', { nullable: true })
  freshAt: Date | null;

  @Field(() => GraphQLISODateTime, { description: 'When it ends, however much it is used.' })
  @Column('timestamptz')
  expiresAt: Date;
}
