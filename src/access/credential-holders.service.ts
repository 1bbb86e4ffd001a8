import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';

/** What a call came with, besides the member who acts. */
type HeldCredential = 'agent' | 'client';

/** Members who know such a credential, or decide who does, the one responsible for it first. */
type Source = (tx: EntityManager, tenantId: string, id: string) => Promise<string[]>;

/** Who could have used a credential: the module that stores it says so. */
@Injectable()
export class CredentialHolders {
  private readonly sources = new Map<HeldCredential, Source>();

  /** In `onModuleInit`. */
  register(kind: HeldCredential, source: Source): void {
    this.sources.set(kind, source);
  }

  of(tx: EntityManager, tenantId: string, kind: HeldCredential, id: string): Promise<string[]> {
    const source = this.sources.get(kind);
    if (!source) throw new Error(`no module knows who holds a credential of the kind "${kind}"`);
    return source(tx, tenantId, id);
  }
}
