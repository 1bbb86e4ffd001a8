import type { RouteObject } from 'react-router';

export const calls: RouteObject[] = [{ path: 'calls/:id', lazy: () => import('./call.tsx') }];
