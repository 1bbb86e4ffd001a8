import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';

/** What a call came with, besides the member who acts. */
type HolderCredentialKind = 'agent' | 'client';

/** Members who know such a credential, or decide who does, the one responsible for it first. */
type CredentialHolderSource = (tx: EntityManager, tenantId: string, id: string) => Promise<string[]>;

/** Who could have used a credential: the module that stores it says so. */
@Injectable()
export class CredentialHolderRegistry {
  private readonly sources = new Map<HolderCredentialKind, CredentialHolderSource>();

  /** In `onModuleInit`. */
  register(kind: HolderCredentialKind, source: CredentialHolderSource): void {
    this.sources.set(kind, source);
  }

  listHolders(tx: EntityManager, tenantId: string, kind: HolderCredentialKind, id: string): Promise<string[]> {
    const source = this.sources.get(kind);
    if (!source) throw new Error(`no module knows who holds a credential of the kind "${kind}"`);
    return source(tx, tenantId, id);
  }
}
