import { expect } from 'vitest';
import type { ConnectionContext } from '../../src/connections/connector-registry.service.js';
import {
  type DocumentsContext,
  maxProgressLength,
  type SourceQuota,
} from '../../src/connections/knowledge-source.port.js';
import type { JsonObject } from '../../src/platform/json/strict-json.js';

export interface RecordedPass {
  skipped: { externalId: string; reason: string }[];
  checkpoints: JsonObject[];
  cursor: JsonObject | null;
  quotas: SourceQuota[];
  expected: number | null;
}

/** The context of a pass over the documents of a source, which records what the connector reports. */
export function documentsContext<C extends ConnectionContext>(
  context: C,
  progress: JsonObject | null = null,
  cursor: JsonObject | null = null,
): { documents: C & DocumentsContext; pass: RecordedPass } {
  const pass: RecordedPass = { skipped: [], checkpoints: [], cursor: null, quotas: [], expected: null };
  const documents = {
    cursor,
    ...context,
    progress,
    skipped: (externalId: string, reason: string) => void pass.skipped.push({ externalId, reason }),
    checkpoint: async (reached: JsonObject) => {
      expect(JSON.stringify(reached).length).toBeLessThanOrEqual(maxProgressLength);
      pass.checkpoints.push(reached);
    },
    setCursor: (cursor: JsonObject) => void (pass.cursor = cursor),
    expects: (count: number) => void (pass.expected = count),
    quota: (status: SourceQuota) => void pass.quotas.push(status),
  };
  return { documents, pass };
}
