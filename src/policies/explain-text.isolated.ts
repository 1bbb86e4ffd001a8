import { explainByText, type ExplainedVerdict, type TextExplanation } from './explain-text.js';

export const run = (explanation: TextExplanation): ExplainedVerdict => explainByText(explanation);
