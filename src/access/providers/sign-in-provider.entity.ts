import { Field, GraphQLISODateTime, ID, ObjectType } from '@nestjs/graphql';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { Group } from '../group.entity.js';

@ObjectType({ description: 'An OpenID Connect provider by which members sign in. Its client secret is never shown.' })
@Entity('sign_in_providers')
export class SignInProvider {
  @PrimaryColumn('uuid')
  tenantId: string;

  @Field(() => ID)
  @PrimaryColumn('uuid')
  id: string;

  @Field({ description: 'What the button on the sign-in page says.' })
  @Column('text')
  name: string;

  @Field({ description: 'Exactly as the provider names itself, such as "https://accounts.example.com".' })
  @Column('text')
  issuer: string;

  @Field({ description: 'What the provider calls us.' })
  @Column('text')
  clientId: string;

  /** Sealed; null where we are a public client there. */
  @Column('bytea', { nullable: true, select: false })
  clientSecret: Buffer | null;

  @Field(() => [String], { description: 'Only verified e-mail addresses of these domains come in.' })
  @Column('text', { array: true })
  emailDomains: string[];

  @Field({ description: 'Whether somebody whose e-mail address nobody has yet becomes a member by signing in.' })
  @Column('boolean')
  createsMembers: boolean;

  @Column('uuid', { nullable: true })
  createdBy: string | null;

  @Field(() => GraphQLISODateTime)
  @Column('timestamptz')
  createdAt: Date;

  @Field(() => GraphQLISODateTime, { nullable: true, description: 'Since when nobody signs in by it.' })
  @Column('timestamptz', { nullable: true })
  disabledAt: Date | null;

  /** Read with the provider, not a column. */
  @Field(() => [Group], { description: 'What members made by it get into.' })
  groups: Group[];
}

/** What an administrator enters and sees again. */
export const signInProviderSettings = ({
  name,
  issuer,
  clientId,
  emailDomains,
  createsMembers,
  disabledAt,
  groups,
}: SignInProvider) => ({
  name,
  issuer,
  clientId,
  emailDomains,
  createsMembers,
  disabledAt,
  groups: groups.map(({ id }) => id).sort(),
});
