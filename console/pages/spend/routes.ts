import type { RouteObject } from 'react-router';

export const spend: RouteObject[] = [];
