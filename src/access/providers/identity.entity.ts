import { Field, GraphQLISODateTime, ID, ObjectType } from '@nestjs/graphql';
import { Column, Entity, PrimaryColumn } from 'typeorm';

@ObjectType({
  description: 'Whom a provider knows a member as: the issuer and its subject, never an e-mail address alone.',
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

  @Field({ description: 'What the provider said when it was last used. It identifies nobody.' })
  @Column('text')
  email: string;

  @Field(() => GraphQLISODateTime)
  @Column('timestamptz')
  linkedAt: Date;

  @Field(() => GraphQLISODateTime, { nullable: true })
  @Column('timestamptz', { nullable: true })
  usedAt: Date | null;
}
