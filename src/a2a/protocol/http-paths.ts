import type { Request } from 'express';

/** The paths of an action such as `message:send`. Some clients encode the colon. */
export const actionPaths = (resource: string, action: string): string[] => [
  `${resource}\\:${action}`,
  `${resource}%3A${action}`,
];

/** In 1.0, every path may start with the tenant, which is the configuration. */
export const v1Path = 'a2a{/:tenant}';
export const v03Path = 'v1';

/** Express ignores case, a trailing slash and the difference between HEAD and GET. The protocol does not. */
export function isExactRoute({ method, path, params, route }: Request): boolean {
  const { path: pattern, methods } = route as { path: string; methods: Record<string, boolean> };
  if (!methods[method.toLowerCase()]) return false;
  const { configurationId, tenant = configurationId, taskId } = params;
  if (tenant !== configurationId || taskId?.includes('/')) return false;
  return decodeURIComponent(path).endsWith(fill(relativePattern(pattern), params));
}

const relativePattern = (pattern: string) =>
  [v1Path, v03Path].reduce((rest, start) => {
    const prefix = `/agents/:configurationId/${start}`;
    return rest.startsWith(prefix) ? rest.slice(prefix.length) : rest;
  }, pattern);

const fill = (pattern: string, params: Request['params']) =>
  pattern
    .replace('%3A', '\\:')
    .replace(/\\:|:(\w+)/g, (_, name?: string) => (name === undefined ? ':' : String(params[name])));
