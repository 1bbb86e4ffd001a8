import { Injectable } from '@nestjs/common';
import type { ToldChange } from '../connections/upstream-catalogue.service.js';
import { GateService, type ListedTool, type Proposed } from '../gate/gate.service.js';
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
    /** Short names of the connections of which resources may be read, or prompts got, by their ids. */
    private readonly slugs: Record<'resources' | 'prompts', ReadonlyMap<string, string>>,
    private readonly names: Names,
  ) {}

  unlike(before: Prints): Listing[] {
    return listings.filter((listing) => this.prints[listing] !== before[listing]);
  }

  /** What a system has told, as this caller would find it; null: the caller finds nothing of that kind there. */
  shown({ connectionId, change }: ToldChange): Listing | { updated: string } | null {
    if (change === 'tools') return change;
    const slug = this.slugs[change === 'prompts' ? change : 'resources'].get(connectionId);
    if (slug === undefined) return null;
    return typeof change === 'string' ? change : { updated: this.names.uriShown(slug, change.updated) };
  }

  /** A system's resource by the address that the caller knows; null: nothing that the caller finds. */
  resource(shown: string): (UpstreamResource & Proposed) | null {
    const meant = this.names.uriMeant(shown);
    const [connectionId] = [...this.slugs.resources].find(([, slug]) => slug === meant?.connection) ?? [];
    if (!meant || !connectionId) return null;
    const { connection, name: uri } = meant;
    return { connectionId, uri, tool: `${connection}__resources_read`, args: { uri } };
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
    const slugsOf = (listing: Listing) =>
      new Map(
        of(listing).flatMap(({ connectionId, connectionSlug }) =>
          connectionId ? [[connectionId, connectionSlug] as const] : [],
        ),
      );
    const slugs = { resources: slugsOf('resources'), prompts: slugsOf('prompts') };
    return new Seen(prints, slugs, names);
  }

  /** Of these addresses, as the caller knows them, the resources that it may read: that one changes says something of it, too. */
  async readable(caller: Caller, shown: readonly string[]): Promise<UpstreamResource[]> {
    if (!shown.length) return [];
    const seen = await this.of(caller);
    const wanted = shown.flatMap((uri) => seen.resource(uri) ?? []);
    return this.gate.undenied(caller.principal, caller.configurationId, wanted);
  }
}
