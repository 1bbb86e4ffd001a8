import { Field, GraphQLISODateTime, ID, ObjectType } from '@nestjs/graphql';
import { Column, Entity, PrimaryColumn } from 'typeorm';

@ObjectType({
  description:
    'A secret of a confidential client, shown once. Two secrets can be valid at once, so you can rotate without downtime.',
})
@Entity('oauth_client_secrets')
export class OauthClientSecret {
  @PrimaryColumn('uuid')
  tenantId: string;

  @Field(() => ID)
  @PrimaryColumn('uuid')
  id: string;

  @Column('uuid')
  client: string;

  @Column('bytea', { select: false })
  hash: Buffer;

  @Field({ description: 'The first characters, to recognize it.' })
  @Column('text')
  hint: string;

  @Column('uuid', { nullable: true })
  createdBy: string | null;

  @Field(() => GraphQLISODateTime)
  @Column('timestamptz')
  createdAt: Date;

  @Field(() => GraphQLISODateTime, { nullable: true, description: 'Null if it does not expire.' })
  @Column('timestamptz', { nullable: true })
  expiresAt: Date | null;
}
