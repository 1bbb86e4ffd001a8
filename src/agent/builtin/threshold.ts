import type { Features } from './evidence.js';

/** Fitted by `npm run eval -- --calibrate`. See docs/eval.md for the method, the data and the threshold. */
const weights = { coverage: 3.25, quoted: 2.76, form: 1.56, bias: -6.27 };
const confidenceThreshold = 0.4;

/** The probability that the passage has the answer, based on the calibration questions. */
export function confidence({ coverage, quoted, form }: Features): number {
  const sum = weights.bias + weights.coverage * coverage + weights.quoted * quoted + weights.form * form;
  return 1 / (1 + Math.exp(-sum));
}

/** Below the threshold, the model does not answer. */
export const isConfident = (features: Features): boolean => confidence(features) >= confidenceThreshold;
