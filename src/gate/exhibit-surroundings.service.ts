import { Injectable } from '@nestjs/common';
import { ConfigurationNames } from '../configurations/configuration-names.service.js';
import type { Connection } from '../connections/connection.entity.js';
import { ConnectionKinds } from '../connections/connection-kinds.service.js';
import { ConnectionsService } from '../connections/connections.service.js';
import { type DestinationPart, destinationOf } from '../connections/destination.service.js';
import { RequestLoader } from '../platform/graphql/request-loader.js';
import type { Principal } from '../principal/principal.js';
import type { CallExhibit } from './call-exhibit.entity.js';
import type { ExhibitConnection } from './exhibit-surroundings.entity.js';

/** What stands around a call that somebody decides on. */
@Injectable()
export class ExhibitSurroundings {
  private readonly connectionsOf: RequestLoader<Principal, Connection | null>;

  constructor(
    private readonly configurations: ConfigurationNames,
    connections: ConnectionsService,
    private readonly kinds: ConnectionKinds,
  ) {
    this.connectionsOf = new RequestLoader((principal, ids) => connections.findByIds(principal, ids));
  }

  configurationName({ tenantId }: Principal, { configurationId }: CallExhibit): Promise<string | null> {
    return this.configurations.of(tenantId, configurationId);
  }

  async connection(principal: Principal, { connectionId }: CallExhibit): Promise<ExhibitConnection | null> {
    const connection = connectionId ? await this.connectionsOf.load(principal, connectionId) : null;
    if (!connection) return null;
    const { name, kind } = connection;
    const destination = destinationOf(this.kinds.find(kind), connection);
    return { name, kind, destination: await Promise.all(destination.map((part) => this.inWords(principal, part))) };
  }

  private async inWords({ tenantId }: Principal, part: DestinationPart): Promise<DestinationPart> {
    if (part.type !== 'configuration') return part;
    return { ...part, value: (await this.configurations.of(tenantId, part.value)) ?? part.value };
  }
}
