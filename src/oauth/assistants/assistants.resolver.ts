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
import { OauthClient } from '../client.entity.js';
import { AssistantsService } from './assistants.service.js';
import { knownAssistants } from './known-assistants.js';

const KnownAssistantEnum = Object.fromEntries(knownAssistants.map(({ id }) => [id, id]));
registerEnumType(KnownAssistantEnum, {
  name: 'KnownAssistant',
  description: 'An assistant with a known client registration.',
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

  @Field(() => String, { nullable: true, description: 'Text to copy without changes.' })
  paste?: string;
}

@ObjectType({ description: 'A known assistant, and how people connect it to the configuration.' })
class ConfigurationAssistant {
  @Field(() => KnownAssistantEnum)
  id: string;

  @Field()
  name: string;

  @Field(() => String, { nullable: true, description: 'Distinguishes products with the same name.' })
  hint?: string;

  @Field(() => OauthClient, {
    nullable: true,
    description: 'Null if the assistant is not registered for this configuration.',
  })
  client: OauthClient | null;

  @Field(() => String, {
    nullable: true,
    description: 'Why the assistant cannot reach this server; null if no obstacle is known.',
  })
  obstacle: string | null;

  @Field(() => [AssistantStep], { description: 'How a person connects it; empty while it is not registered.' })
  steps: AssistantStep[];
}

/** Extends Configuration here, because the configurations module does not know assistants. */
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
      'Registers the assistant for this configuration with the settings that its vendor documents. Returns the existing client if it is already registered. Requires a session.',
  })
  @Allow('organization:manage')
  registerAssistant(
    @CurrentPrincipal() principal: Principal,
    @Args('input') { configurationId, assistant }: RegisterAssistantInput,
  ) {
    return this.assistants.register(principal, configurationId, assistant);
  }

  @ResolveField(() => [ConfigurationAssistant], {
    description: 'For administrators: the assistants with a known client registration.',
  })
  @Allow('organization:manage')
  async knownAssistants(@CurrentPrincipal() principal: Principal, @Parent() configuration: Configuration) {
    return this.assistants.assistantsOf(configuration, await this.clientsOf.load(principal, configuration.id));
  }

  @ResolveField(() => [OauthClient], {
    description: 'For administrators: clients that use the configuration over MCP, newest first.',
  })
  @Allow('organization:manage')
  mcpClients(@CurrentPrincipal() principal: Principal, @Parent() { id }: Configuration) {
    return this.clientsOf.load(principal, id);
  }

  @ResolveField(() => String, {
    description: 'The MCP URL for assistants. Their client id selects the configuration.',
  })
  mcpUrl(): string {
    return this.assistants.address;
  }

  @ResolveField(() => String, {
    description: 'The page that shows members of its groups how to connect their assistant.',
  })
  assistantsUrl(@Parent() { id }: Configuration): string {
    return `${this.config.baseUrl}/configurations/${id}/assistants`;
  }
}
