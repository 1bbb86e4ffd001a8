import { Alert, Box, Code, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { IconAlertTriangle, IconEyeOff } from '@tabler/icons-react';
import { useEffect, useRef } from 'react';
import { useOutletContext, useParams } from 'react-router';
import { useQuery } from 'urql';
import { useNews } from '../../api/live.ts';
import { Loaded } from '../../kit/loaded.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { Arguments } from './arguments.tsx';
import { type Approval, approvalQuery } from './approval-query.ts';
import { Decision } from './decision.tsx';
import { Definition } from './definition.tsx';
import { Earlier } from './earlier.tsx';
import { AskedBy, FactsOfCall } from './facts-of-call.tsx';
import type { Neighbours } from './inbox.tsx';
import { Effect } from './inbox-item.tsx';
import { NotYours, Standing } from './standing.tsx';
import { useLaidOpen } from './use-laid-open.ts';

export function Component() {
  const { id } = useParams();
  // revealed values and drafts belong to one approval
  return <One key={id} id={id!} />;
}

function One({ id }: { id: string }) {
  const [asked, again] = useQuery({ query: approvalQuery, variables: { id } });
  const look = () => again({ requestPolicy: 'network-only' });
  useNews(['approval', 'call'], look);
  return (
    <Loaded asked={asked} again={again}>
      {({ approval }) => <Shown approval={approval} again={look} />}
    </Loaded>
  );
}

function Shown({ approval, again }: { approval: Approval; again(): void }) {
  const { call, state, isOpenToMe } = approval;
  const { goOn } = useOutletContext<Neighbours>();
  const laidOpen = useLaidOpen(call.arguments);
  const heading = useRef<HTMLHeadingElement>(null);
  // the previously focused element is gone, so move the focus to the heading
  useEffect(() => {
    if (document.activeElement === document.body) heading.current?.focus({ preventScroll: true });
  }, []);
  return (
    <Stack gap="md">
      <Paper p="lg">
        <Stack gap="lg">
          <Box>
            <Group gap="sm" mb={4}>
              <Title order={2} ref={heading} tabIndex={-1}>
                <Untrusted text={call.title} />
              </Title>
              <Effect effect={call.effect} />
            </Group>
            <Text size="sm">
              <Code>
                <Untrusted text={call.tool} />
              </Code>{' '}
              requested by <AskedBy approval={approval} />
            </Text>
          </Box>
          <Standing approval={approval} />
          {state === 'pending' && !isOpenToMe && <NotYours approval={approval} />}
          <Warnings approval={approval} />
          <Arguments call={call} laidOpen={laidOpen} />
          <FactsOfCall approval={approval} />
          <Definition call={call} />
          <Earlier approval={approval} />
        </Stack>
      </Paper>
      {isOpenToMe && <Decision approval={approval} laidOpen={laidOpen} onDone={goOn} onRefused={again} />}
    </Stack>
  );
}

const Warnings = ({ approval: { notFourEyes, call } }: { approval: Approval }) => (
  <>
    {call.tainted && (
      <Alert
        color="yellow"
        variant="light"
        icon={<IconAlertTriangle aria-hidden />}
        title="Caller read external content"
      >
        <Text size="sm">
          The caller read external content before this request. That content may have contained instructions to make it.
        </Text>
      </Alert>
    )}
    {notFourEyes && (
      <Alert color="yellow" variant="light" icon={<IconEyeOff aria-hidden />} title="Self-approval">
        <Text size="sm">The approver requested this call or is responsible for it. No other person reviews it.</Text>
      </Alert>
    )}
  </>
);
