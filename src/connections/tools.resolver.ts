import { Args, Mutation, Resolver } from '@nestjs/graphql';
import { Allow, Authenticate } from '../principal/allow.decorator.js';
import { CurrentPrincipal } from '../principal/current-principal.decorator.js';
import type { Principal } from '../principal/principal.js';
import { ConfirmToolInput, ToolIdInput } from './connection.input.js';
import { Tool } from './tool.entity.js';
import { ToolsService } from './tools.service.js';

@Resolver(() => Tool)
@Authenticate('session', 'admin-token')
export class ToolsResolver {
  constructor(private readonly service: ToolsService) {}

  @Mutation(() => Tool, {
    description:
      'Says what the tool does, having read this very definition. Frees a tool that is held back. In a session only.',
  })
  @Authenticate('session')
  @Allow('connections:manage')
  confirmTool(
    @CurrentPrincipal() principal: Principal,
    @Args('input') { id, effect, definitionHash }: ConfirmToolInput,
  ) {
    return this.service.confirm(principal, id, effect, definitionHash);
  }

  @Mutation(() => Tool, { description: 'The next call of it fails, on every process.' })
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
