import { Field, GraphQLISODateTime, ID, ObjectType } from '@nestjs/graphql';
import { Column, Entity, PrimaryColumn } from 'typeorm';

@ObjectType({
  description: 'The account of a member at a provider, identified by issuer and subject, never by email address alone.',
})
@Entity('identities')
export class Identity {
  @PrimaryColumn('uuid')
  tenantId: string;

  @Field(() => ID)
  @PrimaryColumn('uuid')
  id: string;

  @Field(() => ID)
  @Column('uuid')
  memberId: string;

  @Field()
  @Column('text')
  issuer: string;

  @Column('text')
  subject: string;

  @Field({
    description:
      'The address that the provider reported at the last use. Informational: it does not identify the member.',
  })
  @Column('text')
  email: string;

  @Field(() => GraphQLISODateTime)
  @Column('timestamptz')
  linkedAt: Date;

  @Field(() => GraphQLISODateTime, { nullable: true })
  @Column('timestamptz', { nullable: true })
  usedAt: Date | null;
}
