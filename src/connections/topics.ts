/** Wakes with the ids of connections that were changed, paused or removed. */
export const connectionsTopic = 'connections';

/** Wakes with what a connected system offers anew: see `catalogue-change.ts`. */
export const upstreamCatalogueTopic = 'upstream-catalogue';
