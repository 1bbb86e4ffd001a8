import { Anchor, Collapse } from '@mantine/core';
import { type ReactNode, useId, useState } from 'react';

interface Props {
  /** "Ranking details" */
  label: string;
  /** Label while open; default: `label`. */
  openLabel?: string;
  /** Open regardless of the button. */
  isForcedOpen?: boolean;
  children: ReactNode;
}

/** Content that is hidden until requested. */
export function Disclosure({ label, openLabel = label, isForcedOpen = false, children }: Props) {
  const [isExpanded, setExpanded] = useState(false);
  const isOpen = isExpanded || isForcedOpen;
  const id = useId();
  return (
    <div>
      <Anchor
        component="button"
        type="button"
        size="sm"
        ta="start"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setExpanded(!isExpanded)}
      >
        {isOpen ? openLabel : label}
      </Anchor>
      <Collapse expanded={isOpen} id={id}>
        {children}
      </Collapse>
    </div>
  );
}
