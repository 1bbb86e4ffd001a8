import { Field, GraphQLISODateTime, ID, ObjectType } from '@nestjs/graphql';
import { Column, Entity, PrimaryColumn } from 'typeorm';

@ObjectType({
  description:
    'Somebody whom the organization knows and vendors name: a member, somebody from a list, or a service account. Whoever leaves keeps what was theirs.',
})
@Entity('spend_people')
export class SpendPerson {
  @PrimaryColumn('uuid')
  tenantId: string;

  @Field(() => ID)
  @PrimaryColumn('uuid')
  id: string;

  @Field(() => ID, { nullable: true, description: 'Name and address of members follow their account.' })
  @Column('uuid', { nullable: true })
  memberId: string | null;

  @Field(() => String, { nullable: true, description: 'In lower case. Only service accounts may have none.' })
  @Column('text', { nullable: true })
  email: string | null;

  @Field()
  @Column('text')
  name: string;

  /** Drawn by lot: what stands for the name where the organization shows pseudonyms. Nobody sees it beside the name. */
  @Column('text')
  pseudonym: string;

  @Field()
  @Column('boolean')
  isServiceAccount: boolean;

  @Field(() => ID, { nullable: true })
  @Column('uuid', { nullable: true })
  groupId: string | null;

  @Field(() => ID, { nullable: true })
  @Column('uuid', { nullable: true })
  costCentreId: string | null;

  @Field(() => GraphQLISODateTime, { nullable: true, description: 'Since when they are gone.' })
  @Column('timestamptz', { nullable: true })
  removedAt: Date | null;

  @Field(() => GraphQLISODateTime)
  @Column('timestamptz')
  createdAt: Date;

  /** Read with a list of people, not a column. */
  aliases?: string[];
}

/** What an administrator enters and sees again. */
export const personSettings = ({ name, email, groupId, costCentreId }: SpendPerson) => ({
  name,
  email,
  groupId,
  costCentreId,
});
