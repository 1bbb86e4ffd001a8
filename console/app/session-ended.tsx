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

/** Over whatever is on the screen when the session is over; it stays as it is until the same person is back. */
export function SessionEnded({ memberId }: { memberId: string }) {
  const hasEnded = useSyncExternalStore(session.subscribe, session.hasEnded);
  useEffect(() => {
    if (!hasEnded) return;
    const look = async () => {
      const id = await signedInAs().catch(() => null); // the server is away: the next look finds out
      if (id === memberId) session.isBack();
      // somebody else's page must not be sent in one's own name
      else if (id) location.reload();
    };
    window.addEventListener('focus', look);
    const timer = setInterval(look, 3000);
    return () => {
      window.removeEventListener('focus', look);
      clearInterval(timer);
    };
  }, [hasEnded, memberId]);
  return (
    <Modal opened={hasEnded} onClose={() => {}} withCloseButton={false} title="Your session has ended">
      <Stack>
        <Text size="sm">
          Nothing that you typed is lost. Sign in again in another tab; this page goes on by itself where it was.
        </Text>
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
