import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { IconExternalLink } from '@tabler/icons-react';
import { useEffect, useSyncExternalStore } from 'react';
import { session } from '../api/session.ts';

const whoQuery = JSON.stringify({ query: '{ me { member { id } } }' });

async function signedInAs(): Promise<string | null> {
  const response = await fetch('/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: whoQuery,
  });
  const { data } = (await response.json()) as { data?: { me: { member: { id: string } } } | null };
  return data?.me.member.id ?? null;
}

/** Covers the page after the session has ended, and leaves it unchanged until the same person has signed in. */
export function SessionEnded({ memberId }: { memberId: string }) {
  const hasEnded = useSyncExternalStore(session.subscribe, session.hasEnded);
  useEffect(() => {
    if (!hasEnded) return;
    const check = async () => {
      const id = await signedInAs().catch(() => null); // the server is unreachable: the next check tries again
      if (id === memberId) session.resume();
      // the form of one person must not be sent as another
      else if (id) location.reload();
    };
    window.addEventListener('focus', check);
    const timer = setInterval(check, 3000);
    return () => {
      window.removeEventListener('focus', check);
      clearInterval(timer);
    };
  }, [hasEnded, memberId]);
  return (
    <Modal opened={hasEnded} onClose={() => {}} withCloseButton={false} title="Your session has ended">
      <Stack>
        <Text size="sm">Your input is still here. Sign in again in another tab, then continue on this page.</Text>
        <Group justify="flex-end">
          <Button
            component="a"
            href="/sign-in?next=/account"
            target="_blank"
            rightSection={<IconExternalLink size={16} aria-hidden />}
            data-autofocus
          >
            Sign in
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
