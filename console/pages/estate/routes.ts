import type { RouteObject } from 'react-router';

export const estate: RouteObject[] = [];
