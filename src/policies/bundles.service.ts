import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';

/** What a configuration bundles, as far as its policies can speak of it. */
export interface BundledParts {
  connectionIds: string[];
  agentIds: string[];
}

/** Throws where there is no such configuration. */
type Look = (tx: EntityManager, tenantId: string, configurationId: string) => Promise<BundledParts>;

/** Asks the room that keeps configurations, which lies above this one and tells it in `onModuleInit`. */
@Injectable()
export class Bundles {
  private look?: Look;

  register(look: Look): void {
    this.look = look;
  }

  of(tx: EntityManager, tenantId: string, configurationId: string): Promise<BundledParts> {
    if (!this.look) throw new Error('nobody has said what configurations bundle');
    return this.look(tx, tenantId, configurationId);
  }
}
