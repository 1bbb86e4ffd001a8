import { Field, GraphQLISODateTime, ID, ObjectType } from '@nestjs/graphql';
import { Column, Entity, PrimaryColumn } from 'typeorm';

@ObjectType({
  description:
    'A person that usage can be attributed to: a member, an imported person or a service account. Usage of removed people stays attributed to them.',
})
@Entity('spend_people') // without `pseudonym`, which is never shown together with the name
export class SpendPerson {
  @PrimaryColumn('uuid')
  tenantId: string;

  @Field(() => ID)
  @PrimaryColumn('uuid')
  id: string;

  @Field(() => ID, { nullable: true, description: 'The name and email address of members follow their account.' })
  @Column('uuid', { nullable: true })
  memberId: string | null;

  @Field(() => String, { nullable: true, description: 'In lower case. Only service accounts can be without one.' })
  @Column('text', { nullable: true })
  email: string | null;

  @Field()
  @Column('text')
  name: string;

  @Field()
  @Column('boolean')
  isServiceAccount: boolean;

  @Field(() => ID, { nullable: true })
  @Column('uuid', { nullable: true })
  groupId: string | null;

  @Field(() => ID, { nullable: true })
  @Column('uuid', { nullable: true })
  costCentreId: string | null;

  @Field(() => GraphQLISODateTime, { nullable: true, description: 'When the person was removed.' })
  @Column('timestamptz', { nullable: true })
  removedAt: Date | null;

  @Field(() => GraphQLISODateTime)
  @Column('timestamptz')
  createdAt: Date;

  /** Not a column: set only when a list of people is loaded. */
  aliases?: string[];
}

/** The settings that an administrator can change. */
export const personSettings = ({ name, email, groupId, costCentreId }: SpendPerson) => ({
  name,
  email,
  groupId,
  costCentreId,
});
