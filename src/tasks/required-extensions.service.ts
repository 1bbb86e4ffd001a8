import { Injectable } from '@nestjs/common';
import { AgentService } from '../agent/agent.service.js';
import { ConfigurationsService } from '../configurations/configurations.service.js';
import type { Principal } from '../principal/principal.js';

/** Each message asks for it: it is known for a moment. */
const momentMs = 5000;
const mostKnown = 10_000;

/** Extensions of A2A without which a configuration takes no message. */
@Injectable()
export class RequiredExtensions {
  private readonly known = new Map<string, { extension: string | null; until: number }>();

  constructor(
    private readonly configurations: ConfigurationsService,
    private readonly agent: AgentService,
  ) {}

  async of(principal: Principal, configurationId: string): Promise<string | null> {
    const key = `${principal.tenantId} ${configurationId}`;
    const known = this.known.get(key);
    if (known && known.until > performance.now()) return known.extension;
    const { modelConnectionId } = await this.configurations.get(principal, configurationId);
    const extension = await this.agent.requiredExtension(principal, modelConnectionId);
    if (this.known.size >= mostKnown) this.known.clear();
    this.known.set(key, { extension, until: performance.now() + momentMs });
    return extension;
  }
}
