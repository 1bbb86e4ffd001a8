import { preparsePolicySet, preparseSchema } from '@cedar-policy/cedar-wasm/nodejs';
import type { CedarMemory } from './policy-set.js';
import { Slots } from './slots.js';

/** A name that is not in use denies: nothing is permitted by it, and no request conforms to its schema. */
const clearSet = (name: string) => void preparsePolicySet(name, { staticPolicies: {} });
const clearSchema = (name: string) => void preparseSchema(name, {});

export const cedarMemory = (most = { sets: 1024, plans: 4096 }): CedarMemory => ({
  sets: new Slots({ count: most.sets, size: 8 * 1024 * 1024, clear: clearSet }),
  plans: new Slots({ count: most.plans, size: Number.POSITIVE_INFINITY, clear: clearSchema }),
});
