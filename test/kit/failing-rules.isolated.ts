import {
  type FileEvaluation,
  type FileEvaluationInput,
  run as judge,
} from '../../src/estate/findings/evaluation/evaluate-files.isolated.js';

/** The rules for configuration files with a defect: they hang on servers with this name. */
export function run(files: FileEvaluationInput[]): FileEvaluation[] {
  for (const { file } of files) while (file.entries.some(({ name }) => name === 'endless')) Math.random();
  return judge(files);
}
