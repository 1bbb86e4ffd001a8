import { Args, Mutation, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import { Member } from '../access/member.entity.js';
import { MembersService } from '../access/members.service.js';
import { Config } from '../platform/config/config.js';
import { IdArgument } from '../platform/graphql/id-argument.decorator.js';
import { Allow, AllowAdminToken, Authenticate } from '../principal/allow.decorator.js';
import { CurrentPrincipal } from '../principal/current-principal.decorator.js';
import type { Principal } from '../principal/principal.js';
import { ConfirmToolInput, ConfirmToolsInput, SetToolResultRulesInput, ToolIdInput } from './connection.input.js';
import { type Effect, effects, Tool } from './tool.entity.js';
import { claimedEffect, suggestedEffect } from './tool-definition.js';
import { ToolsService } from './tools.service.js';

@Resolver(() => Tool)
@Authenticate('session', 'admin-token')
export class ToolsResolver {
  constructor(
    private readonly service: ToolsService,
    private readonly config: Config,
    private readonly members: MembersService,
  ) {}

  @Query(() => [Tool], { description: 'Tools whose changed definition awaits confirmation, by name.' })
  @Allow('connections:manage')
  toolsPendingReview(@CurrentPrincipal() principal: Principal) {
    return this.service.listPendingReview(principal);
  }

  @Query(() => Tool, { description: 'Includes tools that are pending review or no longer offered.' })
  @Allow('connections:manage')
  tool(@CurrentPrincipal() principal: Principal, @IdArgument() id: string) {
    return this.service.get(principal, id);
  }

  @ResolveField(() => Boolean, {
    description: 'The connected system declares the tool destructive, so it cannot be confirmed as anything less.',
  })
  isClaimedDestructive(@Parent() { annotations }: Tool): boolean {
    return claimedEffect(annotations) === 'destructive';
  }

  @ResolveField(() => effects, {
    nullable: true,
    description:
      'The effect that the annotations claim, as a suggestion for the review; null if they claim none. Policies do not use it.',
  })
  suggestedEffect(@Parent() { annotations }: Tool): Effect | null {
    return suggestedEffect(annotations);
  }

  @ResolveField(() => Member, { nullable: true, description: 'The administrator who confirmed it at "confirmedAt".' })
  @Allow('connections:manage')
  confirmedBy(@CurrentPrincipal() principal: Principal, @Parent() { confirmedBy }: Tool) {
    return confirmedBy && this.members.load(principal, confirmedBy);
  }

  @ResolveField(() => String, {
    description: 'The page where an administrator compares the definition with the confirmed one and confirms it.',
  })
  @Allow('connections:manage')
  reviewUrl(@Parent() { id }: Tool): string {
    return `${this.config.baseUrl}/tools/${id}`;
  }

  @Mutation(() => Tool, {
    description:
      'Confirms this definition and sets the effect of the tool. Releases a tool that is pending review. Requires a session.',
  })
  @Authenticate('session')
  @Allow('connections:manage')
  confirmTool(
    @CurrentPrincipal() principal: Principal,
    @Args('input') { id, effect, definitionHash }: ConfirmToolInput,
  ) {
    return this.service.confirm(principal, id, effect, definitionHash);
  }

  @Mutation(() => [Tool], {
    description: 'Confirms several tools, all or none. Requires a session.',
  })
  @Authenticate('session')
  @Allow('connections:manage')
  confirmTools(@CurrentPrincipal() principal: Principal, @Args('input') { tools }: ConfirmToolsInput) {
    return this.service.confirmAll(principal, tools);
  }

  @Mutation(() => Tool, {
    description:
      'Sets what happens to the results of the tool, instead of the rules of its connection. Applies to the next call. Requires a session.',
  })
  @Authenticate('session')
  @Allow('connections:manage')
  setToolResultRules(@CurrentPrincipal() principal: Principal, @Args('input') { id, rules }: SetToolResultRulesInput) {
    return this.service.setResultRules(principal, id, rules ?? null);
  }

  @AllowAdminToken()
  @Mutation(() => Tool, { description: 'The next call of the tool fails, on every process.' })
  @Allow('connections:manage')
  pauseTool(@CurrentPrincipal() principal: Principal, @Args('input') { id }: ToolIdInput) {
    return this.service.pause(principal, id);
  }

  @Mutation(() => Tool)
  @Authenticate('session')
  @Allow('connections:manage')
  resumeTool(@CurrentPrincipal() principal: Principal, @Args('input') { id }: ToolIdInput) {
    return this.service.resume(principal, id);
  }
}
