import type { RouteObject } from 'react-router';

export const integrations: RouteObject[] = [];
