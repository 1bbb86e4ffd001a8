import type { RouteObject } from 'react-router';

export const knowledge: RouteObject[] = [
  { path: 'knowledge', lazy: () => import('./sources.tsx') },
  { path: 'knowledge/search', lazy: () => import('./search.tsx') },
  { path: 'knowledge/:id', lazy: () => import('./source.tsx') },
  { path: 'knowledge/:id/accounts', lazy: () => import('./source-accounts.tsx') },
  { path: 'knowledge/:id/documents/:documentId', lazy: () => import('./document.tsx') },
];
