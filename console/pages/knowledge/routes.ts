import type { RouteObject } from 'react-router';

export const knowledge: RouteObject[] = [];
