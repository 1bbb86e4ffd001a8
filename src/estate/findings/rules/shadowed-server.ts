import type { RuleMatch, FindingRule } from '../rule.js';
import { clippedText, plural, quotedText } from '../quoted-text.js';

export const shadowedServer: FindingRule = {
  id: 'shadowed_server',
  title: 'Project that takes the place of one’s own server',
  why: 'In a project its own file counts. Whoever opens it and calls a server by the name that they know reaches another one, with the trust, and perhaps the approval, of the first.',
};

/** A project's entry, and those of users that go by the same name and are something else. */
export interface ShadowingEntry {
  name: string;
  path: string;
  /** Same program, package or address, only given other things. */
  isSameServer: boolean;
  /** On the same device, or wherever somebody may open the project. */
  isOnSameDevice: boolean;
  userEntries: number;
  userPath: string;
}

export function shadowedServerMatch({
  name,
  path,
  isSameServer,
  isOnSameDevice,
  userEntries,
  userPath,
}: ShadowingEntry): RuleMatch {
  const whose = isOnSameDevice
    ? `the user’s own in ${quotedText(userPath)}`
    : `that of ${plural(userEntries, 'user')} who may open the project`;
  return {
    severity: isSameServer ? 'low' : isOnSameDevice ? 'high' : 'medium',
    reason: `${quotedText(name)} in ${quotedText(path)} takes the place of ${whose}, and is ${
      isSameServer ? 'the same server defined otherwise' : 'another server'
    }.`,
    evidence: {
      path: clippedText(path, 400),
      userPath: clippedText(userPath, 400),
      userEntries,
      isSameServer,
      isOnSameDevice,
    },
    fix: 'Give the project’s server a name of its own, or leave it out of the project if the user’s is meant.',
  };
}
