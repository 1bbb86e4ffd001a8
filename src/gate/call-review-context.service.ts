import { Injectable } from '@nestjs/common';
import { ConfigurationNamesService } from '../configurations/configuration-names.service.js';
import type { Connection } from '../connections/connection.entity.js';
import { ConnectorRegistry } from '../connections/connector-registry.service.js';
import { ConnectionsService } from '../connections/connections.service.js';
import { type DestinationPart, destinationOf } from '../connections/destination.port.js';
import { RequestLoader } from '../platform/graphql/request-loader.js';
import type { Principal } from '../principal/principal.js';
import type { CallReview } from './call-review.entity.js';
import type { ReviewedConnection } from './call-review-context.entity.js';

/** Names and destination of a call under review. */
@Injectable()
export class CallReviewContextService {
  private readonly connectionLoader: RequestLoader<Principal, Connection | null>;

  constructor(
    private readonly configurations: ConfigurationNamesService,
    connections: ConnectionsService,
    private readonly kinds: ConnectorRegistry,
  ) {
    this.connectionLoader = new RequestLoader((principal, ids) => connections.findByIds(principal, ids));
  }

  configurationName({ tenantId }: Principal, { configurationId }: CallReview): Promise<string | null> {
    return this.configurations.load(tenantId, configurationId);
  }

  async connection(principal: Principal, { connectionId }: CallReview): Promise<ReviewedConnection | null> {
    const connection = connectionId ? await this.connectionLoader.load(principal, connectionId) : null;
    if (!connection) return null;
    const { name, kind } = connection;
    const destination = destinationOf(this.kinds.find(kind), connection);
    return {
      name,
      kind,
      destination: await Promise.all(destination.map((part) => this.resolveLabel(principal, part))),
    };
  }

  private async resolveLabel({ tenantId }: Principal, part: DestinationPart): Promise<DestinationPart> {
    if (part.type !== 'configuration') return part;
    return { ...part, value: (await this.configurations.load(tenantId, part.value)) ?? part.value };
  }
}
