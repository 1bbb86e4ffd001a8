import type { Package, PackageManager } from '../../configuration-file.js';

export const approvedKinds = ['package', 'host', 'definition'] as const;
export type ApprovedKind = (typeof approvedKinds)[number];

/** An approval of a package in any version, of all servers at a host, or of exactly one definition. */
export interface ApprovedItem {
  kind: ApprovedKind;
  /** "npm:@scope/name", "tools.example.com" or "*.tools.example.com", or the hash of a definition. Normalized. */
  value: string;
}

/** The properties of a server that the list is matched against. */
export interface ApprovableServer {
  package: Package | null;
  /** As written. Plain http to an approved host is a separate finding. */
  host: string | null;
  urlScheme: string | null;
  definitionHash: string;
}

export class ApprovedList {
  private readonly values: ReadonlySet<string>;
  private readonly suffixes: string[];

  constructor(approved: readonly ApprovedItem[]) {
    this.values = new Set(approved.map(({ kind, value }) => `${kind} ${value}`));
    this.suffixes = approved
      .filter(({ kind, value }) => kind === 'host' && value.startsWith('*.'))
      .map(({ value }) => value.slice(1));
  }

  get isEmpty(): boolean {
    return this.values.size === 0;
  }

  /** The most specific approval that allows the server, or null. */
  allows({ definitionHash, package: written, host, urlScheme }: ApprovableServer): ApprovedKind | null {
    if (this.values.has(`definition ${definitionHash}`)) return 'definition';
    if (written && this.values.has(`package ${packageKey(written.manager, written.name)}`)) return 'package';
    const address = host === null ? null : hostKey(host, urlScheme);
    if (address === null) return null;
    if (this.values.has(`host ${address}`)) return 'host';
    // an explicit port is only approved if the approval names it
    return this.suffixes.some((suffix) => address.endsWith(suffix)) ? 'host' : null;
  }
}

/** Normalizes names as registries do. */
export const packageKey = (manager: PackageManager, name: string): string =>
  `${manager}:${manager === 'pypi' ? name.toLowerCase().replace(/[-_.]+/g, '-') : manager === 'docker' ? imageNameKey(name) : name.toLowerCase()}`;

const imageNameKey = (name: string): string =>
  name
    .toLowerCase()
    .replace(/^(index\.)?docker\.io\//, '')
    .replace(/^library\//, '');

/** In lower case, without the default port. */
export function hostKey(host: string, scheme: string | null): string | null {
  const key = host.toLowerCase().replace(/\.(?=$|:)/, '');
  if (key === '' || key.includes('$')) return null;
  const usual = scheme === 'http' || scheme === 'ws' ? ':80' : ':443';
  return key.endsWith(usual) && !key.endsWith(`:${usual}`) ? key.slice(0, -usual.length) : key;
}
