import { Args, Field, GraphQLISODateTime, InputType, Mutation, ObjectType, Query, Resolver } from '@nestjs/graphql';
import { IsBoolean, Length } from 'class-validator';
import { Allow, Authenticate } from '../principal/allow.decorator.js';
import { CurrentPrincipal } from '../principal/current-principal.decorator.js';
import type { Principal } from '../principal/principal.js';
import { SlackIdentitiesService } from './slack-identities.service.js';
import { SlackSettingsService } from './slack-settings.service.js';
import { SlackSocketsService } from './slack-sockets.service.js';

@ObjectType({ description: 'Your Slack account, for decisions on approvals in Slack.' })
export class SlackAccount {
  @Field({ description: 'A Slack app of the organization allows decisions.' })
  isAvailable: boolean;

  @Field(() => String, { nullable: true, description: "Slack's id of the linked account; null: none is linked." })
  slackUserId: string | null;

  @Field(() => GraphQLISODateTime, { nullable: true })
  linkedAt: Date | null;
}

@ObjectType({ description: 'The connection to Slack in socket mode, for servers that Slack cannot reach.' })
export class SlackSocketStatus {
  @Field()
  isConnected: boolean;

  @Field(() => GraphQLISODateTime, { description: 'Since when it is connected, or since when it is not.' })
  since: Date;

  @Field(() => String, { nullable: true, description: 'Why the last attempt failed, or why the connection ended.' })
  lastError: string | null;
}

@ObjectType({ description: 'Decisions on approvals in Slack.' })
export class SlackSettingsStatus {
  @Field({ description: 'Members can decide in Slack where an approval step allows it.' })
  allowsDecisions: boolean;

  @Field({ description: 'A Slack app with a signing secret was added.' })
  hasApp: boolean;

  @Field({ description: 'The request URL to enter in the settings of the Slack app, under "Interactivity".' })
  requestUrl: string;

  @Field(() => SlackSocketStatus, {
    nullable: true,
    description: 'Null: the organization has no app-level token, so Slack sends requests to the request URL.',
  })
  socket: SlackSocketStatus | null;
}

@InputType()
export class LinkSlackAccountInput {
  @Field({ description: 'The code from the direct message.' })
  @Length(1, 20)
  code: string;
}

@InputType()
export class SetSlackDecisionsInput {
  @Field()
  @IsBoolean()
  allowsDecisions: boolean;
}

@InputType()
export class SetSlackAppTokenInput {
  @Field({ description: 'An app-level token with the scope connections:write. Stored sealed.' })
  @Length(1, 500)
  token: string;
}

@Resolver()
@Authenticate('session')
export class SlackResolver {
  constructor(
    private readonly identities: SlackIdentitiesService,
    private readonly settings: SlackSettingsService,
    private readonly sockets: SlackSocketsService,
  ) {}

  @Query(() => SlackAccount)
  @Allow('approvals:decide')
  slackAccount(@CurrentPrincipal() principal: Principal) {
    return this.identities.get(principal);
  }

  @Mutation(() => SlackAccount, {
    description:
      'Sends a code to the Slack account with your email address. Requires that you confirmed your identity recently.',
  })
  @Allow('approvals:decide')
  requestSlackLink(@CurrentPrincipal() principal: Principal) {
    return this.identities.requestCode(principal);
  }

  @Mutation(() => SlackAccount, { description: 'Links the Slack account, in the session that requested the code.' })
  @Allow('approvals:decide')
  linkSlackAccount(@CurrentPrincipal() principal: Principal, @Args('input') { code }: LinkSlackAccountInput) {
    return this.identities.confirm(principal, code);
  }

  @Mutation(() => SlackAccount)
  @Allow('approvals:decide')
  unlinkSlackAccount(@CurrentPrincipal() principal: Principal) {
    return this.identities.unlink(principal);
  }

  @Query(() => SlackSettingsStatus)
  @Allow('organization:manage')
  slackSettings(@CurrentPrincipal() principal: Principal) {
    return this.settings.get(principal);
  }

  @Mutation(() => SlackSettingsStatus)
  @Allow('organization:manage')
  setSlackDecisions(
    @CurrentPrincipal() principal: Principal,
    @Args('input') { allowsDecisions }: SetSlackDecisionsInput,
  ) {
    return this.settings.setDecisions(principal, allowsDecisions);
  }

  @Mutation(() => SlackSettingsStatus, {
    description:
      'Connects to Slack in socket mode, with the app-level token of the Slack app. Replaces a former token.',
  })
  @Allow('organization:manage')
  async setSlackAppToken(@CurrentPrincipal() principal: Principal, @Args('input') { token }: SetSlackAppTokenInput) {
    await this.sockets.setToken(principal, token);
    return this.settings.get(principal);
  }

  @Mutation(() => SlackSettingsStatus, { description: 'Ends socket mode and forgets the app-level token.' })
  @Allow('organization:manage')
  async removeSlackAppToken(@CurrentPrincipal() principal: Principal) {
    await this.sockets.remove(principal);
    return this.settings.get(principal);
  }
}
