import { redirect, type RouteObject } from 'react-router';

export const spend: RouteObject[] = [
  {
    path: 'spend',
    children: [
      { index: true, loader: () => redirect('/spend/overview') },
      {
        lazy: () => import('./reports.tsx'),
        children: [
          { path: 'overview', lazy: () => import('./overview.tsx') },
          { path: 'people', lazy: () => import('./people.tsx') },
          { path: 'people/:id', lazy: () => import('./person-usage.tsx') },
          { path: 'groups', lazy: () => import('./groups.tsx') },
          { path: 'cost-centres', lazy: () => import('./cost-centres.tsx') },
          { path: 'models', lazy: () => import('./models.tsx') },
          { path: 'changes', lazy: () => import('./changes.tsx') },
          { path: 'seats', lazy: () => import('./seats.tsx') },
          { path: 'budgets', lazy: () => import('./budgets.tsx') },
          { path: 'coverage', lazy: () => import('./coverage.tsx') },
          { path: 'export', lazy: () => import('./export.tsx') },
        ],
      },
      {
        lazy: () => import('./setup.tsx'),
        children: [
          { path: 'identities', lazy: () => import('./identities.tsx') },
          { path: 'directory', lazy: () => import('./directory.tsx') },
          { path: 'directory/:id', lazy: () => import('./person.tsx') },
          { path: 'units', lazy: () => import('./units.tsx') },
          { path: 'lists', lazy: () => import('./lists.tsx') },
          { path: 'privacy', lazy: () => import('./privacy.tsx') },
        ],
      },
    ],
  },
];
