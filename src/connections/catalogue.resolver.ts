import { Field, ObjectType, Query, Resolver, registerEnumType } from '@nestjs/graphql';
import { Config } from '../platform/config/config.js';
import { Allow, Authenticate } from '../principal/allow.decorator.js';
import { CurrentPrincipal } from '../principal/current-principal.decorator.js';
import type { Principal } from '../principal/principal.js';
import type { ConnectorField, ConnectorCapability } from './connector-registry.service.js';
import { ConnectionsService } from './connections.service.js';

const connectorFieldTypes = {
  text: 'text',
  url: 'url',
  secret: 'secret',
  choice: 'choice',
  number: 'number',
  configuration: 'configuration',
  list: 'list',
} as const;
registerEnumType(connectorFieldTypes, {
  name: 'ConnectorFieldType',
  valuesMap: {
    secret: { description: 'A credential: given in "secrets", sealed, never shown again.' },
    list: { description: 'A list of texts.' },
    configuration: { description: 'The id of a configuration of the organization.' },
  },
});
const connectorCapabilities = {
  tools: 'tools',
  knowledge: 'knowledge',
  model: 'model',
  spend: 'spend',
  estate: 'estate',
} as const;
registerEnumType(connectorCapabilities, { name: 'ConnectionOffer' });

@ObjectType('ConnectionField', { description: 'One value that a person enters.' })
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

  @Field(() => Boolean, { nullable: true, description: 'Changing it clears the credentials.' })
  isTarget?: boolean;
}

@ObjectType({ description: 'Something that can be connected.' })
export class ConnectionKind {
  @Field()
  id: string;

  @Field()
  title: string;

  @Field(() => String, { nullable: true, description: 'What is connected by it, in a sentence.' })
  about?: string;

  @Field({ description: 'What to do before, in words.' })
  setUp: string;

  @Field(() => [ConnectorFieldType])
  fields: readonly ConnectorField[];

  @Field(() => [connectorCapabilities])
  offers: readonly ConnectorCapability[];

  @Field(() => String, { nullable: true, description: 'How often it is read: "15m", "1d".' })
  pullCadence?: string;
}

@Resolver(() => ConnectionKind)
@Authenticate('session', 'admin-token')
export class CatalogueResolver {
  constructor(
    private readonly service: ConnectionsService,
    private readonly config: Config,
  ) {}

  @Query(() => [ConnectionKind], { description: 'The catalogue.' })
  @Allow('connections:manage')
  connectors(@CurrentPrincipal() principal: Principal) {
    return this.service.listConnectors(principal);
  }

  @Query(() => Boolean, {
    description: 'Whether the operator provides a language model (MODEL_BASE_URL) where a configuration names none.',
  })
  @Allow('connections:manage')
  hasDefaultModel(): boolean {
    return this.config.modelBaseUrl !== undefined;
  }
}
