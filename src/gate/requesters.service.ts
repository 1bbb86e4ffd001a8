import { Injectable } from '@nestjs/common';
import type { Tx } from '../platform/database/tx.js';
import { CredentialHolderRegistry } from '../access/credential-holder-registry.service.js';
import type { Principal } from '../principal/principal.js';

export interface CallRequesters {
  /** Everyone who acts in the call or could have used its credentials. */
  requesters: string[];
  byAgent: boolean;
  /** The acting person; for an agent identity the member responsible for it. */
  answerableId: string | null;
}

@Injectable()
export class RequestersService {
  constructor(private readonly holders: CredentialHolderRegistry) {}

  /**
   * Includes the person, or the member responsible for the agent; everyone who knows or has known a key of the agent or
   * a credential of the client; and the same for every link in the chain.
   */
  async resolve(tx: Tx, { tenantId, memberId, agentId, clientId, chain }: Principal): Promise<CallRequesters> {
    const members = [memberId, ...idsOf(chain, 'member')];
    const agents = [agentId, ...idsOf(chain, 'agent')];
    const clients = [clientId, ...idsOf(chain, 'client')];
    const behindAgent = agentId === undefined ? [] : await this.holders.listHolders(tx, tenantId, 'agent', agentId);
    const requesters = new Set([...behindAgent, ...present(members)]);
    for (const id of present(agents)) addAll(requesters, await this.holders.listHolders(tx, tenantId, 'agent', id));
    for (const id of present(clients)) addAll(requesters, await this.holders.listHolders(tx, tenantId, 'client', id));
    const answerableId = (agentId === undefined ? memberId : behindAgent[0]) ?? null;
    return { requesters: [...requesters], byAgent: agentId !== undefined, answerableId };
  }
}

const idsOf = (chain: Principal['chain'], kind: Principal['chain'][number]['kind']): string[] =>
  chain.flatMap((link) => (link.kind === kind ? [link.id] : []));
const present = (ids: readonly (string | undefined)[]): Set<string> => new Set(ids.flatMap((id) => id ?? []));
function addAll(all: Set<string>, more: readonly string[]): void {
  for (const id of more) all.add(id);
}
