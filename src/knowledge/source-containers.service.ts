import { Injectable } from '@nestjs/common';
import { ConnectionsService } from '../connections/connections.service.js';
import type { SourceContainer } from '../connections/knowledge-source.port.js';
import { failureMessageOf } from '../platform/errors/failure-message.js';
import { withinDeadline } from '../platform/events/within-deadline.js';
import type { Principal } from '../principal/principal.js';
import { containersUnavailable } from './knowledge.error.js';

const timeoutMs = 60_000;
const maxContainers = 5_000;

/** Lists the containers that the credential of a connection can read now. */
@Injectable()
export class SourceContainersService {
  constructor(private readonly connections: ConnectionsService) {}

  async list(principal: Principal, connectionId: string): Promise<SourceContainer[]> {
    const connection = await this.connections.get(principal, connectionId);
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      const { connector, context } = await this.connections.open(principal, connection, signal);
      if (!connector.containers) return [];
      const containers = await withinDeadline(signal, connector.containers(context));
      return containers.slice(0, maxContainers);
    } catch (error) {
      throw containersUnavailable(failureMessageOf(error));
    }
  }
}
