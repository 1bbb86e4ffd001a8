import { redirect, type RouteObject } from 'react-router';

export const reports: RouteObject[] = [
  {
    path: 'reports',
    children: [
      { index: true, loader: () => redirect('/reports/approvals') },
      {
        lazy: () => import('./reports.tsx'),
        children: [
          { path: 'approvals', lazy: () => import('./approvals.tsx') },
          { path: 'policies', lazy: () => import('./policies.tsx') },
          { path: 'tools', lazy: () => import('./tools.tsx') },
        ],
      },
    ],
  },
];
