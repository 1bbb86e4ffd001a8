import { Button, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconArrowUpRight } from '@tabler/icons-react';
import { useEffect } from 'react';
import { useQuery } from 'urql';
import { Empty } from '../../../kit/empty.tsx';
import { Loaded } from '../../../kit/loaded.tsx';
import { Page } from '../../../kit/page.tsx';
import { Section } from '../../../kit/section.tsx';
import { NewSecret } from '../keys/new-secret.tsx';
import { StreamForm } from './stream-form.tsx';
import { StreamRow } from './stream-row.tsx';
import { streamsQuery } from './streams-query.ts';

/** The progress of a stream is no change event. */
const refreshMs = 5000;

export function Component() {
  const [result, reload] = useQuery({ query: streamsQuery, requestPolicy: 'cache-and-network' });
  const [isAdding, adding] = useDisclosure();
  useEffect(() => {
    const timer = setInterval(() => reload({ requestPolicy: 'network-only' }), refreshMs);
    return () => clearInterval(timer);
  }, [reload]);
  const refetch = () => reload({ requestPolicy: 'network-only' });
  const button = <Button onClick={adding.open}>Add stream</Button>;
  return (
    <Page
      title="Audit streams"
      lead="Streams send the audit log to other systems as events are sealed. Every event arrives at least once and in order."
    >
      <Section title="Streams" actions={button}>
        <Loaded result={result} refetch={reload}>
          {({ auditStreams }) =>
            auditStreams.length ? (
              <Stack component="ul" gap="lg" m={0} p={0} style={{ listStyle: 'none' }} aria-label="Streams">
                {auditStreams.map((stream) => (
                  <StreamRow key={stream.id} stream={stream} onChanged={refetch} />
                ))}
              </Stack>
            ) : (
              <Empty icon={IconArrowUpRight} title="No streams yet">
                Add a collector for OpenTelemetry logs, a syslog server, or a webhook.
              </Empty>
            )
          }
        </Loaded>
      </Section>
      <NewSecret
        opened={isAdding}
        onClose={adding.close}
        title="Add stream"
        label="Signing secret"
        hint="The receiver verifies requests with this secret, as the Standard Webhooks libraries do."
      >
        {(show) => (
          <StreamForm
            onCreated={(secret) => {
              refetch();
              if (secret) show(secret);
              else adding.close();
            }}
          />
        )}
      </NewSecret>
    </Page>
  );
}
