export const rosterJob = 'knowledge.roster';
export const rosterKey = (connectionId: string) => `${rosterJob}:${connectionId}`;
