import { Button } from '@mantine/core';
import { IconFilter } from '@tabler/icons-react';
import { type ReactNode, useId, useState } from 'react';
import './folded-filters.css';

interface Props {
  /** How many filters have a value. */
  activeCount: number;
  children: ReactNode;
}

/** On a phone, these filters are behind a button, so that the list or the figures come first. */
export function FoldedFilters({ activeCount, children }: Props) {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  return (
    <>
      <Button
        hiddenFrom="xs"
        variant="default"
        leftSection={<IconFilter size={16} aria-hidden />}
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
      >
        {activeCount ? `Filters (${activeCount})` : 'Filters'}
      </Button>
      <div id={id} className="folded-filters" data-open={isOpen || undefined}>
        {children}
      </div>
    </>
  );
}
