import { Field, ObjectType, Query, Resolver, registerEnumType } from '@nestjs/graphql';
import { Config } from '../platform/config/config.js';
import { Allow, Authenticate } from '../principal/allow.decorator.js';
import { CurrentPrincipal } from '../principal/current-principal.decorator.js';
import type { Principal } from '../principal/principal.js';
import type { ConnectorField, ConnectorCapability, ConnectorWebhook } from './connector-registry.service.js';
import { ConnectionsService } from './connections.service.js';

const connectorFieldTypes = {
  text: 'text',
  url: 'url',
  secret: 'secret',
  choice: 'choice',
  number: 'number',
  configuration: 'configuration',
  list: 'list',
  containers: 'containers',
} as const;
registerEnumType(connectorFieldTypes, {
  name: 'ConnectorFieldType',
  valuesMap: {
    secret: { description: 'A credential: passed in "secrets", stored encrypted, never shown again.' },
    list: { description: 'A list of strings.' },
    containers: { description: 'Ids of containers, from "sourceContainers". Empty: all.' },
    configuration: { description: 'The id of one of the organization’s configurations.' },
  },
});
const connectorCapabilities = {
  tools: 'tools',
  knowledge: 'knowledge',
  model: 'model',
  embeddings: 'embeddings',
  spend: 'spend',
  estate: 'estate',
} as const;
registerEnumType(connectorCapabilities, { name: 'ConnectionOffer' });

@ObjectType('ConnectionField', { description: 'A value that a person enters.' })
export class ConnectorFieldType {
  @Field()
  name: string;

  @Field()
  label: string;

  @Field(() => connectorFieldTypes)
  type: ConnectorField['type'];

  @Field()
  required: boolean;

  @Field()
  help: string;

  @Field(() => [String], { nullable: true })
  options?: readonly string[];

  @Field(() => [String], {
    nullable: true,
    description: 'How people read the options, in the same order. Null: as the options themselves.',
  })
  optionLabels?: readonly string[];

  @Field(() => Boolean, { nullable: true, description: 'Changing it clears the credentials.' })
  isTarget?: boolean;
}

@ObjectType('ConnectorWebhook', { description: 'How a person adds a webhook in the connected system.' })
export class ConnectorWebhookType {
  @Field({ description: 'Where to add it, and which events to choose.' })
  setUp: string;

  @Field({ description: 'Name of the field with the secret that both sides know.' })
  secretField: string;
}

@ObjectType({ description: 'A connector: the kind of system that a connection connects to.' })
export class ConnectionKind {
  @Field()
  id: string;

  @Field()
  title: string;

  @Field(() => String, { nullable: true, description: 'One sentence on what it connects.' })
  about?: string;

  @Field({ description: 'Set-up instructions.' })
  setUp: string;

  @Field(() => [ConnectorFieldType])
  fields: readonly ConnectorField[];

  @Field(() => [connectorCapabilities])
  offers: readonly ConnectorCapability[];

  @Field(() => String, { nullable: true, description: 'How often it is synced: "15m", "1d".' })
  pullCadence?: string;

  @Field(() => ConnectorWebhookType, { nullable: true, description: 'Null: it receives no webhooks.' })
  webhook?: ConnectorWebhook;
}

@Resolver(() => ConnectionKind)
@Authenticate('session', 'admin-token')
export class CatalogueResolver {
  constructor(
    private readonly service: ConnectionsService,
    private readonly config: Config,
  ) {}

  @Query(() => [ConnectionKind], { description: 'The available connectors.' })
  @Allow('connections:manage')
  connectors(@CurrentPrincipal() principal: Principal) {
    return this.service.listConnectors(principal);
  }

  @Query(() => Boolean, {
    description: 'Whether the operator provides a language model (MODEL_BASE_URL) for configurations without one.',
  })
  @Allow('connections:manage')
  hasDefaultModel(): boolean {
    return this.config.modelBaseUrl !== undefined;
  }
}
