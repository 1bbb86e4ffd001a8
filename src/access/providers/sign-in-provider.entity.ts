import { Field, GraphQLISODateTime, ID, ObjectType } from '@nestjs/graphql';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { Group } from '../group.entity.js';

@ObjectType({ description: 'An OpenID Connect provider with which members sign in. Its client secret is never shown.' })
@Entity('sign_in_providers')
export class SignInProvider {
  @PrimaryColumn('uuid')
  tenantId: string;

  @Field(() => ID)
  @PrimaryColumn('uuid')
  id: string;

  @Field({ description: 'The name on the button of the sign-in page.' })
  @Column('text')
  name: string;

  @Field({ description: 'The issuer exactly as in the provider’s metadata, such as "https://accounts.example.com".' })
  @Column('text')
  issuer: string;

  @Field({ description: 'The client ID of Countersign at the provider.' })
  @Column('text')
  clientId: string;

  /** Sealed; null for a public client. */
  @Column('bytea', { nullable: true, select: false })
  clientSecret: Buffer | null;

  @Field(() => [String], { description: 'Only verified email addresses of these domains can sign in.' })
  @Column('text', { array: true })
  emailDomains: string[];

  @Field({ description: 'Whether a new user becomes a member when they first sign in.' })
  @Column('boolean')
  createsMembers: boolean;

  @Column('uuid', { nullable: true })
  createdBy: string | null;

  @Field(() => GraphQLISODateTime)
  @Column('timestamptz')
  createdAt: Date;

  @Field(() => GraphQLISODateTime, { nullable: true, description: 'Since when it is disabled; null: enabled.' })
  @Column('timestamptz', { nullable: true })
  disabledAt: Date | null;

  /** Not a column; loaded with the provider. */
  @Field(() => [Group], { description: 'The groups that members created by it join.' })
  groups: Group[];
}

/** The settings that an administrator edits. */
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
