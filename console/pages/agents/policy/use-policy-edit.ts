import { useState } from 'react';
import type { Policy } from './policy-query.ts';

/** The version that an edit is based on: the published revision and the draft. */
export interface EditBase {
  text: string;
  revision: number;
  /** Of the draft; null: no draft. */
  savedAt: string | null;
}

export const editBaseOf = ({ current, draft }: Policy): EditBase => ({
  text: draft?.text ?? current?.text ?? '',
  revision: current?.revision ?? 0,
  savedAt: draft?.savedAt ?? null,
});

const isSame = (a: EditBase, b: EditBase) => a.revision === b.revision && a.savedAt === b.savedAt;

/**
 * The text in the editor. Updates by other people are applied automatically while there are no unsaved changes;
 * otherwise they are reported as a conflict and the unsaved text is kept.
 */
export function usePolicyEdit(policy: Policy) {
  const latest = editBaseOf(policy);
  const [base, setBase] = useState(latest);
  const [text, setText] = useState(latest.text);
  const [seen, setSeen] = useState(latest);
  const [hasNewer, setHasNewer] = useState(false);
  const isDirty = text !== base.text;
  const rebase = (next: EditBase) => {
    setBase(next);
    setHasNewer(false);
  };
  const reset = (next: EditBase) => {
    rebase(next);
    setText(next.text);
  };
  if (!isSame(seen, latest)) {
    setSeen(latest);
    if (!isSame(latest, base)) {
      if (isDirty) setHasNewer(true);
      else reset(latest);
    }
  }
  return {
    text,
    setText,
    base,
    isDirty,
    hasConflict: hasNewer && !isSame(latest, base),
    rebase,
    reset,
    latest,
  };
}

export type PolicyEdit = ReturnType<typeof usePolicyEdit>;
