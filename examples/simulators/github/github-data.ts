import { createHash } from 'node:crypto';

export type GithubRole = 'admin' | 'maintain' | 'write' | 'triage' | 'read';
const roleOrder: GithubRole[] = ['read', 'triage', 'write', 'maintain', 'admin'];

export interface GithubUser {
  id: number;
  login: string;
  name: string | null;
  /** Addresses in domains that an organization has verified, by its login. */
  verifiedEmails: Record<string, string[]>;
  samlNameId: string | null;
}

export interface GithubTeam {
  id: number;
  slug: string;
  members: Set<number>;
  /** Members of a child team have the grants of the parent, too. */
  parent: GithubTeam | null;
}

export interface GithubOrganization {
  id: number;
  login: string;
  members: Map<number, 'admin' | 'member'>;
  basePermission: GithubRole | 'none';
  teams: GithubTeam[];
  /** Members of other organizations of the enterprise, by its slug. */
  enterprise: { slug: string; members: Set<number> } | null;
  hasVerifiedDomain: boolean;
  hasSaml: boolean;
}

export interface GithubComment {
  id: number;
  user: number | null;
  body: string;
  createdAt: Date;
  updatedAt: Date;
  minimizedReason: string | null;
  /** The replies to a comment of a discussion. */
  replies: GithubComment[];
}

export interface GithubReview {
  id: number;
  user: number | null;
  state: 'APPROVED' | 'CHANGES_REQUESTED' | 'COMMENTED' | 'PENDING';
  body: string;
  submittedAt: Date;
}

export interface GithubReviewComment extends GithubComment {
  path: string;
  line: number | null;
  thread: number;
}

export interface GithubIssue {
  id: number;
  number: number;
  title: string;
  body: string | null;
  user: number | null;
  state: 'open' | 'closed';
  stateReason: string | null;
  labels: string[];
  comments: GithubComment[];
  createdAt: Date;
  updatedAt: Date;
  closedAt: Date | null;
  pull: { reviews: GithubReview[]; reviewComments: GithubReviewComment[]; mergedAt: Date | null } | null;
}

export interface GithubDiscussion {
  id: number;
  number: number;
  title: string;
  body: string;
  user: number | null;
  category: string;
  comments: GithubComment[];
  createdAt: Date;
  updatedAt: Date;
}

export interface GithubCommit {
  sha: string;
  tree: GithubTree;
}

/** The files of a commit: path → blob. */
export type GithubTree = { sha: string; files: Map<string, { sha: string; size: number; mode: string }> };

export interface GithubRepository {
  id: number;
  name: string;
  owner: GithubOrganization | GithubUser;
  visibility: 'public' | 'internal' | 'private';
  isArchived: boolean;
  hasDiscussions: boolean;
  hasWiki: boolean;
  defaultBranch: string;
  direct: Map<number, GithubRole>;
  teamGrants: Map<number, GithubRole>;
  issues: Map<number, GithubIssue>;
  /** Increases with every change of an issue. */
  issueVersion: number;
  /** Deleted and transferred issues, by number. */
  formerIssues: Map<number, { repository: number; number: number } | 'deleted'>;
  discussions: Map<number, GithubDiscussion>;
  nextNumber: number;
  files: Map<string, { sha: string; size: number; mode: string }>;
  head: GithubCommit | null;
  pushedAt: Date;
  updatedAt: Date;
}

export const isOrganization = (owner: GithubOrganization | GithubUser): owner is GithubOrganization => 'teams' in owner;

export const strongestRole = (roles: (GithubRole | undefined | null | 'none')[]): GithubRole | null =>
  roles.reduce<GithubRole | null>(
    (best, role) =>
      role && role !== 'none' && (!best || roleOrder.indexOf(role) > roleOrder.indexOf(best)) ? role : best,
    null,
  );

export const hasRole = (role: GithubRole | null, least: GithubRole): boolean =>
  role !== null && roleOrder.indexOf(role) >= roleOrder.indexOf(least);

export const gitHash = (type: 'blob' | 'tree' | 'commit', content: Buffer | string): string =>
  createHash('sha1')
    .update(`${type} ${Buffer.byteLength(content)}\0`)
    .update(content)
    .digest('hex');

/** GitHub's times have whole seconds. */
export const wholeSecond = (ms: number): Date => new Date(Math.floor(ms / 1000) * 1000);
