import type { RouteObject } from 'react-router';

export const approvals: RouteObject[] = [
  {
    path: 'approvals',
    lazy: () => import('./inbox.tsx'),
    children: [{ path: ':id', lazy: () => import('./approval.tsx') }],
  },
];
