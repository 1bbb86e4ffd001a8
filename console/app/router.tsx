import { createBrowserRouter, type RouteObject } from 'react-router';
import { account } from '../pages/account/routes.ts';
import { agents } from '../pages/agents/routes.ts';
import { approvals } from '../pages/approvals/routes.ts';
import { audit } from '../pages/audit/routes.ts';
import { calls } from '../pages/calls/routes.ts';
import { estate } from '../pages/estate/routes.ts';
import { integrations } from '../pages/integrations/routes.ts';
import { knowledge } from '../pages/knowledge/routes.ts';
import { organization } from '../pages/organization/routes.ts';
import { reports } from '../pages/reports/routes.ts';
import { spend } from '../pages/spend/routes.ts';
import { tasks } from '../pages/tasks/routes.ts';
import { welcome } from '../pages/welcome/routes.ts';
import { ErrorPage } from './error-page.tsx';
import { Shell } from './shell.tsx';

const areas: RouteObject[] = [
  welcome,
  approvals,
  tasks,
  calls,
  agents,
  integrations,
  knowledge,
  spend,
  estate,
  audit,
  reports,
  organization,
  account,
].flat();

export const router = createBrowserRouter(
  [
    {
      path: '/',
      Component: Shell,
      HydrateFallback: () => null,
      ErrorBoundary: ErrorPage,
      children: [
        {
          ErrorBoundary: ErrorPage,
          children: [
            { index: true, lazy: () => import('../pages/home/home.tsx') },
            ...areas,
            { path: '*', lazy: () => import('../kit/nothing-here.tsx') },
          ],
        },
      ],
    },
  ],
  { basename: '/console' },
);
