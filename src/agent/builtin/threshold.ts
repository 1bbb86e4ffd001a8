import type { Features } from './evidence.js';

/** Below `known` nothing is answered. Fitted by `npm run eval -- --calibrate`; docs/eval.md says how and on what. */
export const calibration = { coverage: 3, sentence: 3, form: 1, bias: -4.5, known: 0.5 };

/** The probability, by the calibration questions, that the passage holds the answer. */
export function confidence({ coverage, sentence, form }: Features): number {
  const { bias, ...weights } = calibration;
  const sum = bias + weights.coverage * coverage + weights.sentence * sentence + weights.form * form;
  return 1 / (1 + Math.exp(-sum));
}

export const isKnown = (features: Features) => confidence(features) >= calibration.known;
