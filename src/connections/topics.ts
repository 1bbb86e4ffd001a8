/** Wakes with the ids of connections that were changed, paused or removed. */
export const connectionsTopic = 'connections';
