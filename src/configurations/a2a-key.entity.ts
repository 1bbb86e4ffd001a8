import { Field, GraphQLISODateTime, ID, ObjectType } from '@nestjs/graphql';
import { Column, Entity, PrimaryColumn } from 'typeorm';

@ObjectType({
  description:
    'A key of an agent identity. Agents send it as "Authorization: Bearer …" to the A2A URL of the configuration.',
})
@Entity('a2a_keys')
export class A2aKey {
  @PrimaryColumn('uuid')
  tenantId: string;

  @Field(() => ID)
  @PrimaryColumn('uuid')
  id: string;

  @Field(() => ID)
  @Column('uuid')
  agentId: string;

  @Column('bytea', { select: false })
  tokenHash: Buffer;

  @Column('bytea', { select: false })
  sealed: Buffer;

  @Field({ description: 'The first characters, to recognize it.' })
  @Column('text')
  hint: string;

  @Field(() => ID, {
    nullable: true,
    description: 'The member who created it and so knows it; null for a key of the built-in demo.',
  })
  @Column('uuid', { nullable: true })
  createdBy: string | null;

  @Field(() => GraphQLISODateTime)
  @Column('timestamptz')
  createdAt: Date;

  @Field(() => GraphQLISODateTime, { nullable: true })
  @Column('timestamptz', { nullable: true })
  expiresAt: Date | null;

  @Field(() => GraphQLISODateTime, { nullable: true })
  @Column('timestamptz', { nullable: true })
  pausedAt: Date | null;

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description: 'When it was rotated. It stays valid until it expires.',
  })
  @Column('timestamptz', { nullable: true })
  replacedAt: Date | null;

  @Field(() => GraphQLISODateTime, { nullable: true })
  @Column('timestamptz', { nullable: true })
  revokedAt: Date | null;

  @Field(() => GraphQLISODateTime, { nullable: true, description: 'The last use, accurate to the minute.' })
  @Column('timestamptz', { nullable: true })
  usedAt: Date | null;
}
