import { Button, Text } from '@mantine/core';
import { useState } from 'react';
import type { Problem } from '../../../api/problem.ts';
import { Confirm } from '../../../kit/confirm.tsx';
import { Untrusted } from '../../../kit/untrusted.tsx';
import { visible } from '../../../kit/visible.ts';

interface Props {
  /** "key" */
  what: string;
  name: string;
  problem: Problem | null;
  isSending: boolean;
  onRevoke(): Promise<unknown>;
}

/** A credential cannot be had back: so its name is typed first. */
export function Revoke({ what, name, problem, isSending, onRevoke }: Props) {
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <Button
        size="compact-sm"
        variant="default"
        aria-label={`Revoke the ${what} ${visible(name)}`}
        onClick={() => setAsking(true)}
      >
        Revoke
      </Button>
      <Confirm
        opened={isAsking}
        onClose={() => setAsking(false)}
        title={`Revoke this ${what}?`}
        verb={`Revoke ${what}`}
        name={visible(name)}
        problem={problem}
        isSending={isSending}
        onConfirm={() => void onRevoke().then((done) => done && setAsking(false))}
      >
        <Text size="sm">
          Whatever uses <Untrusted text={name} /> is refused from its next request on, for good.
        </Text>
      </Confirm>
    </>
  );
}
