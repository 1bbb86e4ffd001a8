import { readFileSync } from 'node:fs';

export interface AnswerableQuestion {
  question: string;
  /** Parts of the title or address of the documents that hold the answer. */
  sources: string[];
  /** A quotation supports the answer when it holds one of these, word for word. */
  facts: string[];
}

export interface Questions {
  answerable: AnswerableQuestion[];
  unanswerable: string[];
}

export interface Instruction {
  text?: string;
  data?: unknown;
  /** What has to reach the workplace; reads are not counted. */
  writes: { tool: string; arguments: unknown }[];
  ends: 'completed' | 'input-required' | 'failed';
}

const read = <T>(name: string) => JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8')) as T;

export const questions = () => read<Questions>('questions.json');
export const calibrationQuestions = () => read<Questions>('calibration.json');
export const instructions = () => read<Instruction[]>('instructions.json');
