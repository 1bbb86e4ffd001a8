import { Injectable } from '@nestjs/common';
import type { Tx } from '../platform/database/tx.js';
import { CredentialHolderRegistry } from '../access/credential-holder-registry.service.js';
import type { ChainLink, Principal } from '../principal/principal.js';

export interface CallRequesters {
  /** Everyone who acts in the call or could have used its credentials. */
  requesters: string[];
  byAgent: boolean;
  /** The acting person; for an agent identity the member responsible for it. */
  responsibleId: string | null;
}

/** Finds the requesters of a call: none of them may review it. */
@Injectable()
export class RequestersService {
  constructor(private readonly holders: CredentialHolderRegistry) {}

  /**
   * Includes the person, or the member responsible for the agent; everyone who knows or has known a key of the agent or
   * a credential of the client; and the same for every link in the chain.
   */
  async resolve(tx: Tx, { tenantId, memberId, agentId, clientId, chain }: Principal): Promise<CallRequesters> {
    const idsOf = (kind: ChainLink['kind']) => chain.flatMap((link) => (link.kind === kind ? [link.id] : []));
    const holdersOf = (kind: 'agent' | 'client', id: string) => this.holders.listHolders(tx, tenantId, kind, id);
    const agentHolders = agentId === undefined ? [] : await holdersOf('agent', agentId);
    const requesters = new Set([...agentHolders, ...(memberId ? [memberId] : []), ...idsOf('member')]);
    for (const id of idsOf('agent')) for (const holder of await holdersOf('agent', id)) requesters.add(holder);
    for (const id of new Set([...(clientId ? [clientId] : []), ...idsOf('client')]))
      for (const holder of await holdersOf('client', id)) requesters.add(holder);
    // the member responsible for an agent is the first of its holders
    const responsibleId = (agentId === undefined ? memberId : agentHolders[0]) ?? null;
    return { requesters: [...requesters], byAgent: agentId !== undefined, responsibleId };
  }
}
