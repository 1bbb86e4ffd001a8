import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { ConfigurationsService } from '../configurations/configurations.service.js';
import type { Principal } from '../principal/principal.js';

export interface Answering {
  /** Everybody answerable for the call. */
  requesters: string[];
  byAgent: boolean;
  /** The acting person; for an agent identity the member responsible for it. */
  answerableId: string | null;
}

@Injectable()
export class Requesters {
  constructor(private readonly configurations: ConfigurationsService) {}

  /** The person, or whoever is behind the agent and its keys; and everybody in the chain, likewise. */
  async of(tx: EntityManager, principal: Principal): Promise<Answering> {
    const { tenantId, memberId, agentId, chain } = principal;
    const acting = agentId ? await this.configurations.answerable(tx, tenantId, agentId) : memberId ? [memberId] : [];
    const requesters = new Set(acting);
    for (const { kind, id } of chain) {
      if (kind === 'member') requesters.add(id);
      if (kind === 'agent')
        for (const member of await this.configurations.answerable(tx, tenantId, id)) requesters.add(member);
    }
    return { requesters: [...requesters], byAgent: agentId !== undefined, answerableId: acting[0] ?? null };
  }
}
