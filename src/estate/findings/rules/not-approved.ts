import type { RuleMatch, FindingRule } from '../rule.js';
import { clippedText, quotedText, plural } from '../quoted-text.js';

export const notApproved: FindingRule = {
  id: 'not_approved',
  title: 'Server that nobody approved',
  why: 'A server sees what it is sent and may do what its user may. Which ones are good enough is for somebody to decide, not for the first who copies three lines from a web page.',
};

/** A server of which at least one entry is on no list. */
export interface UnapprovedServer {
  name: string;
  /** "npm:name", a host, or the program. */
  what: string | null;
  by: 'package' | 'host' | 'definition';
  value: string;
  entries: number;
  files: number;
  /** Entries of the same server that are approved, by their definition. */
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
      ? `Server ${quotedText(name)} is approved in another definition; ${plural(entries, 'entry', 'entries')} ${where} ${entries === 1 ? 'differs' : 'differ'} from it.`
      : `Server ${quotedText(name)}${what ? ` (${quotedText(what)})` : ''} stands ${where} and on no approved list${isListEmpty ? ': nothing is approved yet' : ''}.`,
    evidence: { approvable: { kind: by, value: clippedText(value, 400) }, entries, files, approvedEntries },
    fix: 'Ask an administrator to approve it, naming what it is for, or take it out.',
  };
}
