/** The status of an approved call, by its state in the ledger. */
export const callStateTexts = {
  requested: 'The call is being evaluated again.',
  awaiting_approval: 'Another approval step is pending.',
  approved: 'The call is about to run.',
  executing: 'The call is running.',
  succeeded: 'The call ran once.',
  failed: 'The call failed.',
  denied: 'The call did not run.',
  unsettled: 'The outcome is unknown: the call may have run. Check the connected system, then resolve the outcome.',
} as const;
