import type { RouteObject } from 'react-router';

export const audit: RouteObject[] = [];
