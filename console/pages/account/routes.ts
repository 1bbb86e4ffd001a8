import type { RouteObject } from 'react-router';

export const account: RouteObject[] = [{ path: 'account', lazy: () => import('./account.tsx') }];
