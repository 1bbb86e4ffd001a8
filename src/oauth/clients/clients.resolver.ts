import { Args, Field, Mutation, ObjectType, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import { Configuration } from '../../configurations/configuration.entity.js';
import { ConfigurationsService } from '../../configurations/configurations.service.js';
import { Config } from '../../platform/config/config.js';
import { IdArgument } from '../../platform/graphql/id-argument.decorator.js';
import { PageArgs, Paginated } from '../../platform/graphql/connection.js';
import { RequestLoader } from '../../platform/graphql/request-loader.js';
import { contentVersionOf } from '../../platform/graphql/version.js';
import { Allow, AllowAdminToken, Authenticate } from '../../principal/allow.decorator.js';
import { CurrentPrincipal } from '../../principal/current-principal.decorator.js';
import type { Principal } from '../../principal/principal.js';
import { OauthClientSecret } from './client-secret.entity.js';
import { OauthClient } from '../client.entity.js';
import {
  CreateOauthClientInput,
  OauthClientInput,
  RevokeOauthClientSecretInput,
  RotateOauthClientSecretInput,
  UpdateOauthClientInput,
} from './client.input.js';
import { ClientsService } from './clients.service.js';
import { registrationOf } from './registration.js';
import { resourcePaths } from '../resources.js';
import { SecretsService } from './secrets.service.js';

@ObjectType()
export class OauthClientConnection extends Paginated(OauthClient) {}

@ObjectType({ description: 'A client and its new secret.' })
export class OauthClientWithSecret {
  @Field(() => OauthClient)
  client: OauthClient;

  @Field(() => String, {
    nullable: true,
    description:
      'Shown only once; null for a public client. Store it on a server and send it only to the token endpoint.',
  })
  secret: string | null;
}

@Resolver(() => OauthClient)
@Authenticate('session', 'admin-token')
@Allow('organization:manage')
export class ClientsResolver {
  private readonly configurations: RequestLoader<Principal, Configuration | null>;
  private readonly secretsOf: RequestLoader<Principal, OauthClientSecret[]>;

  constructor(
    private readonly clientsService: ClientsService,
    private readonly secretsService: SecretsService,
    configurations: ConfigurationsService,
    private readonly config: Config,
  ) {
    this.configurations = new RequestLoader((principal, ids) => configurations.listByIds(principal, ids));
    this.secretsOf = new RequestLoader((principal, ids) => secretsService.listByClients(principal, ids));
  }

  @Query(() => OauthClientConnection, { description: 'Newest first, including revoked clients.' })
  oauthClients(@CurrentPrincipal() principal: Principal, @Args() page: PageArgs) {
    return this.clientsService.list(principal, page);
  }

  @Query(() => OauthClient)
  oauthClient(@CurrentPrincipal() principal: Principal, @IdArgument() id: string) {
    return this.clientsService.get(principal, id);
  }

  @Mutation(() => OauthClientWithSecret, { description: 'Requires a session.' })
  createOauthClient(@CurrentPrincipal() principal: Principal, @Args('input') input: CreateOauthClientInput) {
    return this.clientsService.create(principal, input);
  }

  @Mutation(() => OauthClient, { description: 'Requires a session.' })
  updateOauthClient(@CurrentPrincipal() principal: Principal, @Args('input') input: UpdateOauthClientInput) {
    return this.clientsService.update(principal, input);
  }

  @AllowAdminToken()
  @Mutation(() => OauthClient, {
    description:
      'Refuses all requests of the client, starting with the next one, until it is enabled again. Grants stay.',
  })
  disableOauthClient(@CurrentPrincipal() principal: Principal, @Args('input') { clientId }: OauthClientInput) {
    return this.clientsService.disable(principal, clientId);
  }

  @Mutation(() => OauthClient, { description: 'Requires a session.' })
  enableOauthClient(@CurrentPrincipal() principal: Principal, @Args('input') { clientId }: OauthClientInput) {
    return this.clientsService.enable(principal, clientId);
  }

  @AllowAdminToken()
  @Mutation(() => OauthClient, { description: 'Revokes the client and all of its grants immediately and permanently.' })
  revokeOauthClient(@CurrentPrincipal() principal: Principal, @Args('input') { clientId }: OauthClientInput) {
    return this.clientsService.revoke(principal, clientId);
  }

  @Mutation(() => OauthClientWithSecret, {
    description: 'Creates a new secret. The previous one stays valid for "overlapSeconds". Requires a session.',
  })
  rotateOauthClientSecret(
    @CurrentPrincipal() principal: Principal,
    @Args('input') { clientId, overlapSeconds }: RotateOauthClientSecretInput,
  ) {
    return this.secretsService.rotate(principal, clientId, { overlapSeconds });
  }

  @AllowAdminToken()
  @Mutation(() => OauthClientSecret, {
    description: 'Revokes the secret immediately and permanently, for example after a leak.',
  })
  revokeOauthClientSecret(
    @CurrentPrincipal() principal: Principal,
    @Args('input') { secretId }: RevokeOauthClientSecretInput,
  ) {
    return this.secretsService.revoke(principal, secretId);
  }

  @ResolveField(() => Configuration, { nullable: true, description: 'The configuration of a client that targets MCP.' })
  configuration(@CurrentPrincipal() principal: Principal, @Parent() { configurationId }: OauthClient) {
    return configurationId && this.configurations.load(principal, configurationId);
  }

  @ResolveField(() => [OauthClientSecret], { description: 'Newest first, including expired secrets.' })
  secrets(@CurrentPrincipal() principal: Principal, @Parent() { id }: OauthClient) {
    return this.secretsOf.load(principal, id);
  }

  @ResolveField(() => String, { description: 'The URL to which the product redirects browsers.' })
  authorizationEndpoint(): string {
    return `${this.config.baseUrl}/oauth2/authorize`;
  }

  @ResolveField(() => String, { description: 'The URL at which the product exchanges codes and refresh tokens.' })
  tokenEndpoint(): string {
    return `${this.config.baseUrl}/oauth2/token`;
  }

  @ResolveField(() => String, { description: 'Changes with every update of the registration.' })
  version(@Parent() client: OauthClient): string {
    return contentVersionOf(registrationOf(client));
  }

  @ResolveField(() => String, { description: 'The resource that accepts its access tokens.' })
  resource(@Parent() { target }: OauthClient): string {
    return `${this.config.baseUrl}${resourcePaths[target]}`;
  }
}
