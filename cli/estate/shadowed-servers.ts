import type { ParsedEntry } from '../../src/estate/configuration-file.js';
import type { MatchedRule } from '../../src/estate/findings/evaluation/match-rules.js';
import { shadowedServer, shadowedServerMatch } from '../../src/estate/findings/rules/shadowed-server.js';
import type { ScannedFile } from './scanned-estate.js';

interface DeclaredEntry {
  file: ScannedFile;
  entry: ParsedEntry;
}

/** Servers of projects that have the name of a user's server on this machine, but another definition. */
export function shadowedServers(files: readonly ScannedFile[]): (DeclaredEntry & MatchedRule)[] {
  const declared = files.flatMap((file) => file.parsed.entries.map((entry) => ({ file, entry })));
  const ofUsers = new Map<string, DeclaredEntry[]>();
  for (const one of declared)
    if (one.file.known.scope === 'user') ofUsers.set(keyOf(one), [...(ofUsers.get(keyOf(one)) ?? []), one]);
  return declared.flatMap((one) => {
    if (one.file.known.scope !== 'project') return [];
    const { entry, file } = one;
    const others = (ofUsers.get(keyOf(one)) ?? []).filter((user) => user.entry.definitionHash !== entry.definitionHash);
    if (!others.length) return [];
    const match = shadowedServerMatch({
      name: entry.name,
      path: file.path,
      isSameServer: others.every((user) => user.entry.identity === entry.identity),
      isOnSameDevice: true,
      userEntries: others.length,
      userPath: others.map((user) => user.file.path).sort()[0],
    });
    return [{ file, entry, rule: shadowedServer, match }];
  });
}

const keyOf = ({ file, entry }: DeclaredEntry): string => `${file.known.client}\n${entry.name}`;
