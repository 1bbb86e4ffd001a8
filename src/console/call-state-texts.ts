/** What became of a call once it was approved, by its state in the ledger. */
export const callStateTexts = {
  requested: 'It is being looked at again.',
  awaiting_approval: 'Another step still waits for a decision.',
  approved: 'It is about to run.',
  executing: 'It runs now.',
  succeeded: 'It ran, once.',
  failed: 'It failed.',
  denied: 'It did not run.',
  unsettled: 'It may have happened or not. Somebody has to find out, and settle it.',
} as const;
