import { Parent, ResolveField, Resolver } from '@nestjs/graphql';
import { Connection } from '../../connections/connection.entity.js';
import { ConnectorRegistry } from '../../connections/connector-registry.service.js';
import { Config } from '../../platform/config/config.js';
import { Allow, Authenticate } from '../../principal/allow.decorator.js';

@Resolver(() => Connection)
@Authenticate('session', 'admin-token')
export class WebhookAddressResolver {
  constructor(
    private readonly config: Config,
    private readonly connectors: ConnectorRegistry,
  ) {}

  @ResolveField(() => String, {
    nullable: true,
    description: 'The address to enter for webhooks in the connected system. Null: it receives no webhooks.',
  })
  @Allow('connections:manage')
  webhookUrl(@Parent() { id, kind }: Connection): string | null {
    return this.connectors.find(kind)?.receive ? `${this.config.baseUrl}/webhooks/sources/${id}` : null;
  }
}
