import { Injectable } from '@nestjs/common';
import { ConfigurationPartsService } from '../configurations/configuration-parts.service.js';
import { ConfigurationsService } from '../configurations/configurations.service.js';
import type { McpCaller } from './mcp-caller.js';
import { WireNames } from './wire-names.js';
import { ShortLivedCache } from './short-lived-cache.js';

/** Cached for one second. A name grants no access: every call is authorized again. */
@Injectable()
export class WireNamesService {
  private readonly names = new ShortLivedCache<WireNames>(1000, 1000);

  constructor(
    private readonly configurations: ConfigurationsService,
    private readonly configurationParts: ConfigurationPartsService,
  ) {}

  of(caller: McpCaller): Promise<WireNames> {
    const { principal, configurationId } = caller;
    return this.names.get(`${principal.tenantId} ${configurationId}`, () => this.find(caller));
  }

  private async find({ principal, configurationId }: McpCaller): Promise<WireNames> {
    const configuration = await this.configurations.get(principal, configurationId);
    if (!configuration.unprefixed) return new WireNames(null);
    const [[only]] = await this.configurationParts.connectionsOf(principal, [configurationId]);
    return new WireNames(only?.slug ?? null);
  }
}
