import { Alert, Anchor, Button, Group } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { IconRocket } from '@tabler/icons-react';
import { Link } from 'react-router';
import { useMe } from '../../kit/me.tsx';
import type { HomeData } from './home-query.ts';

type SetupStage = 'setup' | 'first-task';

/**
 * What an administrator has yet to do. A recorded call counts as a first use as well: organizations that only connect
 * assistants never send a task.
 */
function setupStageOf({ connections, configurations, recent, anyCall }: HomeData): SetupStage | null {
  if (connections?.totalCount === 0 || configurations?.totalCount === 0) return 'setup';
  return configurations && anyCall && !recent.nodes.length && !anyCall.nodes.length ? 'first-task' : null;
}

/** The next step of the set-up, until it is done or dismissed in this browser. */
export function SetupPrompt({ of: data }: { of: HomeData }) {
  const { tenant } = useMe();
  const [dismissed, setDismissed] = useLocalStorage<SetupStage | null>({
    key: `setup-dismissed:${tenant.id}`,
    defaultValue: null,
    getInitialValueInEffect: false,
  });
  const stage = setupStageOf(data);
  if (!stage || stage === dismissed) return null;
  const { title, text, action } = prompts[stage];
  return (
    <Alert
      icon={<IconRocket aria-hidden />}
      title={title}
      mb="lg"
      withCloseButton
      closeButtonLabel="Dismiss"
      onClose={() => setDismissed(stage)}
    >
      <Group justify="space-between">
        <span>{text}</span>
        {action}
      </Group>
    </Alert>
  );
}

const prompts = {
  setup: {
    title: 'Finish setting up your organization',
    text: 'Add an integration and a configuration so that agents can send tasks. This takes a few minutes.',
    action: (
      <Button component={Link} to="/welcome">
        Continue setup
      </Button>
    ),
  },
  'first-task': {
    title: 'Send the first task',
    text: (
      <>
        Your configuration is ready. Send it a task, or{' '}
        <Anchor href="/assistants" inherit underline="always">
          connect an assistant
        </Anchor>
        .
      </>
    ),
    action: (
      <Button component={Link} to="/welcome/task">
        Send first task
      </Button>
    ),
  },
};
