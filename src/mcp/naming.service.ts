import { Injectable } from '@nestjs/common';
import { ConfigurationsService } from '../configurations/configurations.service.js';
import type { Caller } from './caller.js';
import { Names } from './names.js';
import { Recent } from './recent.js';

/** Looked up once a second: a name opens nothing, and what it stands for is decided anew with every call. */
@Injectable()
export class Naming {
  private readonly names = new Recent<Names>(1000, 1000);

  constructor(private readonly configurations: ConfigurationsService) {}

  of(caller: Caller): Promise<Names> {
    const { principal, configurationId } = caller;
    return this.names.of(`${principal.tenantId} ${configurationId}`, () => this.find(caller));
  }

  private async find({ principal, configurationId }: Caller): Promise<Names> {
    const configuration = await this.configurations.get(principal, configurationId);
    if (!configuration.unprefixed) return new Names(null);
    const [only] = await this.configurations.connections(principal, configuration);
    return new Names(only?.slug ?? null);
  }
}
