import { z } from 'zod';
import type { ConnectionContext, Verification } from '../../connections/connector-registry.service.js';
import { selectedIds } from '../source-kit/selected-containers.js';
import { isSourceFault } from '../source-kit/source-request.error.js';
import { GitlabApi } from './gitlab-api.js';
import { canReadGitlabProject, findGitlabProject, listGitlabProjects, type GitlabProject } from './gitlab-projects.js';

const tokenInfo = z.object({ scopes: z.array(z.string()), expires_at: z.string().nullish() });
/** Verification must finish within 20 s. */
const maxChecked = 20;
const warningDays = 14;

export async function verifyGitlab(context: ConnectionContext): Promise<Verification> {
  const { settings } = context;
  const api = new GitlabApi(context, { isInteractive: true });
  const token = await findToken(api);
  if (token && !token.scopes.some((scope) => scope === 'api' || scope === 'read_api'))
    return failed('The token needs the scope read_api. Scopes cannot be added: create a new token.');
  const { lacksAdminMode } = await api.whoAmI();
  const ids = selectedIds(settings);
  const missing: number[] = [];
  const projects: GitlabProject[] = [];
  if (ids)
    for (const id of ids.slice(0, maxChecked)) {
      const found = await findGitlabProject(api, id);
      if (found) projects.push(found);
      else missing.push(id);
    }
  else projects.push(...(await listGitlabProjects(api)));
  if (missing.length)
    return failed(`The token cannot read the projects with the ids ${missing.join(', ')}, or they were deleted.`);
  if (!projects.length)
    return failed(
      'The token cannot read any project. Create it in a project or group, or add its owner as a Reporter.',
    );
  const closed: string[] = [];
  for (const project of projects.slice(0, maxChecked))
    if (!(await canReadGitlabProject(api, project))) closed.push(project.path_with_namespace);
  if (closed.length)
    return {
      status: 'limited',
      reason: `The token needs the role Reporter to read these projects. Until then, they are left out: ${closed.slice(0, 5).join(', ')}${closed.length > 5 ? ' and more' : ''}.`,
    };
  const notes = [
    ...(lacksAdminMode ? ['To use the rights of an administrator, the token needs the scope admin_mode.'] : []),
    ...(token ? notesOn(token) : []),
  ];
  return { status: 'connected', ...(notes.length && { reason: notes.join(' ') }) };
}

const failed = (reason: string): Verification => ({ status: 'failed', reason });

/** Null if the server is too old to describe its tokens. */
async function findToken(api: GitlabApi): Promise<z.output<typeof tokenInfo> | null> {
  try {
    return await api.rest.get('/personal_access_tokens/self', tokenInfo);
  } catch (error) {
    if (isSourceFault(error, 'missing')) return null;
    throw error;
  }
}

function notesOn({ scopes, expires_at: end }: z.output<typeof tokenInfo>): string[] {
  const isEnding = end && Date.parse(end) - Date.now() < warningDays * 86_400_000;
  return [
    ...(isEnding ? [`The token expires on ${end.slice(0, 10)}.`] : []),
    ...(scopes.includes('api') ? [] : ['The token can only read: tools that write need the scope api.']),
  ];
}
