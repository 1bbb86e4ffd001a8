import { ConfigurationsService } from '../../src/configurations/configurations.service.js';
import { ConnectionsService } from '../../src/connections/connections.service.js';
import type { Principal } from '../../src/principal/principal.js';
import type { Governed } from './governed.js';

/** A specialist is handed exactly this call. */
export const handed = (slug: string, data: object) => ({ tool: `${slug}__hand_over`, arguments: { data } });

/** Configurations that the house's own hands tasks on to; each reaches the same workplace. */
export class Specialists {
  private readonly ways: string[] = [];

  private constructor(
    private readonly house: Governed,
    private readonly admin: Principal,
  ) {}

  static async of(house: Governed): Promise<Specialists> {
    return new Specialists(house, await house.person());
  }

  /** Answers the id of the configuration. Its connection is called the same, in small letters. */
  async add(name: string): Promise<string> {
    const connectionIds = [this.house.connectionId];
    const input = { name, description: `Knows about ${name}.`, connectionIds, groupIds: [] };
    const { id } = await this.house.get(ConfigurationsService).create(this.admin, input);
    this.ways.push(await this.way(name.toLowerCase(), id));
    await this.bundle(this.house.configurationId, this.ways);
    return id;
  }

  async way(slug: string, configuration: string): Promise<string> {
    const input = { kind: 'configuration', name: slug, slug, settings: { configuration }, secrets: {} };
    return (await this.house.get(ConnectionsService).create(this.admin, input)).id;
  }

  /** Beside the workplace, a configuration has these connections. */
  async bundle(configurationId: string, ways: string[]): Promise<void> {
    const connectionIds = [this.house.connectionId, ...ways];
    await this.house.get(ConfigurationsService).update(this.admin, { configurationId, connectionIds });
  }

  /** Again as it was made. */
  restore(): Promise<void> {
    return this.bundle(this.house.configurationId, this.ways);
  }
}
