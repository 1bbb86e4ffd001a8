import { Alert, Button } from '@mantine/core';
import { IconUserEdit } from '@tabler/icons-react';
import { useState } from 'react';

interface Versioned {
  /** Another one after each change. */
  version: string;
}

/**
 * What a form began with: it stays while somebody types, whatever others do meanwhile. `see` begins anew, with the answer to
 * one's own change or with what others have made of it.
 */
export function useSeen<T extends Versioned>(current: T) {
  const [{ seen, then }, set] = useState({ seen: current, then: current.version });
  return {
    seen,
    see: (next: T) => set({ seen: next, then: current.version }),
    // right after one's own change, the page itself is the one that is behind
    isOutdated: ![seen.version, then].includes(current.version),
  };
}

/** Said to whoever has a form open that somebody else has just saved. */
export const ChangedMeanwhile = ({ onCatchUp }: { onCatchUp(): void }) => (
  <Alert
    color="yellow"
    variant="light"
    icon={<IconUserEdit aria-hidden />}
    title="Somebody else has changed this meanwhile"
    role="status"
    mb="md"
  >
    What you see is what it was when you opened it.
    <Button size="compact-sm" variant="default" ml="sm" onClick={onCatchUp}>
      Show what it is now
    </Button>
  </Alert>
);
