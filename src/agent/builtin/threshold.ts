import type { Features } from './evidence.js';

/** Fitted by `npm run eval -- --calibrate`; docs/eval.md says how, on what, and why `known` stands where it does. */
const weights = { coverage: 3.25, quoted: 2.76, form: 1.56, bias: -6.27 };
const confidenceThreshold = 0.4;

/** The probability, going by the calibration questions, that the passage holds the answer. */
export function confidence({ coverage, quoted, form }: Features): number {
  const sum = weights.bias + weights.coverage * coverage + weights.quoted * quoted + weights.form * form;
  return 1 / (1 + Math.exp(-sum));
}

/** Below the threshold nothing is answered. */
export const isConfident = (features: Features): boolean => confidence(features) >= confidenceThreshold;
