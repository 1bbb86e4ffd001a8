import { redirect, type RouteObject } from 'react-router';

export const estate: RouteObject[] = [
  {
    path: 'estate',
    children: [
      { index: true, loader: () => redirect('/estate/overview') },
      {
        lazy: () => import('./estate.tsx'),
        children: [
          { path: 'overview', lazy: () => import('./overview.tsx') },
          { path: 'findings', lazy: () => import('./findings.tsx') },
          { path: 'files', lazy: () => import('./files.tsx') },
          { path: 'servers', lazy: () => import('./servers.tsx') },
          { path: 'approved', lazy: () => import('./approved.tsx') },
          { path: 'sources', lazy: () => import('./sources.tsx') },
          { path: 'rules', lazy: () => import('./rules.tsx') },
        ],
      },
      { path: 'findings/:id', lazy: () => import('./finding.tsx') },
      { path: 'files/:id', lazy: () => import('./file.tsx') },
      { path: 'servers/:id', lazy: () => import('./server.tsx') },
      { path: 'sources/:id', lazy: () => import('./source.tsx') },
    ],
  },
];
