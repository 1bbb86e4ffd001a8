import { Injectable } from '@nestjs/common';
import { AgentService } from '../agent/agent.service.js';
import type { Part } from '../agent/agent-model.service.js';
import { ConfigurationsService } from '../configurations/configurations.service.js';
import { unsupportedMediaType } from '../platform/errors/general.error.js';
import type { Principal } from '../principal/principal.js';

const words = ['text/plain', 'application/json'];
const anything = ['*/*'];

/** Media types that the model of a configuration takes. */
@Injectable()
export class InputModes {
  constructor(
    private readonly configurations: ConfigurationsService,
    private readonly agent: AgentService,
  ) {}

  async of(principal: Principal, modelConnectionId: string | null): Promise<string[]> {
    return (await this.agent.takesFiles(principal, modelConnectionId)) ? anything : words;
  }

  /** Before a message is kept that nobody could read. */
  async refuseUnread(principal: Principal, configurationId: string, parts: readonly Part[]): Promise<void> {
    if (!parts.some((part) => 'raw' in part || 'url' in part)) return;
    const { modelConnectionId } = await this.configurations.get(principal, configurationId);
    if (await this.agent.takesFiles(principal, modelConnectionId)) return;
    throw unsupportedMediaType(`This agent reads ${words.join(' and ')}; it takes no files.`);
  }
}
