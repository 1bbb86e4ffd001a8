import type { Package, PackageManager } from '../../configuration-file.js';
import type { EntryRule, Severity } from '../rule.js';
import { clippedText, quotedText } from '../quoted-text.js';

export const unpinnedPackage: EntryRule = {
  id: 'unpinned_package',
  title: 'Package without an exact version',
  why: 'Whoever publishes a new version of the package, or takes over the account that does, runs code on every device at the next start, without anybody having decided on it.',
  check({ package: written }) {
    if (!written || written.isPinned) return [];
    const { manager, name, versionSpec } = written;
    return [
      {
        severity: severityOf(written),
        reason: versionSpec
          ? `${quotedText(`${name} ${versionSpec}`)} may be other code tomorrow: ${movingVersionReason(manager, versionSpec)}.`
          : `${quotedText(name)} is run in whatever version there is.`,
        evidence: {
          manager,
          package: clippedText(name),
          version: versionSpec === null ? null : clippedText(versionSpec),
        },
        fix: `Write the exact version that you have looked at, ${pinningAdvice[manager](clippedText(name))}.`,
      },
    ];
  },
};

/** A range leaves at least something to the one who wrote it; a tag or nothing leaves everything to the publisher. */
function severityOf({ manager, versionSpec }: Package): Severity {
  const isFree = versionSpec === null || /^(latest|\*|x|main|master|head|>=?.*)$/i.test(versionSpec.trim());
  if (isFree) return 'medium';
  return manager === 'docker' || /^[\^~<=\d.x*]/i.test(versionSpec) ? 'low' : 'medium';
}

function movingVersionReason(manager: PackageManager, spec: string): string {
  if (manager === 'docker') return 'a tag can be given to another image';
  return /^[a-z]/i.test(spec) ? 'it is a name that moves, not a version' : 'it is a range, not a version';
}

const pinningAdvice: Record<PackageManager, (name: string) => string> = {
  npm: (name) => `as in "${name}@1.2.3"; "npm view ${name} version" tells the newest`,
  pypi: (name) => `as in "${name}==1.2.3"; "pip index versions ${name}" tells which there are`,
  docker: (name) => `by its digest, as in "${name}@sha256:…"; "docker buildx imagetools inspect ${name}" tells it`,
  deno: (name) => `as in "${name}@1.2.3"`,
  go: (name) => `as in "${name}@v1.2.3"; "go list -m -versions ${name}" tells which there are`,
  cargo: (name) => `as in "${name}@1.2.3"; "cargo info ${name}" tells the newest`,
  nuget: (name) => `as in "${name}@1.2.3"`,
};
