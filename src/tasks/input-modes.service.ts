import { Injectable } from '@nestjs/common';
import { AgentService } from '../agent/agent.service.js';
import type { Part } from '../agent/agent-model.port.js';
import { ConfigurationsService } from '../configurations/configurations.service.js';
import { unsupportedMediaType } from '../platform/errors/general.error.js';
import type { Principal } from '../principal/principal.js';

const textModes = ['text/plain', 'application/json'];
const anyMode = ['*/*'];

/** Media types that the model of a configuration accepts. */
@Injectable()
export class InputModesService {
  constructor(
    private readonly configurations: ConfigurationsService,
    private readonly agent: AgentService,
  ) {}

  async listFor(principal: Principal, modelConnectionId: string | null): Promise<string[]> {
    return (await this.agent.takesFiles(principal, modelConnectionId)) ? anyMode : textModes;
  }

  /**
   * Rejects a message with undeclared media types before it is stored. `mediaTypes`: the types of its text and data
   * parts.
   */
  async assertSupported(
    principal: Principal,
    configurationId: string,
    parts: readonly Part[],
    mediaTypes: readonly string[] = [],
  ): Promise<void> {
    const hasFile = parts.some((part) => 'raw' in part || 'url' in part);
    const undeclared = mediaTypes.find((type) => !textModes.includes(essence(type)));
    if (!hasFile && undeclared === undefined) return;
    const { modelConnectionId } = await this.configurations.get(principal, configurationId);
    if (await this.agent.takesFiles(principal, modelConnectionId)) return;
    const why = undeclared === undefined ? 'not files' : `not "${undeclared.slice(0, 100)}"`;
    throw unsupportedMediaType(`This agent accepts only ${textModes.join(' and ')}, ${why}.`);
  }
}

/** Without parameters (RFC 9110, section 8.3.1). */
const essence = (mediaType: string): string => mediaType.split(';', 1)[0].trim().toLowerCase();
