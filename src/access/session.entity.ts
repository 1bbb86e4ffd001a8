import { Field, GraphQLISODateTime, ID, ObjectType } from '@nestjs/graphql';
import { Column, Entity, PrimaryColumn } from 'typeorm';

@ObjectType({ description: 'A browser session of a member.' })
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

  @Field(() => String, { nullable: true, description: 'The user agent that the browser reported.' })
  @Column('text', { nullable: true })
  userAgent: string | null;

  @Field(() => GraphQLISODateTime)
  @Column('timestamptz')
  createdAt: Date;

  @Field(() => GraphQLISODateTime, { description: 'Last use, to the minute.' })
  @Column('timestamptz')
  usedAt: Date;

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description: 'When the member last confirmed their identity in this session.',
  })
  @Column('timestamptz', { nullable: true })
  freshAt: Date | null;

  @Field(() => GraphQLISODateTime, { description: 'When it ends, even if it is in use.' })
  @Column('timestamptz')
  expiresAt: Date;
}
