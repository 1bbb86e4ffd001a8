import { Field, GraphQLISODateTime, ID, ObjectType } from '@nestjs/graphql';
import { Column, Entity, PrimaryColumn } from 'typeorm';

@ObjectType({
  description:
    'Lets a program administer in the name of the member who made it, with what that member may do now. It decides no approval, reveals no key, publishes no policy, and touches neither roles nor groups nor other tokens.',
})
@Entity('admin_tokens')
export class AdminToken {
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

  @Field(() => GraphQLISODateTime)
  @Column('timestamptz')
  expiresAt: Date;

  @Field(() => GraphQLISODateTime, { nullable: true, description: 'The last use, to the minute.' })
  @Column('timestamptz', { nullable: true })
  usedAt: Date | null;

  @Field(() => GraphQLISODateTime, { nullable: true })
  @Column('timestamptz', { nullable: true })
  revokedAt: Date | null;
}
