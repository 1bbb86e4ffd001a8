import { Args, GraphQLISODateTime, Mutation, ObjectType, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import { Group } from '../access/group.entity.js';
import { Connection } from '../connections/connection.entity.js';
import { Config } from '../platform/config/config.js';
import { Paginated } from '../platform/graphql/connection.js';
import { IdArgument } from '../platform/graphql/id-argument.decorator.js';
import { RequestLoader } from '../platform/graphql/request-loader.js';
import { Allow, AllowAdminToken, Authenticate } from '../principal/allow.decorator.js';
import { CurrentPrincipal } from '../principal/current-principal.decorator.js';
import type { Principal } from '../principal/principal.js';
import { AgentIdentity } from './agent-identity.entity.js';
import { AgentsService } from './agents.service.js';
import { Configuration } from './configuration.entity.js';
import {
  ConfigurationsArgs,
  CreateConfigurationInput,
  PauseConfigurationInput,
  UpdateConfigurationInput,
} from './configuration.input.js';
import { ConfigurationPartsService } from './configuration-parts.service.js';
import { ConfigurationsService } from './configurations.service.js';

@ObjectType()
export class ConfigurationConnection extends Paginated(Configuration) {}

@Resolver(() => Configuration)
@Authenticate('session', 'admin-token')
@Allow('configurations:manage')
export class ConfigurationsResolver {
  private readonly connectionsOf: RequestLoader<Principal, Connection[]>;
  private readonly groupsOf: RequestLoader<Principal, Group[]>;
  private readonly agentsOf: RequestLoader<Principal, AgentIdentity[]>;

  constructor(
    private readonly service: ConfigurationsService,
    parts: ConfigurationPartsService,
    agents: AgentsService,
    private readonly config: Config,
  ) {
    this.connectionsOf = new RequestLoader((principal, ids) => parts.connectionsOf(principal, ids));
    this.groupsOf = new RequestLoader((principal, ids) => parts.groupsOf(principal, ids));
    this.agentsOf = new RequestLoader((principal, ids) => agents.listOf(principal, ids));
  }

  @Query(() => ConfigurationConnection, { description: 'Newest first.' })
  @Allow('policies:read')
  configurations(@CurrentPrincipal() principal: Principal, @Args() args: ConfigurationsArgs) {
    return this.service.list(principal, args);
  }

  @Query(() => Configuration)
  @Allow('policies:read')
  configuration(@CurrentPrincipal() principal: Principal, @IdArgument() id: string) {
    return this.service.get(principal, id);
  }

  @AllowAdminToken('without connections, model and groups')
  @Mutation(() => Configuration, {
    description:
      'Creates a configuration with default policies: allow reads, require approval for writes, deny destructive calls.',
  })
  createConfiguration(@CurrentPrincipal() principal: Principal, @Args('input') input: CreateConfigurationInput) {
    return this.service.create(principal, input);
  }

  @AllowAdminToken('not its connections, model and groups')
  @Mutation(() => Configuration)
  updateConfiguration(@CurrentPrincipal() principal: Principal, @Args('input') input: UpdateConfigurationInput) {
    return this.service.update(principal, input);
  }

  @AllowAdminToken()
  @Mutation(() => Configuration, {
    description: 'Refuses every call through it until it is resumed; tasks wait.',
  })
  pauseConfiguration(@CurrentPrincipal() principal: Principal, @Args('input') input: PauseConfigurationInput) {
    return this.service.pause(principal, input.configurationId);
  }

  @Mutation(() => Configuration)
  resumeConfiguration(@CurrentPrincipal() principal: Principal, @Args('input') input: PauseConfigurationInput) {
    return this.service.resume(principal, input.configurationId);
  }

  @ResolveField(() => [Connection])
  connections(@CurrentPrincipal() principal: Principal, @Parent() configuration: Configuration) {
    return this.connectionsOf.load(principal, configuration.id);
  }

  @ResolveField(() => [Group])
  groups(@CurrentPrincipal() principal: Principal, @Parent() configuration: Configuration) {
    return this.groupsOf.load(principal, configuration.id);
  }

  @ResolveField(() => [AgentIdentity])
  agents(@CurrentPrincipal() principal: Principal, @Parent() { id }: Configuration) {
    return this.agentsOf.load(principal, id);
  }

  @ResolveField(() => GraphQLISODateTime, {
    nullable: true,
    description: 'When one of its keys was last used, accurate to the minute.',
  })
  lastKeyUseAt(@CurrentPrincipal() principal: Principal, @Parent() configuration: Configuration) {
    return this.service.lastKeyUse(principal, configuration);
  }

  @ResolveField(() => String, { description: 'The URL to which agents send tasks.' })
  a2aUrl(@Parent() { id }: Configuration): string {
    return `${this.config.a2aUrl}/agents/${id}`;
  }
}
