/** Published with the ids of connections that were changed, paused or removed. */
export const connectionsTopic = 'connections';

/** Published when the catalog of a connected system changes: see `catalogue-change.port.ts`. */
export const upstreamCatalogueTopic = 'upstream-catalogue';
