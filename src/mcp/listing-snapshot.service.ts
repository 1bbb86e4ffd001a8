import { Injectable } from '@nestjs/common';
import type { UpstreamChange } from '../connections/upstream-catalogue.service.js';
import { GateService, type ListedTool, type ProposedCall } from '../gate/gate.service.js';
import { sha256 } from '../platform/crypto/digest.js';
import type { McpCaller } from './mcp-caller.js';
import type { WireNames } from './wire-names.js';
import { WireNamesService } from './wire-names.service.js';

export const listingNames = ['tools', 'resources', 'prompts'] as const;
export type Listing = (typeof listingNames)[number];
/** A digest of each list. */
export type ListingFingerprints = Record<Listing, string>;

export interface UpstreamResource {
  connectionId: string;
  uri: string;
}

/** The part of a caller's listings at one time that is needed to detect a change. */
export class ListingSnapshot {
  constructor(
    readonly fingerprints: ListingFingerprints,
    /** Slugs by connection id, for connections whose resources or prompts the caller may read. */
    private readonly slugs: Record<'resources' | 'prompts', ReadonlyMap<string, string>>,
    private readonly wireNames: WireNames,
  ) {}

  changedSince(before: ListingFingerprints): Listing[] {
    return listingNames.filter((listing) => this.fingerprints[listing] !== before[listing]);
  }

  /** Maps an upstream change to this caller's names. Null: the caller sees nothing of that kind there. */
  toClientChange({ connectionId, change }: UpstreamChange): Listing | { updated: string } | null {
    if (change === 'tools') return change;
    const slug = this.slugs[change === 'prompts' ? change : 'resources'].get(connectionId);
    if (slug === undefined) return null;
    return typeof change === 'string' ? change : { updated: this.wireNames.toWireUri(slug, change.updated) };
  }

  /** Null: the caller sees no connection that this URI belongs to. */
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

  /** Only readable resources: the notification that a resource changed also reveals something about it. */
  async readableResources(caller: McpCaller, wireUris: readonly string[]): Promise<UpstreamResource[]> {
    if (!wireUris.length) return [];
    const snapshot = await this.of(caller);
    const resources = wireUris.flatMap((uri) => snapshot.resolveResource(uri) ?? []);
    return this.gate.filterPermitted(caller.principal, caller.configurationId, resources);
  }
}
