import type { Package, PackageManager } from '../../configuration-file.js';
import type { EntryRule, Severity } from '../rule.js';
import { clippedText, quotedText } from '../quoted-text.js';

export const unpinnedPackage: EntryRule = {
  id: 'unpinned_package',
  title: 'Package without an exact version',
  why: 'Anyone who publishes a new version of the package, or takes over the publisher’s account, runs code on every device at the next start without a review.',
  check({ package: written }) {
    if (!written || written.isPinned) return [];
    const { manager, name, versionSpec } = written;
    return [
      {
        severity: severityOf(written),
        reason: versionSpec
          ? `${quotedText(`${name} ${versionSpec}`)} may resolve to different code tomorrow: ${movingVersionReason(manager, versionSpec)}.`
          : `${quotedText(name)} has no version, so any available version may run.`,
        evidence: {
          manager,
          package: clippedText(name),
          version: versionSpec === null ? null : clippedText(versionSpec),
        },
        fix: `Set the exact version that you have reviewed, ${pinningAdvice[manager](clippedText(name))}.`,
      },
    ];
  },
};

/** A range gives the author some control. A tag, or no version, leaves the choice to the publisher. */
function severityOf({ manager, versionSpec }: Package): Severity {
  const isFree = versionSpec === null || /^(latest|\*|x|main|master|head|>=?.*)$/i.test(versionSpec.trim());
  if (isFree) return 'medium';
  return manager === 'docker' || /^[\^~<=\d.x*]/i.test(versionSpec) ? 'low' : 'medium';
}

function movingVersionReason(manager: PackageManager, spec: string): string {
  if (manager === 'docker') return 'a tag can be moved to another image';
  return /^[a-z]/i.test(spec) ? 'it is a movable name, not a version' : 'it is a range, not a version';
}

const pinningAdvice: Record<PackageManager, (name: string) => string> = {
  npm: (name) => `as in "${name}@1.2.3"; "npm view ${name} version" shows the newest`,
  pypi: (name) => `as in "${name}==1.2.3"; "pip index versions ${name}" lists the versions`,
  docker: (name) => `by its digest, as in "${name}@sha256:…"; "docker buildx imagetools inspect ${name}" shows it`,
  deno: (name) => `as in "${name}@1.2.3"`,
  go: (name) => `as in "${name}@v1.2.3"; "go list -m -versions ${name}" lists the versions`,
  cargo: (name) => `as in "${name}@1.2.3"; "cargo info ${name}" shows the newest`,
  nuget: (name) => `as in "${name}@1.2.3"`,
};
