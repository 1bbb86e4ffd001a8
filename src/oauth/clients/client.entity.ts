import { Field, GraphQLISODateTime, ID, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import { Column, Entity, PrimaryColumn } from 'typeorm';

export const clientTypes = ['public', 'confidential'] as const;
export type ClientType = (typeof clientTypes)[number];
export const ClientTypeEnum = { public: 'public', confidential: 'confidential' } as const;
registerEnumType(ClientTypeEnum, {
  name: 'OauthClientType',
  valuesMap: {
    public: { description: 'Runs where its users can look into it, and never has a secret: PKCE alone.' },
    confidential: { description: 'Runs on a server that keeps a secret.' },
  },
});

export const clientTargets = ['api', 'mcp'] as const;
export type ClientTarget = (typeof clientTargets)[number];
export const ClientTargetEnum = { api: 'api', mcp: 'mcp' } as const;
registerEnumType(ClientTargetEnum, {
  name: 'OauthClientTarget',
  valuesMap: {
    api: { description: 'The API of the organization.' },
    mcp: { description: 'One configuration, over MCP.' },
  },
});

export const clientScopes = ['api:read', 'api:write'] as const;
export type ClientScope = (typeof clientScopes)[number];
export const ClientScopeEnum = { api_read: 'api:read', api_write: 'api:write' } as const;
registerEnumType(ClientScopeEnum, {
  name: 'OauthScope',
  valuesMap: {
    api_read: { description: '"api:read": looks things up.' },
    api_write: { description: '"api:write": changes things, too; it includes "api:read".' },
  },
});

export const authMethods = ['none', 'client_secret_basic', 'client_secret_post'] as const;
export type AuthMethod = (typeof authMethods)[number];
export const AuthMethodEnum = {
  none: 'none',
  client_secret_basic: 'client_secret_basic',
  client_secret_post: 'client_secret_post',
} as const;
registerEnumType(AuthMethodEnum, {
  name: 'OauthAuthMethod',
  description: 'How the client proves itself at the token endpoint. No other way is accepted.',
  valuesMap: {
    none: { description: 'Not at all: a public client.' },
    client_secret_basic: { description: 'By its secret in the header "Authorization".' },
    client_secret_post: { description: 'By its secret in the form.' },
  },
});

export const ClientStatusEnum = { active: 'active', disabled: 'disabled', revoked: 'revoked' } as const;
export type ClientStatus = keyof typeof ClientStatusEnum;
registerEnumType(ClientStatusEnum, { name: 'OauthClientStatus' });

@ObjectType({
  description:
    'A product of others that acts for members who agreed to it: as that person, in this organization, and nowhere else.',
})
@Entity('oauth_clients')
export class OauthClient {
  @PrimaryColumn('uuid')
  tenantId: string;

  @Field(() => ID, { description: 'The public "client_id" as well.' })
  @PrimaryColumn('uuid')
  id: string;

  @Field({ description: 'What people are shown when it asks for access.' })
  @Column('text')
  name: string;

  @Field(() => String, { nullable: true })
  @Column('text', { nullable: true })
  description: string | null;

  @Field(() => String, { nullable: true })
  @Column('text', { nullable: true })
  logoUrl: string | null;

  @Field(() => ClientTypeEnum)
  @Column('text')
  type: ClientType;

  @Field({ description: 'Installed on its user’s own machine: may be called back on a loopback address.' })
  @Column('boolean')
  isNative: boolean;

  @Field(() => [String], { description: 'Compared character by character.' })
  @Column('text', { array: true })
  redirectUris: string[];

  @Field(() => ClientTargetEnum)
  @Column('text')
  target: ClientTarget;

  /** Of a client that targets MCP. */
  @Column('uuid', { nullable: true })
  configurationId: string | null;

  @Field(() => [ClientScopeEnum], { description: 'The most that it may ask for.' })
  @Column('text', { array: true })
  scopes: ClientScope[];

  @Field(() => AuthMethodEnum)
  @Column('text')
  authMethod: AuthMethod;

  @Field(() => [String], { description: 'E-mail addresses of those who look after the product.' })
  @Column('text', { array: true })
  contacts: string[];

  @Field(() => Int, { description: 'Rises with every change that people should agree to anew.' })
  @Column('integer')
  revision: number;

  /** Null: the product itself, for its demo. */
  @Column('uuid', { nullable: true })
  createdBy: string | null;

  @Field(() => GraphQLISODateTime)
  @Column('timestamptz')
  createdAt: Date;

  @Field(() => GraphQLISODateTime, { nullable: true, description: 'The last use, to the minute.' })
  @Column('timestamptz', { nullable: true })
  lastUsedAt: Date | null;

  @Field(() => GraphQLISODateTime, { nullable: true })
  @Column('timestamptz', { nullable: true })
  disabledAt: Date | null;

  @Field(() => GraphQLISODateTime, { nullable: true })
  @Column('timestamptz', { nullable: true })
  revokedAt: Date | null;

  @Field(() => ClientStatusEnum)
  get status(): ClientStatus {
    if (this.revokedAt) return 'revoked';
    return this.disabledAt ? 'disabled' : 'active';
  }
}
