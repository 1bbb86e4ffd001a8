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

/** Revocation is permanent, so the name has to be typed. */
export function Revoke({ what, name, problem, isSending, onRevoke }: Props) {
  const [isConfirming, setConfirming] = useState(false);
  return (
    <>
      <Button
        size="compact-sm"
        variant="default"
        aria-label={`Revoke ${what} ${visible(name)}`}
        onClick={() => setConfirming(true)}
      >
        Revoke
      </Button>
      <Confirm
        opened={isConfirming}
        onClose={() => setConfirming(false)}
        title={`Revoke ${what}?`}
        verb={`Revoke ${what}`}
        name={visible(name)}
        problem={problem}
        isSending={isSending}
        onConfirm={() => void onRevoke().then((done) => done && setConfirming(false))}
      >
        <Text size="sm">
          Requests with <Untrusted text={name} /> are rejected immediately. You can’t undo this.
        </Text>
      </Confirm>
    </>
  );
}
