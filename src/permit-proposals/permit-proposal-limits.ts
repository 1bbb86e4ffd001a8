/** The last closed approvals of a configuration, in which identical ones are searched. */
export const consideredApprovals = 2000;
/** Of one configuration at the same time. */
export const maxProposals = 50;
