import type { Adapter, AdapterPayload } from 'oidc-provider';
import { registeredClient } from './client-facts.js';
import type { OauthTransactionService } from './oauth-transaction.service.js';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Reads the current registration on every request. Disabled and revoked clients are treated as unknown. */
export class ClientsAdapter implements Adapter {
  constructor(private readonly transaction: OauthTransactionService) {}

  async find(id: string): Promise<AdapterPayload | undefined> {
    if (!uuid.test(id)) return undefined;
    const client = await this.transaction.client(id);
    if (!client || client.disabledAt || client.revokedAt) return undefined;
    return registeredClient(client);
  }

  readonly upsert = unsupported;
  readonly findByUserCode = unsupported;
  readonly findByUid = unsupported;
  readonly consume = unsupported;
  readonly destroy = unsupported;
  readonly revokeByGrantId = unsupported;
}

const unsupported = () => Promise.reject(new Error('only administrators register clients'));
