import { z } from 'zod';
import type { SourceClient } from '../source-kit/source-client.js';
import { isSourceFault, SourceRequestError } from '../source-kit/source-request.error.js';
import { securityScheme, siteClock } from './jira-schemas.js';

/* Requests that Jira Cloud and Jira Data Center have in common. `rest` and `api` are those of `JiraClient`. */

interface JiraRest {
  rest: SourceClient;
  api: string;
}
export type JiraSecurityScheme = z.infer<typeof securityScheme>;

export const unreadableAnswer = (message: string) => new SourceRequestError('unreadable', message, null, true);

export async function readServerTime({ rest, api }: JiraRest): Promise<number> {
  const time = Date.parse((await rest.get(`${api}/serverInfo`, siteClock)).serverTime);
  if (Number.isNaN(time)) throw unreadableAnswer('Jira returned no valid server time.');
  return time;
}

/** Null: the project has no security levels. */
export function readSecurityScheme({ rest, api }: JiraRest, projectId: string): Promise<JiraSecurityScheme | null> {
  const path = `${api}/project/${encodeURIComponent(projectId)}/issuesecuritylevelscheme`;
  return rest.get(path, securityScheme).catch((error: unknown) => {
    if (isSourceFault(error, 'missing')) return null;
    throw error;
  });
}

/** All comments of an issue in the order of their creation. */
export async function* readComments<Comment>(
  { rest, api }: JiraRest,
  issueId: string,
  comment: z.ZodType<Comment>,
  query: { maxResults: number; expand?: string },
): AsyncGenerator<Comment[]> {
  const schema = z.object({ comments: z.array(comment), total: z.number() });
  const path = `${api}/issue/${encodeURIComponent(issueId)}/comment`;
  for (let startAt = 0; ;) {
    const { comments, total } = await rest.get(path, schema, { ...query, startAt, orderBy: 'created' });
    yield comments;
    startAt += comments.length;
    if (startAt >= total) return;
    if (!comments.length) throw unreadableAnswer('Jira ended a list of comments before its last page.');
  }
}
