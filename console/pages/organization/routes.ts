import type { RouteObject } from 'react-router';

export const organization: RouteObject[] = [];
