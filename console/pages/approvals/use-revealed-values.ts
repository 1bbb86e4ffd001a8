import { useMemo, useState } from 'react';
import { flattenArguments, type ArgumentValue } from '../../../src/console/flatten-arguments.ts';
import { isGuessedSecret } from '../../../src/gate/guessed-secret.ts';

export interface RevealableValue extends ArgumentValue {
  /** Why the value is not shown yet. */
  hiddenReason: 'collapsed' | 'hidden' | null;
}

export interface RevealedValues {
  values: RevealableValue[];
  /** How many values are not shown yet. */
  hiddenCount: number;
  reveal(path: string): void;
  revealAll(): void;
}

/**
 * The values of one call, exactly as they will be sent. Long values and likely secrets stay hidden until a person reveals
 * them. `canonical` null: they cannot be decrypted.
 */
export function useRevealedValues(canonical: string | null): RevealedValues {
  const shown = useMemo(() => (canonical === null ? [] : flattenArguments(JSON.parse(canonical))), [canonical]);
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const values = shown.map((value) => ({
    ...value,
    hiddenReason: opened.has(value.path) ? null : hiddenReasonOf(value),
  }));
  return {
    values,
    hiddenCount: values.filter(({ hiddenReason }) => hiddenReason).length,
    reveal: (path) => setOpened((before) => new Set([...before, path])),
    revealAll: () => setOpened(new Set(shown.map(({ path }) => path))),
  };
}

function hiddenReasonOf({ path, kind, isLong }: ArgumentValue): RevealableValue['hiddenReason'] {
  const isScalar = kind === 'text' || kind === 'number';
  if (isScalar && isGuessedSecret(path)) return 'hidden';
  return isLong ? 'collapsed' : null;
}
