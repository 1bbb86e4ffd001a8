import type { RuleMatch, FindingRule } from '../rule.js';
import { clippedText, plural, quotedText } from '../quoted-text.js';

export const shadowedServer: FindingRule = {
  id: 'shadowed_server',
  title: 'Project overrides a user’s server',
  why: 'In a project, the project’s file takes precedence. A user who opens it and calls a server by its familiar name reaches another server, with the trust and possibly the approval of the first.',
};

/** A project's entry, and the different entries of users with the same name. */
export interface ShadowingEntry {
  name: string;
  path: string;
  /** The same program, package or address with other settings. */
  isSameServer: boolean;
  /** True: on the same device. False: on any device that may open the project. */
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
    ? `the user’s server in ${quotedText(userPath)}`
    : `the server of ${plural(userEntries, 'user')} who may open the project`;
  return {
    severity: isSameServer ? 'low' : isOnSameDevice ? 'high' : 'medium',
    reason: `${quotedText(name)} in ${quotedText(path)} overrides ${whose} with ${
      isSameServer ? 'a different definition of the same server' : 'another server'
    }.`,
    evidence: {
      path: clippedText(path, 400),
      userPath: clippedText(userPath, 400),
      userEntries,
      isSameServer,
      isOnSameDevice,
    },
    fix: 'Rename the project’s server, or remove it from the project if the user’s server is intended.',
  };
}
