import type { RouteObject } from 'react-router';

export const audit: RouteObject[] = [
  {
    path: 'audit',
    children: [
      { index: true, lazy: () => import('./log.tsx') },
      { path: ':id', lazy: () => import('./event.tsx') },
    ],
  },
];
