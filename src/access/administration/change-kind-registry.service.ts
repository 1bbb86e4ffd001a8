import { Injectable } from '@nestjs/common';
import type { AnyChangeKind } from './administration-change.port.js';

@Injectable()
export class ChangeKindRegistry {
  private readonly kinds = new Map<string, AnyChangeKind>();

  register(kind: AnyChangeKind): void {
    if (this.kinds.has(kind.kind)) throw new Error(`change kind "${kind.kind}" is registered twice`);
    this.kinds.set(kind.kind, kind);
  }

  list(): AnyChangeKind[] {
    return [...this.kinds.values()];
  }

  /** Null: a later version of the application proposed it. */
  find(kind: string): AnyChangeKind | null {
    return this.kinds.get(kind) ?? null;
  }
}
