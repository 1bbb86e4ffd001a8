import type { RouteObject } from 'react-router';

export const welcome: RouteObject[] = [];
