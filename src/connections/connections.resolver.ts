import {
  Args,
  Field,
  Float,
  GraphQLISODateTime,
  ID,
  Int,
  Mutation,
  ObjectType,
  Parent,
  Query,
  ResolveField,
  Resolver,
} from '@nestjs/graphql';
import { Member } from '../access/member.entity.js';
import { MembersService } from '../access/members.service.js';
import { Paginated } from '../platform/graphql/connection.js';
import { IdArgument } from '../platform/graphql/id-argument.decorator.js';
import { RequestLoader } from '../platform/graphql/request-loader.js';
import { Allow, AllowAdminToken, Authenticate } from '../principal/allow.decorator.js';
import { CurrentPrincipal } from '../principal/current-principal.decorator.js';
import type { Principal } from '../principal/principal.js';
import { Connection } from './connection.entity.js';
import {
  ConnectionIdInput,
  ConnectionsArgs,
  CreateConnectionInput,
  SetResultRulesInput,
  UpdateConnectionInput,
} from './connection.input.js';
import { ConnectionsService } from './connections.service.js';
import { ModelsService, type ModelUsage, type MonthOfModel } from './models.service.js';
import { Tool } from './tool.entity.js';
import { ToolsService } from './tools.service.js';

@ObjectType('ConnectionConnection')
export class ConnectionPage extends Paginated(Connection) {}

@ObjectType({ description: 'Language model usage of one task in one month.' })
export class TaskUsage {
  @Field(() => ID)
  taskId: string;

  @Field(() => Int)
  turns: number;

  @Field(() => Float)
  inputTokens: number;

  @Field(() => Float)
  outputTokens: number;

  @Field(() => String, {
    nullable: true,
    description: 'Decimal, in the currency of the connection; null if no price is set.',
  })
  cost: string | null;
}

@Resolver(() => Connection)
@Authenticate('session', 'admin-token')
export class ConnectionsResolver {
  private readonly credentialsOf: RequestLoader<Principal, string[]>;
  private readonly toolsOf: RequestLoader<Principal, Tool[]>;
  private readonly usageOf: RequestLoader<Principal, ModelUsage[], MonthOfModel>;

  constructor(
    private readonly service: ConnectionsService,
    toolsService: ToolsService,
    models: ModelsService,
    private readonly members: MembersService,
  ) {
    this.credentialsOf = new RequestLoader((principal, ids) => service.credentialsOf(principal, ids));
    this.usageOf = new RequestLoader((principal, months) => models.usageOf(principal, months));
    this.toolsOf = new RequestLoader((principal, ids) => toolsService.listByConnections(principal, ids));
  }

  @Query(() => ConnectionPage, { description: 'Newest first.' })
  @Allow('connections:manage')
  connections(@CurrentPrincipal() principal: Principal, @Args() args: ConnectionsArgs) {
    return this.service.list(principal, args);
  }

  @Query(() => Connection)
  @Allow('connections:manage')
  connection(@CurrentPrincipal() principal: Principal, @IdArgument() id: string) {
    return this.service.get(principal, id);
  }

  @Mutation(() => Connection, {
    description: 'Saves and verifies the connection. Requires a session, because it decides who receives a credential.',
  })
  @Authenticate('session')
  @Allow('connections:manage')
  createConnection(@CurrentPrincipal() principal: Principal, @Args('input') input: CreateConnectionInput) {
    return this.service.create(principal, input);
  }

  @Mutation(() => Connection, {
    description: 'Saves and verifies the connection. A new host, port, command or account clears the credentials.',
  })
  @Authenticate('session')
  @Allow('connections:manage')
  updateConnection(@CurrentPrincipal() principal: Principal, @Args('input') input: UpdateConnectionInput) {
    return this.service.update(principal, input);
  }

  @Mutation(() => Connection, { description: 'Destroys its credentials immediately; its records remain.' })
  @Allow('connections:manage')
  removeConnection(@CurrentPrincipal() principal: Principal, @Args('input') { id }: ConnectionIdInput) {
    return this.service.remove(principal, id);
  }

  @AllowAdminToken()
  @Mutation(() => Connection, {
    description: 'Checks, read-only, that the system can be used and which tools it offers.',
  })
  @Allow('connections:manage')
  verifyConnection(@CurrentPrincipal() principal: Principal, @Args('input') { id }: ConnectionIdInput) {
    return this.service.verify(principal, id);
  }

  @AllowAdminToken()
  @Mutation(() => Connection, { description: 'The next call through it fails, on every process.' })
  @Allow('connections:manage')
  pauseConnection(@CurrentPrincipal() principal: Principal, @Args('input') { id }: ConnectionIdInput) {
    return this.service.pause(principal, id);
  }

  @Mutation(() => Connection)
  @Authenticate('session')
  @Allow('connections:manage')
  resumeConnection(@CurrentPrincipal() principal: Principal, @Args('input') { id }: ConnectionIdInput) {
    return this.service.resume(principal, id);
  }

  @Mutation(() => Connection, {
    description:
      'Sets what happens to the results of its tools. Applies to the next call. A tool can have rules of its own. Requires a session.',
  })
  @Authenticate('session')
  @Allow('connections:manage')
  setConnectionResultRules(
    @CurrentPrincipal() principal: Principal,
    @Args('input') { id, rules }: SetResultRulesInput,
  ) {
    return this.service.setResultRules(principal, id, rules ?? null);
  }

  @ResolveField(() => [String], { description: 'Names of the credentials that are set.' })
  credentials(@CurrentPrincipal() principal: Principal, @Parent() connection: Connection) {
    return this.credentialsOf.load(principal, connection.id);
  }

  @ResolveField(() => Member, { nullable: true, description: 'The member who last saved it, at "changedAt".' })
  @Allow('connections:manage')
  changedBy(@CurrentPrincipal() principal: Principal, @Parent() { changedBy }: Connection) {
    return changedBy && this.members.load(principal, changedBy);
  }

  @ResolveField(() => [Tool], { description: 'The tools that it offers, or once offered ("goneAt"), by name.' })
  tools(@CurrentPrincipal() principal: Principal, @Parent() connection: Connection) {
    return this.toolsOf.load(principal, connection.id);
  }

  @ResolveField(() => [TaskUsage], {
    description: 'For a language model: usage by task in the month of "at" (UTC; default now), most expensive first.',
  })
  usage(
    @CurrentPrincipal() principal: Principal,
    @Parent() { id }: Connection,
    @Args('at', { type: () => GraphQLISODateTime, nullable: true }) at?: Date | null,
  ) {
    const day = at ?? new Date();
    const month = new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth()));
    return this.usageOf.load(principal, { connectionId: id, month });
  }
}
