import { Field, GraphQLISODateTime, ID, ObjectType } from '@nestjs/graphql';
import { Column, Entity, PrimaryColumn } from 'typeorm';

@ObjectType({
  description: 'A secret of a confidential client. It was shown once; two work at a time while it is rotated.',
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

  @Field({ description: 'How it begins, to recognise it by.' })
  @Column('text')
  hint: string;

  @Column('uuid', { nullable: true })
  createdBy: string | null;

  @Field(() => GraphQLISODateTime)
  @Column('timestamptz')
  createdAt: Date;

  @Field(() => GraphQLISODateTime, { nullable: true, description: 'Never, where it is null.' })
  @Column('timestamptz', { nullable: true })
  expiresAt: Date | null;
}
