import { z } from 'zod';

const text = z.string().nullish();
const named = z.object({ name: z.string().nullish() }).nullish();
const idOnly = z.object({ id: z.string() });
const pageInfo = z.object({ hasNextPage: z.boolean(), endCursor: z.string().nullish() });

export const linearPage = <T extends z.ZodType>(node: T) => z.object({ nodes: z.array(node), pageInfo });

export interface LinearSharing {
  id: string;
  team: { id: string };
  inheritsSharedAccess: boolean;
  sharedAccess: { isShared: boolean };
  parent?: LinearSharing | null;
}
const sharingFields = {
  id: z.string(),
  team: idOnly,
  inheritsSharedAccess: z.boolean(),
  sharedAccess: z.object({ isShared: z.boolean() }),
};
const sharing: z.ZodType<LinearSharing> = z.lazy(() => z.object({ ...sharingFields, parent: sharing.nullish() }));

export const linearEntry = z.object({
  id: z.string(),
  body: z.string(),
  createdAt: z.string(),
  user: named,
  botActor: named.optional(),
});
export type LinearEntry = z.infer<typeof linearEntry>;

export const linearIssue = z.object({
  ...sharingFields,
  parent: sharing.nullish(),
  identifier: z.string(),
  title: z.string(),
  description: text,
  url: z.string(),
  updatedAt: z.string(),
  archivedAt: text,
  trashed: z.boolean().nullish(),
  priorityLabel: text,
  state: named,
  creator: named,
  assignee: named,
  project: named,
  labels: z.object({ nodes: z.array(z.object({ name: z.string() })) }),
  comments: linearPage(linearEntry),
});
export type LinearIssue = z.infer<typeof linearIssue>;

const projectTeams = { id: z.string(), name: z.string(), teams: linearPage(idOnly) };
export const linearProjectTeams = z.object({ ...projectTeams, url: text });
export type LinearProjectTeams = z.infer<typeof linearProjectTeams>;

export const linearProject = z.object({
  ...projectTeams,
  description: text,
  content: text,
  url: z.string(),
  updatedAt: z.string(),
  archivedAt: text,
  trashed: z.boolean().nullish(),
  status: named,
  lead: named,
  projectUpdates: linearPage(linearEntry),
});
export type LinearProject = z.infer<typeof linearProject>;

export const linearDocument = z.object({
  id: z.string(),
  title: z.string(),
  content: text,
  url: z.string(),
  updatedAt: z.string(),
  archivedAt: text,
  trashed: z.boolean().nullish(),
  creator: named,
  team: idOnly.nullish(),
  issue: z.object({ ...sharingFields, parent: sharing.nullish() }).nullish(),
  project: z.object(projectTeams).nullish(),
});
export type LinearDocument = z.infer<typeof linearDocument>;

export const linearTeam = z.object({
  id: z.string(),
  key: z.string(),
  name: z.string(),
  visibility: z.string().catch('unknown'),
  parent: idOnly.nullish(),
});
export type LinearTeam = z.infer<typeof linearTeam>;

export const linearUser = z.object({
  id: z.string(),
  name: z.string(),
  email: text,
  active: z.boolean(),
  guest: z.boolean(),
  app: z.boolean(),
});

export const linearSharedIssue = z.object({
  ...sharingFields,
  parent: sharing.nullish(),
  identifier: z.string(),
  title: z.string(),
  url: z.string(),
  sharedAccess: z.object({ isShared: z.boolean(), sharedWithUsers: z.array(idOnly) }),
});
export type LinearSharedIssue = z.infer<typeof linearSharedIssue>;

export const linearId = idOnly;
export const changedComment = z.object({ id: z.string(), issue: idOnly.nullish() });
export const changedUpdate = z.object({ id: z.string(), project: idOnly });
