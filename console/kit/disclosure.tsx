import { Anchor, Collapse } from '@mantine/core';
import { type ReactNode, useId, useState } from 'react';

interface Props {
  /** What is behind it: "Why it ranks here". */
  label: string;
  /** Once it is open; the same where left out. */
  openLabel?: string;
  /** Whatever somebody has pressed. */
  isForcedOpen?: boolean;
  children: ReactNode;
}

/** What only some want to see. */
export function Disclosure({ label, openLabel = label, isForcedOpen = false, children }: Props) {
  const [isAsked, setAsked] = useState(false);
  const isOpen = isAsked || isForcedOpen;
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
        onClick={() => setAsked(!isAsked)}
      >
        {isOpen ? openLabel : label}
      </Anchor>
      <Collapse expanded={isOpen} id={id}>
        {children}
      </Collapse>
    </div>
  );
}
