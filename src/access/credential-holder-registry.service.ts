import { Injectable } from '@nestjs/common';
import type { Tx } from '../platform/database/tx.js';

/** Credentials of a call besides the acting member. */
type HolderCredentialKind = 'agent' | 'client';

/** Members who know such a credential or control who does. The member responsible for it comes first. */
type CredentialHolderSource = (tx: Tx, tenantId: string, id: string) => Promise<string[]>;

/** Finds who could have used a credential. The module that stores the credential registers the source. */
@Injectable()
export class CredentialHolderRegistry {
  private readonly sources = new Map<HolderCredentialKind, CredentialHolderSource>();

  /** Call in `onModuleInit`. */
  register(kind: HolderCredentialKind, source: CredentialHolderSource): void {
    this.sources.set(kind, source);
  }

  listHolders(tx: Tx, tenantId: string, kind: HolderCredentialKind, id: string): Promise<string[]> {
    const source = this.sources.get(kind);
    if (!source) throw new Error(`no holder source is registered for credentials of kind "${kind}"`);
    return source(tx, tenantId, id);
  }
}
