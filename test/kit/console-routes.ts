import { globSync } from 'node:fs';
import path from 'node:path';
import type { RouteObject } from 'react-router';
import type { PopulatedOrganization } from './populated-organization.js';

/** All routes of the console's router, for example "/tasks/:id". Includes new pages automatically. */
export async function consoleRoutes(): Promise<string[]> {
  const files = globSync('console/pages/*/routes.ts').toSorted();
  const areas = await Promise.all(files.map(routesIn));
  return ['/', ...new Set(areas.flat().flatMap((route) => pagesOf(route)))];
}

async function routesIn(file: string): Promise<RouteObject[]> {
  const exported = (await import(path.resolve(file))) as Record<string, RouteObject[]>;
  return Object.values(exported).flat();
}

/** The routes that show a page. A route with only a `loader` redirects. */
function pagesOf({ path: part, lazy, children }: RouteObject, above = ''): string[] {
  const here = part ? `${above}/${part}` : above;
  if (children) return children.flatMap((child) => pagesOf(child, here));
  return lazy ? [here] : [];
}

/** The parameter values for each route with a parameter, and for the routes below it. */
const detailAddresses: Record<
  string,
  (ids: PopulatedOrganization['ids'], fixture: PopulatedOrganization['fixture']) => string[]
> = {
  '/agents/capabilities/configurations/:id': (_, { configurationId }) => [
    `/agents/capabilities/configurations/${configurationId}`,
  ],
  '/approvals/:id': ({ pending, decided }) => [`/approvals/${pending}`, `/approvals/${decided}`],
  '/audit/:id': ({ event, eventWithLink }) => [`/audit/${event}`, `/audit/${eventWithLink}`],
  '/calls/:id': ({ call }) => [`/calls/${call}`],
  '/estate/files/:id': ({ file }) => [`/estate/files/${file}`],
  '/estate/findings/:id': ({ finding }) => [`/estate/findings/${finding}`],
  '/estate/servers/:id': ({ server }) => [`/estate/servers/${server}`],
  '/estate/sources/:id': ({ source }) => [`/estate/sources/${source}`],
  '/integrations/new/:kind': () => ['mcp', 'folder', 'cursor'].map((kind) => `/integrations/new/${kind}`),
  '/integrations/:id': (_, { connectionId }) => [`/integrations/${connectionId}`],
  '/integrations/:id/tools/:toolId': ({ tool }, { connectionId }) => [`/integrations/${connectionId}/tools/${tool}`],
  '/knowledge/:id': ({ folder }) => [`/knowledge/${folder}`],
  '/knowledge/:id/accounts': ({ folder }) => [`/knowledge/${folder}/accounts`],
  '/knowledge/:id/documents/:documentId': ({ folder, document }) => [`/knowledge/${folder}/documents/${document}`],
  '/organization/developer-access/:id': ({ client }) => [`/organization/developer-access/${client}`],
  '/organization/groups/:id': ({ group }) => [`/organization/groups/${group}`],
  '/organization/members/:id': ({ member }) => [`/organization/members/${member}`],
  '/organization/proposed-changes/:id': ({ change }) => [`/organization/proposed-changes/${change}`],
  '/organization/sign-in/:id': ({ provider }) => [`/organization/sign-in/${provider}`],
  '/spend/directory/:id': ({ person }) => [`/spend/directory/${person}`],
  '/spend/people/:id': ({ person }) => [`/spend/people/${person}?period=own&from=2026-03-01&to=2026-03-31`],
  '/tasks/:id': ({ answered, waiting }) => [`/tasks/${answered}`, `/tasks/${waiting}`],
};

/** The addresses of a route's pages in a populated organization. */
export function addressesOf(route: string, { ids, fixture }: PopulatedOrganization): string[] {
  if (!route.includes(':')) return [route];
  const [detail] = Object.keys(detailAddresses)
    .filter((known) => route === known || route.startsWith(`${known}/`))
    .toSorted((one, other) => other.length - one.length);
  const below = route.slice(detail?.length);
  if (!detail || below.includes(':')) throw new Error(`Say in "details" where a page of ${route} is found.`);
  return detailAddresses[detail](ids, fixture).map((address) => address + below);
}
