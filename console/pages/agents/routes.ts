import { redirect, type RouteObject } from 'react-router';

export const agents: RouteObject[] = [
  {
    path: 'agents',
    children: [
      { index: true, loader: () => redirect('/agents/capabilities') },
      {
        path: 'capabilities',
        lazy: () => import('./capabilities.tsx'),
        children: [
          { index: true, loader: () => redirect('/agents/capabilities/configurations') },
          { path: 'configurations', lazy: () => import('./configurations.tsx') },
          { path: 'approval-steps', lazy: () => import('./approval-steps.tsx') },
        ],
      },
      { path: 'capabilities/configurations/new', lazy: () => import('./new-configuration.tsx') },
      {
        path: 'capabilities/configurations/:id',
        lazy: () => import('./configuration.tsx'),
        children: [
          { index: true, lazy: () => import('./overview.tsx') },
          { path: 'overview', lazy: () => import('./overview.tsx') },
          { path: 'integrations', lazy: () => import('./integrations.tsx') },
          { path: 'policy', lazy: () => import('./policy/policy.tsx') },
          { path: 'a2a', lazy: () => import('./a2a/a2a.tsx') },
          { path: 'mcp', lazy: () => import('./mcp.tsx') },
          { path: 'activity', lazy: () => import('./activity.tsx') },
        ],
      },
    ],
  },
];
