import { preparsePolicySet, preparseSchema } from '@cedar-policy/cedar-wasm/nodejs';
import type { CedarCache } from './policy-set.js';
import { SlotCache } from './slot-cache.js';

/** A cleared name denies everything: the policy set is empty, and no request conforms to the empty schema. */
const clearSet = (name: string) => void preparsePolicySet(name, { staticPolicies: {} });
const clearSchema = (name: string) => void preparseSchema(name, {});

export const createCedarCache = (most = { sets: 1024, plans: 4096 }): CedarCache => ({
  sets: new SlotCache({ count: most.sets, size: 8 * 1024 * 1024, clear: clearSet }),
  plans: new SlotCache({ count: most.plans, size: Number.POSITIVE_INFINITY, clear: clearSchema }),
});
