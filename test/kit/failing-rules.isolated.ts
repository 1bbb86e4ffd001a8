import {
  type FileEvaluation,
  type FileEvaluationInput,
  run as judge,
} from '../../src/estate/findings/evaluation/evaluate-files.isolated.js';

/** The rules for configuration files, with a defect: they do not end with a server of this name. */
export function run(files: FileEvaluationInput[]): FileEvaluation[] {
  for (const { file } of files) while (file.entries.some(({ name }) => name === 'endless')) Math.random();
  return judge(files);
}
