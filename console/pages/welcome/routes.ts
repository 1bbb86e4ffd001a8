import type { RouteObject } from 'react-router';

export const welcome: RouteObject[] = [
  {
    path: 'welcome',
    lazy: () => import('./welcome.tsx'),
    children: [
      { index: true, lazy: () => import('./next.tsx') },
      { path: 'people', lazy: () => import('./people.tsx') },
      { path: 'integration', lazy: () => import('./integration.tsx') },
      { path: 'model', lazy: () => import('./model.tsx') },
      { path: 'configuration', lazy: () => import('./configuration.tsx') },
      { path: 'task', lazy: () => import('./task.tsx') },
    ],
  },
];
