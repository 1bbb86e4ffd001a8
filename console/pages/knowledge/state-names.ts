/** What is said of a source. */
export const stateNames = {
  pushed: 'Sent by your programs',
  waiting: 'Not read yet',
  running: 'Being read',
  complete: 'Up to date',
  failed: 'Broke off',
};

export const kindNames = { code: 'Code', ticket: 'Ticket', doc: 'Document', message: 'Message' };
