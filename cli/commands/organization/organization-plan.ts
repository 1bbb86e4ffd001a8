import type { DocumentFieldChange } from '../../../src/organization/document-diff.js';
import type { ObjectKind } from '../../../src/organization/documents.js';

export interface PlanOptions {
  prune?: boolean;
  replaceSecrets?: boolean;
  detailedExitCode?: boolean;
  /** Only documents of these kinds. */
  kinds?: readonly ObjectKind[];
}
export interface ApplyOptions extends PlanOptions {
  yes?: true;
}

/** The answer of the server. */
export interface PlanAnswer {
  hash: string;
  changes: {
    action: 'create' | 'update' | 'delete';
    kind: ObjectKind;
    name: string;
    fields: DocumentFieldChange[];
    secrets: { secret: string; environment: string }[];
    needsSession: boolean;
  }[];
  unchanged: number;
  unmanaged: { kind: ObjectKind; name: string }[];
}

export const planFields =
  'hash changes { action kind name fields secrets { secret environment } needsSession } unchanged unmanaged { kind name }';
