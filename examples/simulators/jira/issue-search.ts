import { SimulatedRefusal } from '../http-simulator.ts';
import type { SimulatedReply, SimulatedRequest } from '../http-simulator.ts';
import type { AtlassianLimits } from '../atlassian/limits.ts';
import type { JiraSite, SimulatedIssue } from './jira-site.ts';
import { JqlError, parseJql } from './jql.ts';
import { issuePayload } from './payloads.ts';

const mostIds = 5000;
const mostWithFields = 100;
const tokenLifeMs = 7 * 24 * 3_600_000;

interface SearchBody {
  jql?: string;
  fields?: string[];
  maxResults?: number;
  nextPageToken?: string;
}

/** The search of Jira Cloud: pages by token, without a total. It reads the search index, which may lag. */
export class IssueSearch {
  private readonly site: JiraSite;
  private readonly limits: AtlassianLimits;
  private cached: { name: string; issues: SimulatedIssue[] } = { name: '', issues: [] };

  constructor(site: JiraSite, limits: AtlassianLimits) {
    this.site = site;
    this.limits = limits;
  }

  page({ body }: SimulatedRequest, account: string): SimulatedReply {
    const { jql = '', fields = ['id'], maxResults = 50, nextPageToken } = body as SearchBody;
    const from = nextPageToken ? this.offsetOf(nextPageToken, jql) : 0;
    const size = Math.min(maxResults, fields.every((field) => field === 'id') ? mostIds : mostWithFields);
    const all = this.matching(jql, account);
    const issues = all.slice(from, from + size);
    this.limits.charge(issues.length);
    const isLast = from + size >= all.length;
    const token = { jql, from: from + size, until: this.site.now() + tokenLifeMs };
    return {
      body: {
        issues: issues.map((issue) => issuePayload(issue, fields, this.site)),
        ...(!isLast && { nextPageToken: Buffer.from(JSON.stringify(token)).toString('base64url') }),
        isLast,
      },
    };
  }

  count({ body }: SimulatedRequest, account: string): SimulatedReply {
    return { body: { count: this.matching((body as SearchBody).jql ?? '', account).length } };
  }

  private offsetOf(token: string, jql: string): number {
    const invalid = new SimulatedRefusal({
      status: 400,
      body: { errorMessages: ['The nextPageToken is invalid or expired.'] },
    });
    try {
      const read = JSON.parse(Buffer.from(token, 'base64url').toString()) as {
        jql: string;
        from: number;
        until: number;
      };
      if (read.jql !== jql || read.until < this.site.now()) throw invalid;
      return read.from;
    } catch {
      throw invalid;
    }
  }

  /** Caches the last result until the data changes, because a long list is read in many pages. */
  private matching(jql: string, account: string): SimulatedIssue[] {
    const name = JSON.stringify([jql, account, this.site.revision, jql.includes('"-') && this.site.now()]);
    if (this.cached.name !== name) this.cached = { name, issues: this.find(jql, account) };
    return this.cached.issues;
  }

  private find(jql: string, account: string): SimulatedIssue[] {
    try {
      const { matches, isDescending } = parseJql(jql, this.site, account);
      const indexed = [...this.site.issues.values()]
        .map((issue) => (issue.indexed === undefined ? issue : issue.indexed))
        .filter((issue) => issue !== null);
      const found = indexed.filter((issue) => matches(issue) && this.site.canSee(account, issue));
      found.sort((a, b) => a.created - b.created || Number(a.id) - Number(b.id));
      return isDescending ? found.reverse() : found;
    } catch (error) {
      if (!(error instanceof JqlError)) throw error;
      throw new SimulatedRefusal({ status: 400, body: { errorMessages: [error.message] } });
    }
  }
}
