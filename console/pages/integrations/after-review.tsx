import { Alert, Button, Group } from '@mantine/core';
import { IconCircleCheck } from '@tabler/icons-react';
import { useEffect, useRef } from 'react';
import { Link } from 'react-router';
import { useQuery } from 'urql';
import { graphql } from '../../api/graphql.ts';

const query = graphql(`
  query ConfigurationsOfIntegration {
    configurations(first: 200) {
      nodes {
        id
        connections {
          id
        }
      }
    }
  }
`);

/** The next step after the last tool was confirmed. */
export function AfterReview({ connectionId }: { connectionId: string }) {
  const [{ data }] = useQuery({ query });
  const note = useRef<HTMLDivElement>(null);
  useEffect(() => note.current?.focus(), []);
  const configuration = data?.configurations.nodes.find(({ connections }) =>
    connections.some(({ id }) => id === connectionId),
  );
  return (
    <Alert
      ref={note}
      tabIndex={-1}
      role="status"
      mb="md"
      variant="light"
      icon={<IconCircleCheck aria-hidden />}
      title="All tools are reviewed"
    >
      <Group gap="sm">
        {configuration
          ? 'The configurations that use this integration apply their policies to the confirmed effects.'
          : 'Next, let agents and assistants use this integration through a configuration.'}
        <Button
          component={Link}
          variant={configuration ? 'default' : 'filled'}
          to={
            configuration
              ? `/agents/capabilities/configurations/${configuration.id}/policy`
              : `/agents/capabilities/configurations/new?integration=${connectionId}`
          }
        >
          {configuration ? 'View policy' : 'Create configuration'}
        </Button>
      </Group>
    </Alert>
  );
}
