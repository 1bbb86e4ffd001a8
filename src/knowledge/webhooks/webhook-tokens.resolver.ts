import { Args, Field, ID, InputType, Mutation, Resolver } from '@nestjs/graphql';
import { IsUUID } from 'class-validator';
import { Allow, Authenticate } from '../../principal/allow.decorator.js';
import { CurrentPrincipal } from '../../principal/current-principal.decorator.js';
import type { Principal } from '../../principal/principal.js';
import { WebhookToken, WebhookTokensService } from './webhook-tokens.service.js';

@InputType()
export class RevealWebhookTokenInput {
  @Field(() => ID)
  @IsUUID()
  connectionId: string;
}

@Resolver(() => WebhookToken)
@Authenticate('session', 'admin-token')
export class WebhookTokensResolver {
  constructor(private readonly tokens: WebhookTokensService) {}

  @Mutation(() => WebhookToken, {
    description: 'Shows the token that a source sent to the webhook address in the last 24 hours.',
  })
  @Allow('connections:manage')
  revealWebhookToken(@CurrentPrincipal() principal: Principal, @Args('input') input: RevealWebhookTokenInput) {
    return this.tokens.reveal(principal, input.connectionId);
  }
}
