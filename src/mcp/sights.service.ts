import { Injectable } from '@nestjs/common';
import type { ToldChange } from '../connections/upstream-catalogue.service.js';
import { GateService, type ListedTool } from '../gate/gate.service.js';
import { sha256 } from '../platform/crypto/digest.js';
import type { Caller } from './caller.js';
import type { Names } from './names.js';
import { Naming } from './naming.service.js';

export const listings = ['tools', 'resources', 'prompts'] as const;
export type Listing = (typeof listings)[number];
/** Of each list, a digest. */
export type Prints = Record<Listing, string>;

export interface UpstreamResource {
  connectionId: string;
  uri: string;
}

/** What a caller was shown at one time, as far as it takes to see that it is something else now. */
export class Seen {
  constructor(
    readonly prints: Prints,
    /** Short names of the connections that list something beside tools, by their ids. */
    private readonly slugs: ReadonlyMap<string, string>,
    private readonly names: Names,
  ) {}

  unlike(before: Prints): Listing[] {
    return listings.filter((listing) => this.prints[listing] !== before[listing]);
  }

  /** What a system has told, as this caller would find it; null: the caller finds nothing of that system. */
  shown({ connectionId, change }: ToldChange): Listing | { updated: string } | null {
    const slug = this.slugs.get(connectionId);
    if (slug === undefined) return null;
    return typeof change === 'string' ? change : { updated: this.names.uriShown(slug, change.updated) };
  }

  /** A system's resource by the address that the caller knows; null: nothing that the caller finds. */
  resource(shown: string): UpstreamResource | null {
    const meant = this.names.uriMeant(shown);
    const [connectionId] = [...this.slugs].find(([, slug]) => slug === meant?.connection) ?? [];
    return meant && connectionId ? { connectionId, uri: meant.name } : null;
  }
}

const printOf = (names: Names, tools: readonly ListedTool[]): string => {
  const lines = tools.map(({ name, definitionHash, effect, verdict }) =>
    [name, definitionHash, effect, verdict].join(),
  );
  return sha256([names.alone, ...lines].join('\n')).toString('base64');
};

@Injectable()
export class Sights {
  constructor(
    private readonly gate: GateService,
    private readonly naming: Naming,
  ) {}

  async of(caller: Caller): Promise<Seen> {
    const { principal, configurationId } = caller;
    const [tools, operations, names] = await Promise.all([
      this.gate.list(principal, configurationId),
      this.gate.listOperations(principal, configurationId),
      this.naming.of(caller),
    ]);
    const of = (listing: Listing) => operations.filter(({ operation }) => operation === listing);
    const prints = {
      tools: printOf(names, tools),
      resources: printOf(names, of('resources')),
      prompts: printOf(names, of('prompts')),
    };
    const slugs = new Map(
      operations.flatMap(({ connectionId, connectionSlug }) => (connectionId ? [[connectionId, connectionSlug]] : [])),
    );
    return new Seen(prints, slugs, names);
  }
}
