import type { ConnectionContext } from '../../connections/connector-registry.service.js';
import type { ReaderSet, SourceQuota } from '../../connections/knowledge-source.port.js';
import type { SourceClient } from '../source-kit/source-client.js';
import type { JiraSecurityScheme } from './jira-requests.js';
import type { JiraComment, JiraHolder, JiraIssue, JiraProject, JiraUser } from './jira-schemas.js';

export interface JiraClientOptions {
  quota?: (status: SourceQuota) => void;
  /** A person waits for the response. */
  isInteractive?: boolean;
}

export type ConnectJira = (context: ConnectionContext, options?: JiraClientOptions) => JiraClient;

/** Jira Cloud or Jira Data Center, in the terms of Jira Cloud. The ids of accounts and groups are those of the product. */
export interface JiraClient {
  /** For requests of tools. */
  readonly rest: SourceClient;
  /** The path of the REST API. */
  readonly api: string;
  /** The address in the browser, without a slash at the end. */
  readonly site: string;
  readonly issuesPerRead: number;
  /** How the product names the global permissions that the connector needs. */
  readonly permissionNames: { administer: string; browseUsers: string };

  /** Throws if the credential is invalid. */
  account(): Promise<unknown>;
  /** The names of those permissions that the account has globally or in any project. */
  permissions(...names: string[]): Promise<Set<string>>;
  /** The clock of the site in milliseconds. Jira compares change times with it. */
  serverTime(): Promise<number>;
  projects(): Promise<JiraProject[]>;

  count(condition: string): Promise<number>;
  /**
   * Pages of issues with the fields that determine readers and citations, in the order of their creation. `from` is the
   * `next` of an earlier page.
   */
  search(condition: string, from?: string | null): AsyncGenerator<JiraIssuePage>;
  /** Issues that changed since a time, in milliseconds by the clock of the site. */
  updatedSince(condition: string, since: number): AsyncGenerator<JiraIssuePage>;
  /** The issues of these epics, and their subtasks. Can be incomplete if a parent was deleted since it was listed. */
  children(parents: readonly JiraIssue[]): AsyncGenerator<JiraIssuePage>;
  /** Issues with their texts, from the database, which is newer than the search index. */
  issues(ids: readonly string[]): Promise<Map<string, JiraIssue>>;
  /** Issues with the fields that determine readers and citations, from the database. By ids or keys. */
  currentIssues(idsOrKeys: readonly string[]): Promise<JiraIssue[]>;
  /** All comments of an issue in the order of their creation. */
  comments(issueId: string): AsyncGenerator<JiraComment[]>;
  /** Converts a description or comment to Markdown. */
  toMarkdown(body: unknown): string;
  /** Converts text of an agent to a description or comment. It cannot create mentions or macros. */
  fromWritten(text: string): unknown;

  /** The holders of the permission “Browse Projects”. */
  browseHolders(projectId: string): Promise<JiraHolder[]>;
  /** Null: the project has no security levels. */
  securityScheme(projectId: string): Promise<JiraSecurityScheme | null>;
  /** Whether issues of a project have one of these security levels, but the product does not return it. */
  hidesLevels(projectId: string, levelIds: readonly string[]): Promise<boolean>;
  /** The members of all levels of a scheme. Null: the product does not return them. */
  levelHolders(schemeId: string): Promise<Map<string, JiraHolder[]> | null>;
  role(projectId: string, roleId: string): Promise<ReaderSet>;
  /** The groups that give access to each product. */
  applicationGroups(): Promise<Map<string, string[]>>;
  groupMembers(groupId: string): AsyncGenerator<string[]>;
  users(): AsyncGenerator<JiraUser[]>;
}

export interface JiraIssuePage {
  issues: JiraIssue[];
  /** Null after the last page. */
  next: string | null;
}

/** Fields that determine readers and citations. */
export const listedFields = [
  ...['summary', 'updated', 'project', 'security', 'issuerestriction', 'reporter', 'assignee'],
  ...['issuetype', 'parent'],
];
export const readFields = [
  ...listedFields,
  ...['status', 'priority', 'resolution', 'labels', 'issuelinks', 'description', 'comment'],
];
