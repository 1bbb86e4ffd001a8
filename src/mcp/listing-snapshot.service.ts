import { Injectable } from '@nestjs/common';
import type { UpstreamChange } from '../connections/upstream-catalogue.service.js';
import { GateService, type ListedTool, type ProposedCall } from '../gate/gate.service.js';
import { sha256 } from '../platform/crypto/digest.js';
import type { McpCaller } from './mcp-caller.js';
import type { WireNames } from './wire-names.js';
import { WireNamesService } from './wire-names.service.js';

export const listingNames = ['tools', 'resources', 'prompts'] as const;
export type Listing = (typeof listingNames)[number];
/** Of each list, a digest. */
export type ListingFingerprints = Record<Listing, string>;

export interface UpstreamResource {
  connectionId: string;
  uri: string;
}

/** What a caller was shown at one time, as far as it takes to see that it is something else now. */
export class ListingSnapshot {
  constructor(
    readonly fingerprints: ListingFingerprints,
    /** Short names of the connections of which resources may be read, or prompts got, by their ids. */
    private readonly slugs: Record<'resources' | 'prompts', ReadonlyMap<string, string>>,
    private readonly wireNames: WireNames,
  ) {}

  changedSince(before: ListingFingerprints): Listing[] {
    return listingNames.filter((listing) => this.fingerprints[listing] !== before[listing]);
  }

  /** What a system has told, as this caller would find it; null: the caller finds nothing of that kind there. */
  toClientChange({ connectionId, change }: UpstreamChange): Listing | { updated: string } | null {
    if (change === 'tools') return change;
    const slug = this.slugs[change === 'prompts' ? change : 'resources'].get(connectionId);
    if (slug === undefined) return null;
    return typeof change === 'string' ? change : { updated: this.wireNames.toWireUri(slug, change.updated) };
  }

  /** A system's resource by the address that the caller knows; null: nothing that the caller finds. */
  resolveResource(wireUri: string): (UpstreamResource & ProposedCall) | null {
    const target = this.wireNames.parseUri(wireUri);
    const [connectionId] = [...this.slugs.resources].find(([, slug]) => slug === target?.connection) ?? [];
    if (!target || !connectionId) return null;
    const { connection, name: uri } = target;
    return { connectionId, uri, tool: `${connection}__resources_read`, args: { uri } };
  }
}

const listingFingerprint = (wireNames: WireNames, tools: readonly ListedTool[]): string => {
  const lines = tools.map(({ name, definitionHash, effect, verdict }) =>
    [name, definitionHash, effect, verdict].join(),
  );
  return sha256([wireNames.unprefixedSlug, ...lines].join('\n')).toString('base64');
};

@Injectable()
export class ListingSnapshotService {
  constructor(
    private readonly gate: GateService,
    private readonly wireNames: WireNamesService,
  ) {}

  async of(caller: McpCaller): Promise<ListingSnapshot> {
    const { principal, configurationId } = caller;
    const [tools, operations, names] = await Promise.all([
      this.gate.list(principal, configurationId),
      this.gate.listOperations(principal, configurationId),
      this.wireNames.of(caller),
    ]);
    const of = (listing: Listing) => operations.filter(({ operation }) => operation === listing);
    const prints = {
      tools: listingFingerprint(names, tools),
      resources: listingFingerprint(names, of('resources')),
      prompts: listingFingerprint(names, of('prompts')),
    };
    const slugsOf = (listing: Listing) =>
      new Map(
        of(listing).flatMap(({ connectionId, connectionSlug }) =>
          connectionId ? [[connectionId, connectionSlug] as const] : [],
        ),
      );
    const slugs = { resources: slugsOf('resources'), prompts: slugsOf('prompts') };
    return new ListingSnapshot(prints, slugs, names);
  }

  /** Of these addresses, as the caller knows them, the resources that it may read: that one changes says something of it, too. */
  async readableResources(caller: McpCaller, wireUris: readonly string[]): Promise<UpstreamResource[]> {
    if (!wireUris.length) return [];
    const snapshot = await this.of(caller);
    const resources = wireUris.flatMap((uri) => snapshot.resolveResource(uri) ?? []);
    return this.gate.filterPermitted(caller.principal, caller.configurationId, resources);
  }
}
