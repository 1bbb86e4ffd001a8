import { type PolicyComparison, verdictChanges, type VerdictChange } from './verdict-changes.js';

export const run = (comparison: PolicyComparison): VerdictChange[] => verdictChanges(comparison);
