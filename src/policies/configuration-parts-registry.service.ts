import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';

/** What a configuration bundles, as far as its policies can speak of it. */
export interface ConfigurationParts {
  connectionIds: string[];
  agentIds: string[];
}

/** Throws where there is no such configuration. */
type LoadConfigurationParts = (
  tx: EntityManager,
  tenantId: string,
  configurationId: string,
) => Promise<ConfigurationParts>;

/** Asks the room that keeps configurations, which lies above this one and tells it in `onModuleInit`. */
@Injectable()
export class ConfigurationPartsRegistry {
  private loadParts?: LoadConfigurationParts;

  register(look: LoadConfigurationParts): void {
    this.loadParts = look;
  }

  load(tx: EntityManager, tenantId: string, configurationId: string): Promise<ConfigurationParts> {
    if (!this.loadParts) throw new Error('nobody has said what configurations bundle');
    return this.loadParts(tx, tenantId, configurationId);
  }
}
