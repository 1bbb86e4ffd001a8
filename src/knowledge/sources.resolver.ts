import { Args, Int, Mutation, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import { Connection } from '../connections/connection.entity.js';
import { ConnectionsService } from '../connections/connections.service.js';
import { IdArgument } from '../platform/graphql/id-argument.decorator.js';
import { RequestLoader } from '../platform/graphql/request-loader.js';
import { Allow, AllowAdminToken, Authenticate } from '../principal/allow.decorator.js';
import { CurrentPrincipal } from '../principal/current-principal.decorator.js';
import type { Principal } from '../principal/principal.js';
import { SyncKnowledgeSourceInput } from './knowledge.input.js';
import { SourceContainerView } from './source-container.object.js';
import { SourceContainersService } from './source-containers.service.js';
import { Source } from './source.entity.js';
import { type SourceSize, SourcesService } from './sources.service.js';

@Resolver(() => Source)
@Authenticate('session', 'admin-token')
export class SourcesResolver {
  private readonly connections: RequestLoader<Principal, Connection | null>;
  private readonly sizes: RequestLoader<Principal, SourceSize>;

  constructor(
    private readonly sources: SourcesService,
    private readonly containers: SourceContainersService,
    connections: ConnectionsService,
  ) {
    this.connections = new RequestLoader((principal, ids) => connections.findByIds(principal, ids));
    this.sizes = new RequestLoader((principal, ids) => sources.listSizes(principal, ids));
  }

  @Query(() => [Source], { description: 'Connections that provide documents, newest first.' })
  @Allow('knowledge:manage')
  knowledgeSources(@CurrentPrincipal() principal: Principal) {
    return this.sources.list(principal);
  }

  @Query(() => Source, { nullable: true })
  @Allow('knowledge:manage')
  knowledgeSource(@CurrentPrincipal() principal: Principal, @IdArgument('connectionId') connectionId: string) {
    return this.sources.find(principal, connectionId);
  }

  @Query(() => [SourceContainerView], {
    description:
      'The containers that the credential of a connection can read now, to choose from in the setting "containers".',
  })
  @Allow('connections:manage')
  sourceContainers(@CurrentPrincipal() principal: Principal, @IdArgument('connectionId') connectionId: string) {
    return this.containers.list(principal, connectionId);
  }

  @AllowAdminToken()
  @Mutation(() => Source, { description: 'Syncs a source now, or right after the sync in progress.' })
  @Allow('knowledge:manage')
  syncKnowledgeSource(@CurrentPrincipal() principal: Principal, @Args('input') input: SyncKnowledgeSourceInput) {
    return this.sources.requestSync(principal, input.connectionId);
  }

  @ResolveField(() => Connection)
  @Allow('knowledge:manage')
  connection(@CurrentPrincipal() principal: Principal, @Parent() source: Source) {
    return this.connections.load(principal, source.connectionId);
  }

  @ResolveField(() => Int, { description: 'Number of searchable documents.' })
  @Allow('knowledge:manage')
  async documentCount(@CurrentPrincipal() principal: Principal, @Parent() source: Source) {
    return (await this.sizes.load(principal, source.connectionId)).documents;
  }

  @ResolveField(() => Int, { description: 'Number of searchable passages.' })
  @Allow('knowledge:manage')
  async passageCount(@CurrentPrincipal() principal: Principal, @Parent() source: Source) {
    return (await this.sizes.load(principal, source.connectionId)).chunks;
  }
}
