import { Injectable } from '@nestjs/common';
import type { Tx } from '../platform/database/tx.js';

/** The parts of a configuration that its policies can name. */
export interface ConfigurationParts {
  name: string;
  connectionIds: string[];
  agentIds: string[];
  /** The groups with access. */
  groupIds: string[];
}

/** Throws if the configuration does not exist. */
type LoadConfigurationParts = (tx: Tx, tenantId: string, configurationId: string) => Promise<ConfigurationParts>;

/**
 * Loads configuration parts. The configurations module depends on this one, so it registers its loader in
 * `onModuleInit`.
 */
@Injectable()
export class ConfigurationPartsRegistry {
  private loadParts?: LoadConfigurationParts;

  register(loadParts: LoadConfigurationParts): void {
    this.loadParts = loadParts;
  }

  load(tx: Tx, tenantId: string, configurationId: string): Promise<ConfigurationParts> {
    if (!this.loadParts) throw new Error('no loader of configuration parts is registered');
    return this.loadParts(tx, tenantId, configurationId);
  }
}
