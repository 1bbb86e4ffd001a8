import type { Package, PackageManager } from '../../configuration-file.js';

export const approvedKinds = ['package', 'host', 'definition'] as const;
export type ApprovedKind = (typeof approvedKinds)[number];

/** What is allowed: a package in whatever version, everything at an address, or exactly one definition. */
export interface ApprovedItem {
  kind: ApprovedKind;
  /** "npm:@scope/name", "tools.example.com" or "*.tools.example.com", the hash of a definition. In one spelling. */
  value: string;
}

/** What of a server the list is asked about. */
export interface ApprovableServer {
  package: Package | null;
  /** With the address it was written with: what goes over plain http to an approved host is a finding of its own. */
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

  /** By what it is allowed, or null. The narrowest is told. */
  allows({ definitionHash, package: written, host, urlScheme }: ApprovableServer): ApprovedKind | null {
    if (this.values.has(`definition ${definitionHash}`)) return 'definition';
    if (written && this.values.has(`package ${packageKey(written.manager, written.name)}`)) return 'package';
    const address = host === null ? null : hostKey(host, urlScheme);
    if (address === null) return null;
    if (this.values.has(`host ${address}`)) return 'host';
    // a port that is written is approved only where it was written
    return this.suffixes.some((suffix) => address.endsWith(suffix)) ? 'host' : null;
  }
}

/** As registries compare names. */
export const packageKey = (manager: PackageManager, name: string): string =>
  `${manager}:${manager === 'pypi' ? name.toLowerCase().replace(/[-_.]+/g, '-') : manager === 'docker' ? imageNameKey(name) : name.toLowerCase()}`;

const imageNameKey = (name: string): string =>
  name
    .toLowerCase()
    .replace(/^(index\.)?docker\.io\//, '')
    .replace(/^library\//, '');

/** In lower case, without the port that is meant anyway. */
export function hostKey(host: string, scheme: string | null): string | null {
  const key = host.toLowerCase().replace(/\.(?=$|:)/, '');
  if (key === '' || key.includes('$')) return null;
  const usual = scheme === 'http' || scheme === 'ws' ? ':80' : ':443';
  return key.endsWith(usual) && !key.endsWith(`:${usual}`) ? key.slice(0, -usual.length) : key;
}
