import type { RouteObject } from 'react-router';

export const agents: RouteObject[] = [];
