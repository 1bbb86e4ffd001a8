import { ConfigurationsService } from '../../src/configurations/configurations.service.js';
import { ConnectionsService } from '../../src/connections/connections.service.js';
import type { Principal } from '../../src/principal/principal.js';
import type { GateFixture } from './gate-fixture.js';

/** A call that delegates exactly this data to a specialist. */
export const delegationCall = (slug: string, data: object) => ({ tool: `${slug}__hand_over`, arguments: { data } });

/** Configurations that the main configuration delegates tasks to. All of them use the same workplace. */
export class DelegationFixture {
  private readonly connectionIds: string[] = [];

  private constructor(
    private readonly fixture: GateFixture,
    private readonly admin: Principal,
  ) {}

  static async create(fixture: GateFixture): Promise<DelegationFixture> {
    return new DelegationFixture(fixture, await fixture.principalOf());
  }

  /** Returns the id of the configuration. The slug of its connection is its name in lowercase. */
  async addConfiguration(name: string): Promise<string> {
    const connectionIds = [this.fixture.connectionId];
    const input = { name, description: `Knows about ${name}.`, connectionIds, groupIds: [] };
    const { id } = await this.fixture.get(ConfigurationsService).create(this.admin, input);
    this.connectionIds.push(await this.connectConfiguration(name.toLowerCase(), id));
    await this.setConnections(this.fixture.configurationId, this.connectionIds);
    return id;
  }

  async connectConfiguration(slug: string, configuration: string): Promise<string> {
    const input = { kind: 'configuration', name: slug, slug, settings: { configuration }, secrets: {} };
    return (await this.fixture.get(ConnectionsService).create(this.admin, input)).id;
  }

  /** Sets the connections of a configuration, in addition to the workplace. */
  async setConnections(configurationId: string, otherConnectionIds: string[]): Promise<void> {
    const connectionIds = [this.fixture.connectionId, ...otherConnectionIds];
    await this.fixture.get(ConfigurationsService).update(this.admin, { configurationId, connectionIds });
  }

  /** Restores the initial state. */
  restore(): Promise<void> {
    return this.setConnections(this.fixture.configurationId, this.connectionIds);
  }
}
