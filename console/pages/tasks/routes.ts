import type { RouteObject } from 'react-router';

export const tasks: RouteObject[] = [
  {
    path: 'tasks',
    children: [
      { index: true, lazy: () => import('./list.tsx') },
      { path: ':id', lazy: () => import('./task.tsx') },
    ],
  },
];
