import {
  Args,
  Field,
  ID,
  InputType,
  Mutation,
  ObjectType,
  Parent,
  registerEnumType,
  ResolveField,
  Resolver,
} from '@nestjs/graphql';
import { IsIn, IsUUID } from 'class-validator';
import { Configuration } from '../../configurations/configuration.entity.js';
import { Config } from '../../platform/config/config.js';
import { RequestLoader } from '../../platform/graphql/request-loader.js';
import { Allow, Authenticate } from '../../principal/allow.decorator.js';
import { CurrentPrincipal } from '../../principal/current-principal.decorator.js';
import type { Principal } from '../../principal/principal.js';
import { OauthClient } from '../clients/client.entity.js';
import { AssistantsService } from './assistants.service.js';
import { knownAssistants } from './known-assistants.js';

const KnownAssistantEnum = Object.fromEntries(knownAssistants.map(({ id }) => [id, id]));
registerEnumType(KnownAssistantEnum, {
  name: 'KnownAssistant',
  description: 'An assistant of which is known how it has to be registered.',
  valuesMap: Object.fromEntries(knownAssistants.map(({ id, name }) => [id, { description: name }])),
});

@InputType()
export class RegisterAssistantInput {
  @Field(() => ID)
  @IsUUID()
  configurationId: string;

  @Field(() => KnownAssistantEnum)
  @IsIn(Object.keys(KnownAssistantEnum))
  assistant: string;
}

@ObjectType()
class AssistantStep {
  @Field()
  say: string;

  @Field(() => String, { nullable: true, description: 'To be copied as it is.' })
  paste?: string;
}

@ObjectType({ description: 'An assistant that people have, and how they connect it.' })
class ConfigurationAssistant {
  @Field(() => KnownAssistantEnum)
  id: string;

  @Field()
  name: string;

  @Field(() => String, { nullable: true, description: 'Which of the things of that name.' })
  hint?: string;

  @Field(() => OauthClient, { nullable: true, description: 'Null: not registered for this configuration.' })
  client: OauthClient | null;

  @Field(() => String, { nullable: true, description: 'Why it could not reach this server.' })
  obstacle: string | null;

  @Field(() => [AssistantStep], { description: 'How a person connects it; none while it is not registered.' })
  steps: AssistantStep[];
}

/** How a configuration is reached by assistants is known up here. */
@Resolver(() => Configuration)
@Authenticate('session', 'admin-token')
export class AssistantsResolver {
  private readonly clientsOf: RequestLoader<Principal, OauthClient[]>;

  constructor(
    private readonly assistants: AssistantsService,
    private readonly config: Config,
  ) {
    this.clientsOf = new RequestLoader((principal, ids) => assistants.clientsOfEach(principal, ids));
  }

  @Mutation(() => OauthClient, {
    description:
      'Registers the assistant as its maker says, for this configuration. Where it is registered already, that client. In a session only.',
  })
  @Allow('organization:manage')
  registerAssistant(
    @CurrentPrincipal() principal: Principal,
    @Args('input') { configurationId, assistant }: RegisterAssistantInput,
  ) {
    return this.assistants.register(principal, configurationId, assistant);
  }

  @ResolveField(() => [ConfigurationAssistant], {
    description: 'For administrators: those of which is known how they are registered.',
  })
  @Allow('organization:manage')
  async knownAssistants(@CurrentPrincipal() principal: Principal, @Parent() configuration: Configuration) {
    return this.assistants.assistantsOf(configuration, await this.clientsOf.load(principal, configuration.id));
  }

  @ResolveField(() => [OauthClient], {
    description: 'For administrators: clients that reach it over MCP, the newest first.',
  })
  @Allow('organization:manage')
  mcpClients(@CurrentPrincipal() principal: Principal, @Parent() { id }: Configuration) {
    return this.clientsOf.load(principal, id);
  }

  @ResolveField(() => String, {
    description: 'The address that assistants reach over MCP. Their client says which configuration is meant.',
  })
  mcpUrl(): string {
    return this.assistants.address;
  }

  @ResolveField(() => String, {
    description: 'The page for people of its groups: how they connect the assistant that they have.',
  })
  assistantsUrl(@Parent() { id }: Configuration): string {
    return `${this.config.baseUrl}/configurations/${id}/assistants`;
  }
}
