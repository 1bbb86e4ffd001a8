import { Injectable } from '@nestjs/common';
import { AgentService } from '../agent/agent.service.js';
import { ConfigurationsService } from '../configurations/configurations.service.js';
import type { Principal } from '../principal/principal.js';

/** Each message needs this value, so it is cached briefly. */
const cacheMs = 5000;
const maxCachedExtensions = 10_000;

/** A2A extensions that a configuration requires for each message. */
@Injectable()
export class RequiredExtensionsService {
  private readonly cache = new Map<string, { extension: string | null; until: number }>();

  constructor(
    private readonly configurations: ConfigurationsService,
    private readonly agent: AgentService,
  ) {}

  async findFor(principal: Principal, configurationId: string): Promise<string | null> {
    const key = `${principal.tenantId} ${configurationId}`;
    const known = this.cache.get(key);
    if (known && known.until > performance.now()) return known.extension;
    const { modelConnectionId } = await this.configurations.get(principal, configurationId);
    const extension = await this.agent.requiredExtension(principal, modelConnectionId);
    if (this.cache.size >= maxCachedExtensions) this.cache.clear();
    this.cache.set(key, { extension, until: performance.now() + cacheMs });
    return extension;
  }
}
