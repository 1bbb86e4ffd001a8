import { Alert, Button } from '@mantine/core';
import { IconUserEdit } from '@tabler/icons-react';
import { useState } from 'react';

interface Versioned {
  /** Changes with every update. */
  version: string;
}

/**
 * The values that a form started with. They stay while somebody types, whatever others save. `see` restarts the form from
 * the result of one's own update, or from the values that others have saved.
 */
export function useFormBaseline<T extends Versioned>(current: T) {
  const [{ seen, then }, set] = useState({ seen: current, then: current.version });
  return {
    seen,
    see: (next: T) => set({ seen: next, then: current.version }),
    // right after one's own update, `current` is the older one
    isOutdated: ![seen.version, then].includes(current.version),
  };
}

/** Shown in an open form after somebody else has saved the same object. */
export const ConflictNotice = ({ onCatchUp }: { onCatchUp(): void }) => (
  <Alert
    color="yellow"
    variant="light"
    icon={<IconUserEdit aria-hidden />}
    title="Somebody else saved changes"
    role="status"
    mb="md"
  >
    This form shows the values from when you opened it.
    <Button size="compact-sm" variant="default" ml="sm" onClick={onCatchUp}>
      Load latest version
    </Button>
  </Alert>
);
