import type { RouteObject } from 'react-router';

export const approvals: RouteObject[] = [];
