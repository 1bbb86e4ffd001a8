import type { RouteObject } from 'react-router';

export const integrations: RouteObject[] = [
  { path: 'integrations', lazy: () => import('./list.tsx') },
  { path: 'integrations/new', lazy: () => import('./connector-list.tsx') },
  { path: 'integrations/new/:kind', lazy: () => import('./new.tsx') },
  { path: 'integrations/:id/tools/:toolId', lazy: () => import('./tool.tsx') },
  {
    path: 'integrations/:id',
    lazy: () => import('./integration.tsx'),
    children: [
      { index: true, lazy: () => import('./overview.tsx') },
      { path: 'overview', lazy: () => import('./overview.tsx') },
      { path: 'settings', lazy: () => import('./settings.tsx') },
      { path: 'tools', lazy: () => import('./tools.tsx') },
      { path: 'accounts', lazy: () => import('./accounts.tsx') },
      { path: 'sync', lazy: () => import('./sync.tsx') },
    ],
  },
];
