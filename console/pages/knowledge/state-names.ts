/** States of a source. */
export const stateNames = {
  pushed: 'Uploaded by your programs',
  waiting: 'Waiting for first sync',
  running: 'Syncing',
  complete: 'Up to date',
  failed: 'Sync failed',
  limited: 'Waiting for the source',
};

export const kindNames = { code: 'Code', ticket: 'Ticket', doc: 'Document', message: 'Message' };
