import type { Features } from './evidence.js';

/** Fitted by `npm run eval -- --calibrate`; docs/eval.md says how, on what, and why `known` stands where it does. */
const weights = { coverage: 3.75, sentence: 2.11, form: 1.12, bias: -5.74 };
const known = 0.4;

/** The probability, going by the calibration questions, that the passage holds the answer. */
export function confidence({ coverage, sentence, form }: Features): number {
  const sum = weights.bias + weights.coverage * coverage + weights.sentence * sentence + weights.form * form;
  return 1 / (1 + Math.exp(-sum));
}

/** Below the threshold nothing is answered. */
export const isKnown = (features: Features): boolean => confidence(features) >= known;
