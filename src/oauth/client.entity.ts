import { Field, GraphQLISODateTime, ID, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import { Column, Entity, PrimaryColumn } from 'typeorm';

export const clientTypes = ['public', 'confidential'] as const;
export type ClientType = (typeof clientTypes)[number];
export const ClientTypeEnum = { public: 'public', confidential: 'confidential' } as const;
registerEnumType(ClientTypeEnum, {
  name: 'OauthClientType',
  valuesMap: {
    public: { description: 'Runs where users can inspect it, so it has no secret and uses PKCE.' },
    confidential: { description: 'Runs on a server that can protect a secret.' },
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
    api_read: { description: '"api:read": read access.' },
    api_write: { description: '"api:write": write access, includes "api:read".' },
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
  description: 'How the client authenticates at the token endpoint. No other method is accepted.',
  valuesMap: {
    none: { description: 'A public client does not authenticate.' },
    client_secret_basic: { description: 'The secret in the "Authorization" header.' },
    client_secret_post: { description: 'The secret in the form body.' },
  },
});

export const ClientStatusEnum = { active: 'active', disabled: 'disabled', revoked: 'revoked' } as const;
export type ClientStatus = keyof typeof ClientStatusEnum;
registerEnumType(ClientStatusEnum, { name: 'OauthClientStatus' });

@ObjectType({
  description: 'A third-party product that acts for consenting members: as that person, and only in this organization.',
})
@Entity('oauth_clients')
export class OauthClient {
  @PrimaryColumn('uuid')
  tenantId: string;

  @Field(() => ID, { description: 'Also the public "client_id".' })
  @PrimaryColumn('uuid')
  id: string;

  @Field({ description: 'Shown to people on the consent page.' })
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

  @Field({ description: 'Installed on the user’s own machine. Loopback redirect URIs are allowed.' })
  @Column('boolean')
  isNative: boolean;

  @Field(() => [String], { description: 'Compared character by character.' })
  @Column('text', { array: true })
  redirectUris: string[];

  @Field(() => ClientTargetEnum)
  @Column('text')
  target: ClientTarget;

  /** The configuration of a client that targets MCP. */
  @Column('uuid', { nullable: true })
  configurationId: string | null;

  @Field(() => [ClientScopeEnum], { description: 'The scopes that it may request.' })
  @Column('text', { array: true })
  scopes: ClientScope[];

  @Field(() => AuthMethodEnum)
  @Column('text')
  authMethod: AuthMethod;

  @Field(() => [String], { description: 'Email addresses of the people responsible for the product.' })
  @Column('text', { array: true })
  contacts: string[];

  @Field(() => Int, { description: 'Increases with every change that requires new consent.' })
  @Column('integer')
  revision: number;

  /** Null for a client of the built-in demo. */
  @Column('uuid', { nullable: true })
  createdBy: string | null;

  @Field(() => GraphQLISODateTime)
  @Column('timestamptz')
  createdAt: Date;

  @Field(() => GraphQLISODateTime, { nullable: true, description: 'The last use, accurate to the minute.' })
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
