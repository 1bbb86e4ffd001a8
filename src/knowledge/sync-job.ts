export const syncJob = 'knowledge.sync';
export const syncKey = (connectionId: string) => `${syncJob}:${connectionId}`;
