import { type PolicyReplay, replayCalls, type ReplayedChange } from './policy-replay.js';

export const run = (replay: PolicyReplay): ReplayedChange[] => replayCalls(replay);
