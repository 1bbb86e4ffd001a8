import type { RuleMatch, FindingRule } from '../rule.js';
import { clippedText, quotedText, plural } from '../quoted-text.js';

export const notApproved: FindingRule = {
  id: 'not_approved',
  title: 'Unapproved server',
  why: 'A server sees everything that it is sent, and can do everything that its user can. An administrator should decide which servers are trusted, not the first person who copies three lines from a web page.',
};

/** A server with at least one unapproved entry. */
export interface UnapprovedServer {
  name: string;
  /** "npm:name", a host, or the program. */
  what: string | null;
  by: 'package' | 'host' | 'definition';
  value: string;
  entries: number;
  files: number;
  /** Approved entries of the same server. */
  approvedEntries: number;
  isListEmpty: boolean;
}

export function unapprovedMatch({
  name,
  what,
  by,
  value,
  entries,
  files,
  approvedEntries,
  isListEmpty,
}: UnapprovedServer): RuleMatch {
  const where = `in ${plural(files, 'file')}`;
  return {
    severity: isListEmpty ? 'low' : 'medium',
    reason: approvedEntries
      ? `Server ${quotedText(name)} is approved with another definition; ${plural(entries, 'entry', 'entries')} ${where} ${entries === 1 ? 'differs' : 'differ'} from it.`
      : `Server ${quotedText(name)}${what ? ` (${quotedText(what)})` : ''} was found ${where} and is not approved${isListEmpty ? ': the approved list is empty' : ''}.`,
    evidence: { approvable: { kind: by, value: clippedText(value, 400) }, entries, files, approvedEntries },
    fix: 'Ask an administrator to approve it and say what you use it for, or remove it.',
  };
}
