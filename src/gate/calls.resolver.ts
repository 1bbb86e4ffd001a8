import {
  Args,
  ArgsType,
  Field,
  ID,
  InputType,
  Mutation,
  ObjectType,
  Parent,
  Query,
  ResolveField,
  Resolver,
} from '@nestjs/graphql';
import { IsEnum, IsOptional, IsUUID } from 'class-validator';
import { PageArgs, Paginated } from '../platform/graphql/connection.js';
import { IdArgument } from '../platform/graphql/id-argument.decorator.js';
import { RequestLoader } from '../platform/graphql/request-loader.js';
import { Allow, Authenticate } from '../principal/allow.decorator.js';
import { CurrentPrincipal } from '../principal/current-principal.decorator.js';
import type { Principal } from '../principal/principal.js';
import { ConfigurationNamesService } from '../configurations/configuration-names.service.js';
import { ApprovalCandidate } from '../approvals/approval-candidate.entity.js';
import { CallHistoryService } from './call-history.service.js';
import { ResultNoticeType, toNoticeType, ToolCallEvent } from './call-record.object.js';
import { CallsService } from './calls.service.js';
import { callStates, type CallState, settlements, type Settlement, ToolCall } from './tool-call.entity.js';

@ObjectType()
export class ToolCallConnection extends Paginated(ToolCall) {}

@InputType()
export class ResolveToolCallInput {
  @Field(() => ID)
  @IsUUID()
  id: string;

  @Field(() => settlements)
  @IsEnum(settlements)
  settlement: Settlement;
}

@ArgsType()
export class CallFilterArgs {
  @Field(() => callStates, { nullable: true })
  @IsOptional()
  @IsEnum(callStates)
  state?: CallState | null;

  @Field(() => ID, { nullable: true })
  @IsOptional()
  @IsUUID()
  taskId?: string | null;

  @Field(() => ID, { nullable: true })
  @IsOptional()
  @IsUUID()
  configurationId?: string | null;
}

@Resolver(() => ToolCall)
@Authenticate('session', 'admin-token')
export class CallsResolver {
  private readonly candidateLoader: RequestLoader<Principal, ApprovalCandidate[], ToolCall>;

  private readonly eventLoader: RequestLoader<Principal, ToolCallEvent[]>;

  constructor(
    private readonly calls: CallsService,
    private readonly configurationNames: ConfigurationNamesService,
    callHistory: CallHistoryService,
  ) {
    this.eventLoader = new RequestLoader((principal, ids) => callHistory.list(principal, ids));
    this.candidateLoader = new RequestLoader((principal, all) => calls.listCandidates(principal, all));
  }

  @Query(() => ToolCallConnection, { description: 'The ledger of tool calls, newest first.' })
  @Allow('tasks:read')
  toolCalls(@CurrentPrincipal() principal: Principal, @Args() page: PageArgs, @Args() filter: CallFilterArgs) {
    return this.calls.list(principal, page, filter);
  }

  @Query(() => ToolCall)
  @Allow('tasks:read')
  toolCall(@CurrentPrincipal() principal: Principal, @IdArgument() id: string) {
    return this.calls.get(principal, id);
  }

  @ResolveField(() => String, {
    nullable: true,
    description:
      'The canonical arguments. Visible to auditors and administrators in a session; null for everyone else and for admin tokens.',
  })
  arguments(@CurrentPrincipal() principal: Principal, @Parent() call: ToolCall) {
    return this.calls.revealArguments(principal, call);
  }

  @ResolveField(() => [ApprovalCandidate], {
    description:
      'For a call with the code "approval-unreachable": everyone named by its approval steps, and why they could not decide if the call were requested now. Visible to auditors and administrators; empty for everyone else.',
  })
  candidates(@CurrentPrincipal() principal: Principal, @Parent() call: ToolCall) {
    return this.candidateLoader.load(principal, call);
  }

  @ResolveField(() => [ToolCallEvent], {
    description: 'The decision and each attempt, oldest first, as the audit log has them.',
  })
  events(@CurrentPrincipal() principal: Principal, @Parent() { id }: ToolCall) {
    return this.eventLoader.load(principal, id);
  }

  @ResolveField(() => ResultNoticeType, {
    nullable: true,
    description: 'What the rules of the tool found in the result or the error. Null: nothing, or there are no rules.',
  })
  resultNotice(@Parent() { resultNotice }: ToolCall): ResultNoticeType | null {
    return resultNotice && toNoticeType(resultNotice);
  }

  @ResolveField(() => String, {
    nullable: true,
    description:
      'SHA-256 of the result as the connected system returned it, before these rules were applied. Visible to auditors and administrators in a session; null for everyone else and for admin tokens.',
  })
  resultHash(@CurrentPrincipal() principal: Principal, @Parent() call: ToolCall) {
    return this.calls.revealResultHash(principal, call);
  }

  @ResolveField(() => String, { nullable: true, description: 'Null if the configuration was deleted.' })
  configurationName(@Parent() { tenantId, configurationId }: ToolCall) {
    return this.configurationNames.load(tenantId, configurationId);
  }

  @Mutation(() => ToolCall, {
    description:
      'Resolves an unsettled call. If you request to run it again, you become one of its requesters. Requires a session.',
  })
  @Authenticate('session')
  @Allow('calls:settle')
  resolveToolCall(@CurrentPrincipal() principal: Principal, @Args('input') { id, settlement }: ResolveToolCallInput) {
    return this.calls.resolveOutcome(principal, id, settlement);
  }
}
