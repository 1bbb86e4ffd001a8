import { slices } from '../atlassian/slices.js';
import type { JiraAccess } from './jira-access.js';
import type { JiraClient } from './jira-client.js';
import type { JiraIssue } from './jira-schemas.js';

/** A line in the text of an issue. */
export interface ParentName {
  label: 'Epic' | 'Parent';
  text: string;
}

/** Epics and other parents of issues. Each one is read once per pass. */
export class JiraParents {
  /** By key. Null: deleted, or hidden from the account. */
  private readonly known = new Map<string, JiraIssue | null>();

  constructor(
    private readonly jira: JiraClient,
    private readonly access: JiraAccess,
  ) {}

  /** Reads the parents of these issues. */
  async load(issues: readonly JiraIssue[]): Promise<void> {
    const keys = new Set(issues.flatMap(({ fields }) => fields.parent?.key ?? []));
    const unknown = [...keys].filter((key) => !this.known.has(key));
    for (const part of slices(unknown, this.jira.issuesPerRead)) {
      for (const key of part) this.known.set(key, null);
      for (const parent of await this.jira.currentIssues(part)) this.known.set(parent.key, parent);
    }
  }

  /** Includes the name of the parent only if everyone who can read the issue can also read the parent. */
  async nameOf({ fields }: JiraIssue, audience: string): Promise<ParentName | null> {
    const key = fields.parent?.key;
    if (!key) return null;
    const parent = this.known.get(key);
    if (!parent || !(await this.access.isOpenTo(audience, parent.fields, fields)))
      return { label: 'Parent', text: key };
    const { summary, epicName, issuetype } = parent.fields;
    const isEpic = (issuetype?.hierarchyLevel ?? 0) > 0 || issuetype?.name.toLowerCase() === 'epic';
    const shortName = epicName && epicName !== summary ? `(${epicName})` : '';
    return { label: isEpic ? 'Epic' : 'Parent', text: [key, summary, shortName].filter(Boolean).join(' ') };
  }
}
