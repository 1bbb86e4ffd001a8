import { Args, GraphQLISODateTime, Mutation, ObjectType, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import { Group } from '../access/group.entity.js';
import { Connection } from '../connections/connection.entity.js';
import { Config } from '../platform/config/config.js';
import { PageArgs, Paginated } from '../platform/graphql/connection.js';
import { IdArgument } from '../platform/graphql/id-argument.decorator.js';
import { Allow, Authenticate } from '../principal/allow.decorator.js';
import { CurrentPrincipal } from '../principal/current-principal.decorator.js';
import type { Principal } from '../principal/principal.js';
import { AgentIdentity } from './agent-identity.entity.js';
import { AgentsService } from './agents.service.js';
import { Configuration } from './configuration.entity.js';
import { CreateConfigurationInput, PauseConfigurationInput, UpdateConfigurationInput } from './configuration.input.js';
import { ConfigurationsService } from './configurations.service.js';

@ObjectType()
export class ConfigurationConnection extends Paginated(Configuration) {}

@Resolver(() => Configuration)
@Authenticate('session', 'admin-token')
@Allow('configurations:manage')
export class ConfigurationsResolver {
  constructor(
    private readonly all: ConfigurationsService,
    private readonly agentIdentities: AgentsService,
    private readonly config: Config,
  ) {}

  @Query(() => ConfigurationConnection, { description: 'Newest first.' })
  @Allow('policies:read')
  configurations(@CurrentPrincipal() principal: Principal, @Args() page: PageArgs) {
    return this.all.list(principal, page);
  }

  @Query(() => Configuration)
  @Allow('policies:read')
  configuration(@CurrentPrincipal() principal: Principal, @IdArgument() id: string) {
    return this.all.get(principal, id);
  }

  @Mutation(() => Configuration, {
    description: 'It starts with policies that allow reads, send writes to approval, and forbid what is destructive.',
  })
  createConfiguration(@CurrentPrincipal() principal: Principal, @Args('input') input: CreateConfigurationInput) {
    return this.all.create(principal, input);
  }

  @Mutation(() => Configuration)
  updateConfiguration(@CurrentPrincipal() principal: Principal, @Args('input') input: UpdateConfigurationInput) {
    return this.all.update(principal, input);
  }

  @Mutation(() => Configuration, {
    description: 'Every call through it is refused from now on, on every process; tasks wait.',
  })
  pauseConfiguration(@CurrentPrincipal() principal: Principal, @Args('input') input: PauseConfigurationInput) {
    return this.all.pause(principal, input.configurationId);
  }

  @Mutation(() => Configuration)
  resumeConfiguration(@CurrentPrincipal() principal: Principal, @Args('input') input: PauseConfigurationInput) {
    return this.all.resume(principal, input.configurationId);
  }

  @ResolveField(() => [Connection])
  connections(@CurrentPrincipal() principal: Principal, @Parent() configuration: Configuration) {
    return this.all.connections(principal, configuration);
  }

  @ResolveField(() => [Group])
  groups(@CurrentPrincipal() principal: Principal, @Parent() configuration: Configuration) {
    return this.all.groups(principal, configuration);
  }

  @ResolveField(() => [AgentIdentity])
  agents(@CurrentPrincipal() principal: Principal, @Parent() { id }: Configuration) {
    return this.agentIdentities.list(principal, id);
  }

  @ResolveField(() => GraphQLISODateTime, {
    nullable: true,
    description: 'When an agent last came with one of its keys, to the minute.',
  })
  lastKeyUseAt(@CurrentPrincipal() principal: Principal, @Parent() configuration: Configuration) {
    return this.all.lastKeyUse(principal, configuration);
  }

  @ResolveField(() => String, { description: 'The address that agents send tasks to.' })
  a2aUrl(@Parent() { id }: Configuration): string {
    return `${this.config.a2aUrl}/agents/${id}`;
  }
}
